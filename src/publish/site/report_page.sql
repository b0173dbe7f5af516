-- SPDX-License-Identifier: MIT
-- The data of report.html. A column NAME@LIST is a place in that list; NAME:time, :error and :percent have the digits that are
-- shown.
SELECT 'op' AS list, grp AS value FROM groups ORDER BY place;
SELECT 'isa' AS list, isa AS value FROM summary GROUP BY isa
ORDER BY coalesce(nullif(instr('scalar     avx2       avx512     avx512fp16', isa), 0), 99), min(id);
SELECT 'cc' AS list, cc AS value FROM summary GROUP BY cc ORDER BY min(id);
SELECT 'policy' AS list, policy AS value FROM summary GROUP BY policy ORDER BY min(rank), min(id);
SELECT 'family' AS list, family AS value FROM families ORDER BY place;

SELECT 'variants' AS "table", s.grp AS "op@op", s.algorithm AS "algorithm@algorithm", s.dtype AS "dtype@dtype", s.isa AS "isa@isa",
  s.cc AS "cc@cc", s.policy AS "policy@policy", s.home - 1 AS time, s.error AS "error:error", s.mean_ulp AS "mean:error",
  s.worst_ulp AS "worst:error", s.worst_scaled AS "scaled:error", s.worst_bound AS "bound:error",
  s.worst_family AS "family@family", s.lost, s.specials, c.fma, s.hazard, s.broken AS wrong, s.candidate, s.front
FROM summary s JOIN runs r ON r.id = s.run LEFT JOIN codes c ON c.blob = r.codegen AND c.variant = s.variant ORDER BY s.id;

WITH numbered AS MATERIALIZED (SELECT variant, row_number() OVER (ORDER BY id) - 1 AS place FROM summary)
SELECT 'times' AS "table", o.place AS variant,
  json_array(t."rows", t.n, t.threads, t.family, t.residency) AS "shape@shapes:json", t.ns AS "ns:time", t.low AS "low:time",
  t.high AS "high:time", t.percent AS "percent:percent", t.limit_name AS "limit@limit", coalesce(t.vector, '-') AS "vector@vector"
FROM timed t JOIN numbered o USING (variant) WHERE NOT t.library ORDER BY t.cell;

-- Per family [p50, p99, p99.99, max], null for none; many builds of a kernel have the same.
WITH share AS MATERIALIZED (
  SELECT e.variant, f.place, '[' || in_digits(max(e.p50_ulp)) || ',' || in_digits(max(e.p99_ulp)) || ','
      || in_digits(max(e.p9999_ulp)) || ',' || in_digits(max(e.max_ulp)) || ']' AS shares
  FROM erred e JOIN families f USING (family) GROUP BY e.variant, f.place HAVING max(e.max_ulp) IS NOT NULL),
row AS MATERIALIZED (
  SELECT variant, '[' || group_concat(shares) || ']' AS shares FROM (
    SELECT o.variant, coalesce(h.shares, 'null') AS shares FROM (SELECT DISTINCT variant FROM share) o JOIN families f
    LEFT JOIN share h ON h.variant = o.variant AND h.place = f.place ORDER BY o.variant, f.place) GROUP BY variant)
SELECT 'errors' AS "table", r.shares AS "of@rows:json" FROM summary s LEFT JOIN row r USING (variant) ORDER BY s.id;
