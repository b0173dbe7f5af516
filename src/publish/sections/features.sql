-- SPDX-License-Identifier: MIT
-- The gain from each feature, and the machines that have it: for one run or several side by side (all runs in
-- memory). here: 'yes'; 'hidden': the design has the feature, and this machine (its hypervisor) does not show it;
-- 'no'. results per cycle: of the instruction in the same row, whose vector has `lanes`. L1, L2, L3, DRAM: speed of
-- its kernels over those in scalar code, geomean over kernels and compilers at rows in that level. per clock: the
-- same in cycles of the core, in L1. sides: the runs. rows_of: the features; isa, policy: those of the kernels that
-- represent it; NULL: none.
CREATE TEMP TABLE IF NOT EXISTS feature_sides AS
WITH named AS (SELECT r.id AS run, r.timing, r.codegen, m.*, coalesce(nullif(m.label, ''),
    microarchitecture(m.vendor, m.family, m.model, m.stepping), m.slug) AS plain, r.run AS identity
  FROM runs r JOIN machines m ON m.id = r.machine WHERE r.folder IS NOT NULL)
SELECT *, iif(count(*) OVER (PARTITION BY plain) = 1, plain, plain || ' ' || substr(identity, 1, 8)) AS cpu,
  (SELECT blob FROM files f WHERE f.run = named.run AND f.name = 'instructions.jsonl') AS forms FROM named;
SELECT 0 AS "words|Speeds are relative to the same kernels in scalar code, with fusing: fp32, one thread, rows in that
  level, geometric means over kernels and compilers. ""hidden"": the core has the feature, but the hypervisor does not
  show it. VBMI, FP16 and BF16 have separate kernels, without a scalar counterpart. For AVX-512 at 256 bits only
  instructions are measured, as no kernel uses it; `ulplab flags` measures `-mprefer-vector-width=256` for plain
  loops." FROM feature_sides LIMIT 1;

CREATE TEMP TABLE IF NOT EXISTS features AS
WITH rows_of(place, feature, needs, isa, policy, form, lanes) AS (VALUES
  (1, 'scalar', 'sse4.1', 'scalar', 'fast', 'vfmadd231ss xmm xmm xmm', 1),
  (2, 'SSE', 'sse4.1', 'sse', 'off', 'vmulps xmm xmm xmm', 4),
  (3, 'AVX2 without FMA', 'avx2', 'avx2', 'off', 'vmulps ymm ymm ymm', 8),
  (4, 'AVX2', 'fma', 'avx2', 'fast', 'vfmadd231ps ymm ymm ymm', 8),
  (5, 'AVX-512 at 256 bits', 'avx512vl', NULL, NULL, 'vfmadd231ps ymm{k} ymm ymm', 8),
  (6, 'AVX-512 at 512 bits', 'avx512f', 'avx512', 'fast', 'vfmadd231ps zmm zmm zmm', 16),
  (7, 'VBMI', 'avx512vbmi', 'avx512vbmi', 'off', 'vpermi2b zmm zmm zmm', 64),
  (8, 'BF16, dot product', 'avx512bf16', NULL, NULL, 'vdpbf16ps zmm zmm zmm', 32),
  (9, 'BF16, conversion', 'avx512bf16', NULL, NULL, 'vcvtne2ps2bf16 zmm zmm zmm', 32),
  (10, 'FP16', 'avx512fp16', 'avx512fp16', 'off', 'vfmadd231ph zmm zmm zmm', 32))
SELECT * FROM rows_of;
-- Kernels whose arithmetic the policy decides, each compared with its own scalar code by the same compiler at the
-- same shape. Scalar code fuses (`fast`), so SSE and AVX2 without FMA show the gain from vectors alone. If scalar
-- code has no build under `fast`, it has nothing to fuse, and the build under `off` is used.
CREATE TEMP TABLE IF NOT EXISTS feature_cells AS
SELECT z.run, v.op, v.algorithm, v.dtype, v.isa, v.cc, v.policy, c.shape, c.residency, c.ns, c.cycles
FROM feature_sides z JOIN cells c ON c.blob = z.timing AND c.ns > 0
  JOIN variants v ON v.id = c.variant AND v.cc <> 'lib' AND v.dtype <> 'f64'
JOIN shapes s ON s.id = c.shape AND s.threads = 1 AND s.family = 'normal';
CREATE TEMP TABLE IF NOT EXISTS feature_bases AS
SELECT *, min(policy = 'off') FROM feature_cells WHERE isa = 'scalar' AND policy IN ('off', 'fast')
GROUP BY run, op, algorithm, dtype, cc, shape;
CREATE INDEX IF NOT EXISTS temp.bases_of_cells ON feature_bases(run, op, algorithm, dtype, cc, shape);
CREATE TEMP TABLE IF NOT EXISTS feature_speeds AS
SELECT c.run, f.place, c.op, c.residency, p.ns / c.ns AS faster, p.cycles / nullif(c.cycles, 0) AS faster_per_clock
FROM feature_cells c JOIN features f ON f.isa = c.isa AND f.policy = c.policy
JOIN feature_bases p USING (run, op, algorithm, dtype, cc, shape);
SELECT printf('%sImmediately after 2 ms of 512-bit FMAs, additions of general registers take %.3f times as long, '
  || 'scalar FMAs %.3f and 256-bit FMAs %.3f times: the effect of wide vectors on the clock rate.',
  iif((SELECT count(*) FROM feature_sides) > 1, cpu || ': ', ''),
  general_behind_wide, scalar_behind_wide, avx2_behind_wide) AS words
