-- SPDX-License-Identifier: MIT
-- The gain from contraction for kernels whose arithmetic the policy decides, compared with kernels with explicit
-- FMAs.
SELECT h."rows" AS "words|For kernels with multiplications and additions in intrinsics, which the policy may fuse
  (without plain loops and kernels that are wrong by design): the speed under fast over that under off, over every
  shape and compiler. At the shape of the first table (%d rows of %d): the fastest of them under each policy, in ns
  per element, and the gain from fusing; then the fastest kernel with explicit FMAs, which no policy fuses or splits,
  and its speed over that of the two.", h.n
FROM home h WHERE EXISTS(SELECT 1 FROM timed t JOIN named v USING (variant) JOIN codes c USING (variant)
  WHERE c.arithmetic = 'policy' AND NOT t.library);

WITH
kernel AS MATERIALIZED (
  SELECT v.grp, v.algorithm, c.arithmetic, min(c.place) FROM codes c JOIN named v USING (variant)
  WHERE c.arithmetic <> '' GROUP BY v.grp, v.algorithm),
cell AS MATERIALIZED (
  SELECT t.run, t.grp, t.isa, t.variant, t.off, t.policy, t.shape, t.t, t.low_ns FROM timed t
  CROSS JOIN kernel k USING (grp, algorithm) WHERE k.arithmetic = 'policy' AND algorithm <> 'plain' AND NOT library
    AND policy IN ('off', 'fast') AND NOT (SELECT hazard FROM summary s WHERE s.run = t.run AND s.variant = t.variant)),
pair AS MATERIALIZED (
  SELECT f.grp, f.isa, 1 / pair(o.t, f.t) AS speed, pair_tied(o.t, f.t) AS tied, pair_sided(o.t, f.t) AS sided,
    f.low_ns AS fast, o.low_ns AS off
  FROM cell f JOIN cell o ON o.variant = f.off AND o.shape = f.shape AND o.run = f.run WHERE f.policy = 'fast'),
worth AS (
  SELECT grp, isa, count(speed) AS pairs, sum(tied) AS tied,
    iif(min(sided), ratio(by_process(fast, off)), geomean(speed)) AS speed,
    iif(min(sided), ratio_low(by_process(fast, off)), NULL) AS low,
    iif(min(sided), ratio_high(by_process(fast, off)), NULL) AS high,
    exp(quantile(ln(speed), 0.05)) AS p5, exp(quantile(ln(speed), 0.95)) AS p95
  FROM pair GROUP BY grp, isa HAVING count(speed) > 0),
best AS (
  SELECT * FROM (SELECT s.*, k.column1 AS kind, row_number() OVER (PARTITION BY s.grp, s.isa, k.column1 ORDER BY s.ns,
    s.id) AS k
    FROM summary s JOIN kernel a USING (grp, algorithm)
    JOIN (VALUES('off', 'policy'), ('fast', 'policy'), ('proof', 'explicit')) k
      ON k.column2 = a.arithmetic AND (k.column1 = 'proof' OR k.column1 = s.policy)
    WHERE s.keeps AND s.ns IS NOT NULL) WHERE k = 1)
SELECT g.grp AS operation, i.column1 AS "ISA",
  w.speed AS "fast / off [95%] (middle 90%; pairs)|%.3f%s (%.2f to %.2f; %d%s)",
  iif(w.low IS NULL, '', printf(' [%.3f, %.3f]', w.low, w.high)), w.p5, w.p95, w.pairs,
  iif(w.tied, ', ' || w.tied || ' with two modes left out', ''),
  o.ns AS "fastest under off|%.3f %s %s", o.algorithm, o.cc, f.ns AS "fastest under fast|%.3f %s %s", f.algorithm, f.cc,
  digits(o.ns / f.ns, 3) AS gain, p.ns AS "policy-proof|%.3f %s %s", p.algorithm, p.cc,
  digits(o.ns / p.ns, 3) AS "against off", digits(f.ns / p.ns, 3) AS "against fast"
FROM groups g JOIN (VALUES('scalar'), ('avx2'), ('avx512')) i LEFT JOIN worth w ON w.grp = g.grp AND w.isa = i.column1
LEFT JOIN best o ON o.grp = g.grp AND o.isa = i.column1 AND o.kind = 'off'
LEFT JOIN best f ON f.grp = g.grp AND f.isa = i.column1 AND f.kind = 'fast'
LEFT JOIN best p ON p.grp = g.grp AND p.isa = i.column1 AND p.kind = 'proof'
WHERE w.pairs OR p.variant IS NOT NULL
ORDER BY g.place, instr('scalar avx2 avx512', i.column1);
