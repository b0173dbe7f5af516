-- SPDX-License-Identifier: MIT
-- Measured error over proven bound, for every variant, family and row length: the deterministic bound, which a
-- kernel's file may promise, and the probabilistic one (heights h become 3 sqrt(h)), which is expected but not
-- promised.
SELECT sum(rows) AS "words|The largest error over its proven bound, then over the bound's probabilistic form (heights
  h of summation trees become 3 sqrt(h)). Of %d rows %d are above the proven bound, %d of these under a promise of
  their kernel's file (a gate; hazards, reassoc and fastmath promise nothing), and %d above the probabilistic form,
  which no file promises.", sum(beyond), sum(broken), sum(unlikely)
FROM shared CROSS JOIN (SELECT run, first, count(*) AS rows, sum(bound_ratio > 1) AS beyond,
    sum(bound_ratio > 1 AND status = 'wrong') AS broken, sum(coalesce(likely_ratio > 1, 0)) AS unlikely
  FROM first_errors WHERE bound_ratio IS NOT NULL AND NOT library GROUP BY run, first) USING (run, first)
    HAVING count(*) > 0;

CREATE TEMP TABLE IF NOT EXISTS bounds AS
SELECT e.run, e.variant, v.op, v.grp, v.algorithm, v.dtype, v.isa, v.cc, v.policy, v.rank, v.id, e.family, e.n,
  e.status, e.bound_ratio AS proven, e.likely_ratio AS likely, e.exp_ulp, e.log_ulp,
  min(v.id) OVER (PARTITION BY v.grp, v.algorithm) AS place
FROM erred e JOIN named v USING (variant) WHERE e.bound_ratio IS NOT NULL AND NOT v.library;
CREATE INDEX IF NOT EXISTS temp.bounds_of_kernels ON bounds(grp, algorithm);
CREATE INDEX IF NOT EXISTS temp.bounds_of_ids ON bounds(id);

WITH worst AS (
  SELECT grp, algorithm, dtype, family, max(proven) AS proven, max(likely) AS likely FROM bounds
  GROUP BY grp, algorithm, dtype, family),
kernel AS (
  SELECT grp, algorithm, dtype, min(place) AS place, count(DISTINCT variant) AS builds, max(proven) AS proven,
    max(likely) AS likely FROM bounds GROUP BY grp, algorithm, dtype)
SELECT k.grp AS operation, k.algorithm || iif((SELECT hazard FROM summary s
  WHERE s.grp = k.grp AND s.algorithm = k.algorithm
    ORDER BY s.id LIMIT 1), ' (hazard)', '') AS kernel, k.builds AS "builds|%d",
  iif(k.proven > 1, 'd3', iif(k.likely > 1, 'd2', '')) AS "any family|{}%.2g / %.2g", k.proven, k.likely,
  f.family AS across, f.place AS place,
  iif(w.proven > 1, 'd3', iif(w.likely > 1, 'd2', '')) AS "|{}%.2g / %.2g", w.proven, w.likely
FROM kernel k JOIN families f LEFT JOIN worst w ON w.grp = k.grp AND w.algorithm = k.algorithm AND w.family = f.family
ORDER BY k.place, f.place;

-- The errors of exp and log that the bounds use, and scans over all inputs that confirm them.
CREATE TEMP TABLE IF NOT EXISTS eps AS
SELECT 'exp' AS of, exp_ulp AS ulp, count(*) AS "rows" FROM bounds WHERE exp_ulp IS NOT NULL GROUP BY exp_ulp
UNION ALL SELECT 'log', log_ulp, count(*) FROM bounds WHERE log_ulp IS NOT NULL GROUP BY log_ulp;
SELECT 0 AS "words|The errors of exp and log that these bounds use: the errors that kernels' files declare, and the
  scans of the unary kernel with the same declared error (a scan that finds a larger error fails)." FROM eps LIMIT 1;
WITH scan AS (
  SELECT e.of, e.ulp, count(*) AS scans, max(s.max_ulp) AS found FROM eps e JOIN scans s ON s.declared_ulp = e.ulp
    AND s."range" = 'all' AND s.status = 'ok' JOIN named v USING (variant) WHERE substr(v.op, 1, 3) = e.of
  GROUP BY e.of, e.ulp)
SELECT e.of, digits(e.ulp, 4) AS ulp, e."rows" AS "rows|%d", iif(s.scans, 'at most ' || exact_error(s.found, 6, e.ulp)
  || ' in ' || s.scans || ' builds', 'no scan here: only declared') AS "its scans, all 2^32 inputs"
FROM eps e LEFT JOIN scan s USING (of, ulp) ORDER BY e.of, e.ulp;

-- Builds with equal figures share a line.
SELECT grp AS "fold|%s %s: every build, family and row length", algorithm AS algorithm, grp AS grp FROM bounds
WHERE :html GROUP BY grp, algorithm ORDER BY min(place);
WITH
build AS (
  SELECT isa, cc, policy, rank, id, group_concat(family || n || ' ' || proven || ' ' || coalesce(likely, ''),
    ';') AS figures,
    min(variant) AS variant
  FROM (SELECT * FROM bounds WHERE grp = :grp AND algorithm = :algorithm ORDER BY id, family, n)
  GROUP BY id, isa, cc, policy, rank),
line AS (
  SELECT min(id) AS id, min(variant) AS variant, isa, group_concat(cc || ' ' || policy, ', ') AS names
  FROM (SELECT * FROM build ORDER BY cc, rank, policy) GROUP BY isa, figures)
SELECT l.isa || ': ' || l.names AS builds, b.family || ' ' || b.n AS across, 1e9 * f.place + b.n AS place,
  iif(b.proven > 1, 'd3', iif(b.likely > 1, 'd2', '')) AS "|{}%.2g / %.2g", b.proven, b.likely
FROM line l JOIN bounds b ON b.id = l.id JOIN families f USING (family) ORDER BY l.id, f.place, b.n;
SELECT 0 AS "end";