FROM cores JOIN feature_sides ON forms = blob WHERE avx2_behind_wide > 0;

WITH mean AS (SELECT run, place, geomean(iif(residency = 'L1', faster, NULL)) AS l1,
  geomean(iif(residency = 'L2', faster, NULL)) AS l2,
  geomean(iif(residency = 'L3', faster, NULL)) AS l3, geomean(iif(residency = 'DRAM', faster, NULL)) AS dram,
  geomean(iif(residency = 'L1', faster_per_clock, NULL)) AS per_clock FROM feature_speeds GROUP BY run, place),
built AS (SELECT c.blob, v.isa, count(DISTINCT op || '/' || algorithm) AS kernels FROM variants v
  JOIN codes c ON c.variant = v.id WHERE cc <> 'lib' GROUP BY c.blob, v.isa)
SELECT f.feature, iif((SELECT count(*) FROM feature_sides) > 1, z.cpu, NULL) AS "?CPU",
  CASE WHEN EXISTS (SELECT 1 FROM json_each(z.features) x WHERE x.value = f.needs) THEN 'yes'
    WHEN design_has(z.vendor, z.family, z.model, z.stepping, f.needs) THEN 'hidden' ELSE 'no' END AS "here",
  iif(i.cycles > 0, f.form, NULL) AS "?instruction|`%s`", f.lanes / i.cycles AS "?results/cycle|%.3g",
  l1 AS "?speed in L1|%.3g", l2 AS "?L2|%.3g", l3 AS "?L3|%.3g", dram AS "?DRAM|%.3g",
  per_clock AS "?per clock, L1|%.3g",
  (SELECT kernels FROM built b WHERE b.isa = f.isa AND b.blob = z.codegen) AS "?kernels built for it|%d"
FROM features f JOIN feature_sides z LEFT JOIN mean USING (run, place)
LEFT JOIN instructions i ON i.blob = z.forms AND i.form = f.form ORDER BY f.place, z.run;

SELECT 0 AS "words|By operation and level of memory: speed relative to the same kernels in scalar code, and per
  clock." FROM feature_speeds WHERE place > 1 LIMIT 1;
WITH several AS (SELECT count(*) > 1 AS several FROM feature_sides)
SELECT s.op AS row_op, s.op AS operation, s.residency AS "in", f.feature || iif(several, ', ' || z.cpu, '') AS across,
  1000 * f.place + z.run AS place, printf('%.3g', geomean(faster))
    || coalesce(printf(' (%.3g)', geomean(faster_per_clock)), '') AS "|%s"
FROM feature_speeds s JOIN features f USING (place) JOIN feature_sides z USING (run), several
WHERE s.place > 1 AND s.residency <> '' GROUP BY s.op, s.residency, f.place, z.run
ORDER BY s.op, instr('L1 L2 L3 DRAM', s.residency), f.place, z.run;

-- The registers that kernels use, by their decoded machine code, not by the compiler's flags.
SELECT 'Features that kernels use, by their machine code' AS "fold" FROM codes JOIN feature_sides ON codegen = blob
  LIMIT 1;
WITH used AS (SELECT DISTINCT v.op, v.algorithm, CASE WHEN v.isa NOT IN ('scalar', 'sse', 'avx2', 'avx512') THEN v.isa
    WHEN c.zmm > 0 THEN '512 bits' WHEN v.isa = 'avx512' AND c.ymm > 0 THEN 'AVX-512, 256 bits'
    WHEN v.isa = 'avx2' AND c.fma > 0 THEN 'AVX2 with FMA' WHEN v.isa = 'avx2' AND c.ymm > 0 THEN 'AVX2 without FMA'
    WHEN c.fma_scalar > 0 THEN 'scalar FMA' WHEN v.isa = 'sse' THEN 'SSE' ELSE 'no vectors of its own' END AS what
  FROM codes c JOIN feature_sides z ON z.codegen = c.blob JOIN variants v ON v.id = c.variant WHERE v.cc <> 'lib'),
by_op AS (SELECT what, op, group_concat(algorithm, ', ') AS some, count(*) AS count FROM used GROUP BY what, op)
SELECT what, sum(count) AS "kernels|%d", group_concat(op || ': ' || some, '; ') AS which FROM by_op GROUP BY what
  ORDER BY what;
SELECT 0 AS "end" FROM codes JOIN feature_sides ON codegen = blob LIMIT 1;
