-- SPDX-License-Identifier: MIT
-- The cells in which equal bits everywhere cost time, and how much.
CREATE TEMP TABLE IF NOT EXISTS contests AS
WITH
kept AS (
  SELECT c.cell, c.run, c.grp, c.isa, c."rows", c.n, c.threads, c.family,
  c.algorithm IN ('invariant', 'best', 'correct') AS invariant,
    row_number() OVER (PARTITION BY c.run, c.grp, c.dtype, c.isa,
    c."rows", c.n, c.threads, c.family, c.algorithm IN ('invariant', 'best', 'correct') ORDER BY c.ns, c.cell) AS k
  FROM timed c JOIN summary s USING (run, variant) WHERE s.keeps AND NOT c.library)
SELECT i.cell AS invariant, o.cell AS other, pair(o.t, i.t) AS cost, pair_low(o.t, i.t) AS low,
  pair_high(o.t, i.t) AS high,
  iif(i.two_modes OR o.two_modes OR pair_off(o.t, i.t) > 0, 'two-modes',
    iif(i.unsteady OR o.unsteady, 'unsteady', '')) AS flag
FROM kept a JOIN kept b ON b.run = a.run AND b.grp = a.grp AND b.isa = a.isa AND b."rows" = a."rows" AND b.n = a.n
  AND b.threads = a.threads AND b.family = a.family AND NOT b.invariant AND b.k = 1
JOIN timed i ON i.cell = a.cell JOIN timed o ON o.cell = b.cell WHERE a.invariant AND a.k = 1;

SELECT count(cost) AS
  "words|The fastest invariant build compared with the fastest other kernel that promises something, on the same ISA
    and shape: of %d such pairs it is faster in %d, at most 10%% slower in %d more, and slower than that in %d.",
  sum(cost <= 1), sum(cost > 1 AND cost <= 1.1), sum(cost > 1.1) FROM contests HAVING count(cost) > 0;
SELECT sum(cost IS NULL) AS "words|%d more pairs have two modes and no majority, and are left out." FROM contests
HAVING sum(cost IS NULL) > 0 AND count(cost) > 0;
SELECT i.grp AS "words|The largest cost is that of %s on %s at %dx%d: %.2f times the time of %s.", i.isa, i."rows",
  i.n, c.cost, o.algorithm
FROM contests c JOIN timed i ON i.cell = c.invariant JOIN timed o ON o.cell = c.other WHERE c.cost > 1.1
ORDER BY c.cost DESC LIMIT 1;

SELECT i.grp AS row_op, i.grp AS operation, i.isa AS "ISA", i."rows" AS "rows x n|%dx%d", i.n, i.threads,
  i.residency AS "resident in", i.ns AS "invariant, ns/element|%.3f ~[%.3f, %.3f]~", i.low, i.high,
  o.ns AS "fastest other|%.3f ~[%.3f, %.3f]~", o.low, o.high, o.algorithm AS "which|%s %s %s", o.cc, o.policy,
  iif(c.cost > 1.5, 'd3', 'd2') AS "times|{}%.2f ~[%.2f, %.2f]~ %s", c.cost, c.low, c.high, c.flag,
  CASE WHEN i.percent IS NULL OR o.percent IS NULL THEN 'the limit of one is unknown' WHEN i.limit_name <> o.limit_name
    THEN printf('limited by %s (%.0f%%), the other by %s (%.0f%%)', i.limit_name, i.percent, o.limit_name, o.percent)
    ELSE printf('%.0f%% of %s against %.0f%%', i.percent, i.limit_name, o.percent) END
  || iif(x.error > 0 AND y.error > 0, '; error ' || error_text(x.error) || ' against ' || error_text(y.error) || ' '
    || x.unit, '') AS "why|{text}%s"
FROM contests c JOIN timed i ON i.cell = c.invariant JOIN timed o ON o.cell = c.other
JOIN summary x ON x.run = i.run AND x.variant = i.variant JOIN summary y ON y.run = o.run AND y.variant = o.variant
WHERE c.cost > 1.1 ORDER BY c.cost DESC;
