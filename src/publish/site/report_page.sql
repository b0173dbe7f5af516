-- SPDX-License-Identifier: MIT
-- The data of report.html (render/rows.h says what names of columns mean). lists: the axes' values, in the order to
-- show them.
SELECT 0 AS lists, grp AS op FROM groups ORDER BY place;
SELECT 0 AS lists, isa FROM summary GROUP BY isa
ORDER BY coalesce(nullif(instr('scalar     avx2       avx512     avx512fp16', isa), 0), 99), min(id);
SELECT 0 AS lists, cc FROM summary GROUP BY cc ORDER BY min(id);
SELECT 0 AS lists, policy FROM summary GROUP BY policy ORDER BY min(rank), min(id);
SELECT 0 AS lists, family FROM families ORDER BY place;

-- home: the shape of the times by which variants are compared. units: of the operations' errors.
SELECT 0 AS home, "rows", n FROM home;
SELECT 0 AS units, grp AS op, unit FROM groups ORDER BY place;

-- ns, low, high, percent: at home; family: that of the worst; hazard, wrong, candidate, front: 0 or 1; NULL: not
-- measured. x + 0: a number, though a stranger's record may have a text.
SELECT 0 AS variants, s.grp AS op, s.algorithm, s.dtype, s.isa, s.cc, s.policy, s.ns + 0 AS ns, s.low + 0 AS low,
  s.high + 0 AS high, s.percent + 0 AS percent, s.error + 0 AS error,
  s.mean_ulp + 0 AS mean, s.worst_ulp + 0 AS worst, s.worst_scaled + 0 AS scaled, s.worst_bound + 0 AS bound,
  s.worst_family AS family, s.lost, s.specials, c.fma, s.hazard, s.broken AS wrong, s.candidate, s.front
FROM summary s JOIN runs r ON r.id = s.run LEFT JOIN codes c ON c.blob = r.codegen AND c.variant = s.variant
  ORDER BY s.id;

-- In the order of what is compared, then of the times.
WITH numbered AS MATERIALIZED (SELECT variant, row_number() OVER (ORDER BY id) - 1 AS place FROM summary)
SELECT 0 AS times, o.place AS variant, json_array(t."rows", t.n, t.threads, t.family, t.residency) AS "shape:json",
  t.ns + 0 AS ns, t.low + 0 AS low, t.high + 0 AS high, t.percent + 0 AS percent,
  coalesce(t.no_limit, t.limit_name) AS "limit", coalesce(t.vector, '-') AS vector
FROM timed t JOIN numbered o USING (variant) WHERE NOT t.library
ORDER BY t.op, t.threads, t."rows" * t.n, t.n, t.family, t.isa, t.algorithm, t.dtype, t.ns;

-- Per family [p50, p99, p99.99, max], null for none; many builds of a kernel have the same.
WITH share AS MATERIALIZED (
  SELECT e.variant, f.place, replace(json_array(max(e.p50_ulp) + 0, max(e.p99_ulp) + 0, max(e.p9999_ulp) + 0,
      max(e.max_ulp) + 0), 'Inf', '"inf"') AS shares
  FROM erred e JOIN families f USING (family) GROUP BY e.variant, f.place HAVING max(e.max_ulp) IS NOT NULL),
row AS MATERIALIZED (
  SELECT variant, '[' || group_concat(shares) || ']' AS shares FROM (
    SELECT o.variant, coalesce(h.shares, 'null') AS shares FROM (SELECT DISTINCT variant FROM share) o JOIN families f
    LEFT JOIN share h ON h.variant = o.variant AND h.place = f.place ORDER BY o.variant, f.place) GROUP BY variant)
SELECT 0 AS errors, r.shares AS "shares:json" FROM summary s LEFT JOIN row r USING (variant) ORDER BY s.id;

-- Rows of case studies that have neither curves nor tables are drawn.
SELECT 0 AS cases, json_object('name', record -> 'name', 'chart', record -> 'chart', 'curves', record -> 'curves',
  'rows',
  iif(coalesce(json_array_length(record, '$.curves'), 0) + coalesce(json_array_length(record, '$.tables'), 0), NULL,
    record -> 'rows')) AS "record:json" FROM cases ORDER BY id;
