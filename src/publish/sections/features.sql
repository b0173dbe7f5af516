-- SPDX-License-Identifier: MIT
-- What does each feature buy here, and who has it?
-- feature. here: 'yes'; 'hidden': the design has it, and this machine (its hypervisor) does not show it; 'no'. lanes: fp32
-- results of multiplications and additions that FMAs of its width start in a cycle. L1, L2, L3, DRAM: speed of its kernels over
-- those in scalar code, geomean over kernels and compilers at rows that live there. clock: the same per clock, in L1.
-- kernels: that the build has for it.
SELECT 0 AS "words|Speeds are over the same kernels in scalar code, which fuses: fp32, one thread, rows that live in that level,
  geometric means over kernels and compilers. ""hidden"": the core has it, and what it runs under does not show it. VBMI, FP16
  and BF16 have kernels of their own, which no scalar code stands beside." FROM machines LIMIT 1;
SELECT printf('Right behind 2 ms of 512-bit FMAs, additions of general registers take %.3f of their time, scalar FMAs %.3f and '
  || '256-bit FMAs %.3f: what wide vectors do to the clock of others.', general_behind_wide, scalar_behind_wide,
  avx2_behind_wide) AS words FROM cores WHERE avx2_behind_wide > 0;

WITH
rows_of(place, feature, needs, isa, policy, form) AS (VALUES
  (1, 'scalar', 'sse4.1', 'scalar', 'fast', 'vfmadd231ss xmm xmm xmm'),
  (2, 'AVX2 without FMA', 'avx2', 'avx2', 'off', NULL),
  (3, 'AVX2', 'fma', 'avx2', 'fast', 'vfmadd231ps ymm ymm ymm'),
  (4, 'AVX-512 at 256 bits', 'avx512vl', NULL, NULL, 'vfmadd231ps ymm{k} ymm ymm'),
  (5, 'AVX-512 at 512 bits', 'avx512f', 'avx512', 'fast', 'vfmadd231ps zmm zmm zmm'),
  (6, 'VBMI', 'avx512vbmi', 'avx512vbmi', 'off', NULL),
  (7, 'BF16', 'avx512bf16', NULL, NULL, 'vdpbf16ps zmm zmm zmm'),
  (8, 'FP16', 'avx512fp16', 'avx512fp16', 'off', 'vfmadd231ph zmm zmm zmm')),
-- Kernels whose arithmetic is the policy's, each beside its own scalar code: the same compiler and shape. The feature's
-- policy decides whether multiplications and additions fuse; scalar code fuses (`fast`).
speeds AS (
  SELECT f.place, c.residency, p.ns / c.ns AS faster, p.cycles / nullif(c.cycles, 0) AS faster_per_clock
  FROM rows_of f JOIN variants v ON v.isa = f.isa AND v.policy = f.policy
  JOIN cells c ON c.variant = v.id AND c.ns > 0
  JOIN shapes s ON s.id = c.shape AND s.threads = 1 AND s.family = 'normal'
  JOIN variants q ON q.op = v.op AND q.algorithm = v.algorithm AND q.dtype = v.dtype AND q.cc = v.cc
    AND q.isa = 'scalar' AND q.policy = 'fast'
  JOIN cells p ON p.variant = q.id AND p.shape = c.shape AND p.blob = c.blob AND p.ns > 0),
built AS (SELECT isa, count(DISTINCT op || '/' || algorithm) AS kernels FROM variants WHERE cc <> 'lib' GROUP BY isa)
SELECT f.feature, CASE WHEN EXISTS (SELECT 1 FROM json_each(m.features) x WHERE x.value = f.needs) THEN 'yes'
    WHEN design_has(m.vendor, m.family, m.model, m.stepping, f.needs) THEN 'hidden' ELSE 'no' END AS "here",
  (SELECT (CASE f.place WHEN 1 THEN 1 WHEN 8 THEN i.bits / 16 WHEN 7 THEN i.bits / 16 ELSE i.bits / 32 END) / i.cycles
    FROM instructions i WHERE i.form = f.form) AS "?FMA results/cycle|%.3g",
  (SELECT geomean(faster) FROM speeds s WHERE s.place = f.place AND residency = 'L1') AS "?speed in L1|%.3g",
  (SELECT geomean(faster) FROM speeds s WHERE s.place = f.place AND residency = 'L2') AS "?L2|%.3g",
  (SELECT geomean(faster) FROM speeds s WHERE s.place = f.place AND residency = 'L3') AS "?L3|%.3g",
  (SELECT geomean(faster) FROM speeds s WHERE s.place = f.place AND residency = 'DRAM') AS "?DRAM|%.3g",
  (SELECT geomean(faster_per_clock) FROM speeds s WHERE s.place = f.place AND residency = 'L1') AS "?per clock, L1|%.3g",
  (SELECT kernels FROM built b WHERE b.isa = f.isa) AS "?kernels built for it|%d"
FROM rows_of f, machines m ORDER BY f.place;
