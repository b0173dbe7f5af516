-- SPDX-License-Identifier: MIT
-- The findings of a run for each operation, storage type, ISA and shape (export/export.h).
SELECT 0 AS "", 1 AS schema, m.slug AS machine, b.version, r."commit", bar, i.pairs AS "identical_code.pairs",
  i.median AS "identical_code.median", i.p90 AS "identical_code.p90", i.p95 AS "identical_code.p95",
  i.p99 AS "identical_code.p99", i.side_by_side AS "identical_code.side_by_side:bool"
FROM runs r JOIN machines m ON m.id = r.machine JOIN builds b ON b.id = r.build JOIN identical i ON i.run = r.id, given;
WITH
one AS MATERIALIZED (
  SELECT t.*, s.advised, s.error FROM placed t LEFT JOIN summary s ON s.run = t.run AND s.variant = t.variant
  WHERE t.library OR s.keeps),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY grp, at, "rows", n, threads, library, advised ORDER BY ns, cell) AS by_time,
    row_number() OVER (PARTITION BY grp, at, "rows", n, threads, library, advised ORDER BY error IS NULL, error, rank,
      id) AS by_error FROM one),
place AS (
  SELECT grp, at, "rows", n, threads, min(cell) AS first, (SELECT cell FROM picks p WHERE p.grp = ranked.grp
      AND p.isa = ranked.at AND p."rows" = ranked."rows" AND p.n = ranked.n AND p.threads = ranked.threads) AS fastest,
    max(iif(advised AND by_error = 1 AND error IS NOT NULL, cell, NULL)) AS accurate,
    max(iif(library AND by_time = 1, cell, NULL)) AS library
  FROM ranked GROUP BY grp, at, "rows", n, threads)
SELECT 0 AS "rows", f.op, f.dtype, p.at AS isa, p."rows", p.n, p.threads, f.residency,
  t.algorithm || ' ' || t.cc || ' ' || t.policy AS fastest, t.ns AS ns_per_element, t.low AS ci_low, t.high AS ci_high,
  t.percent AS percent_of_limit, nullif(t.limit_name, '') AS "limit", x.error AS max_error,
  coalesce(u.unit, 'ulp') AS unit,
  a.algorithm || ' ' || a.cc || ' ' || a.policy AS most_accurate, y.error AS least_error,
  iif(l.algorithm LIKE 'peer-%', substr(l.algorithm, 6), l.algorithm) AS library, l.ns AS library_ns_per_element,
  pair(t.t, l.t) AS ratio, pair_low(t.t, l.t) AS ratio_low, pair_high(t.t, l.t) AS ratio_high,
  iif(t.two_modes OR l.two_modes AND t.cell OR pair_off(t.t, l.t) > 0, '["two-modes"]',
    iif(l.cell AND (t.unsteady OR l.unsteady AND t.cell), '["unsteady"]', NULL)) AS "flags?:json"
FROM place p JOIN timed f ON f.cell = p.first LEFT JOIN timed t ON t.cell = p.fastest
  LEFT JOIN timed a ON a.cell = p.accurate
LEFT JOIN timed l ON l.cell = p.library LEFT JOIN units u ON u.op = f.op
LEFT JOIN summary x ON x.run = t.run AND x.variant = t.variant
  LEFT JOIN summary y ON y.run = a.run AND y.variant = a.variant
ORDER BY p.grp, p.at, p."rows" * p.n, p.n, p.threads;
