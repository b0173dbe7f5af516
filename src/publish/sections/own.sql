-- SPDX-License-Identifier: MIT
-- The user's own kernels (files outside the lab's folders), by variant, compared with the fastest advised variant, at
-- the shape at which most of their variants were timed.
SELECT 0 AS "words|Your own kernels (KERNELS=), at the shape at which most of their builds were timed; errors are over
  all families." FROM codes WHERE declared LIKE '% -c %' AND declared NOT LIKE '% -c simd/%'
  AND declared NOT LIKE '%/simd/libraries/%' LIMIT 1;

WITH
own AS (
  SELECT DISTINCT v.*, c.status, c.reason FROM codes c JOIN variants v ON v.id = c.variant
  WHERE v.cc <> 'lib' AND c.declared LIKE '% -c %' AND c.declared NOT LIKE '% -c simd/%'
    AND c.declared NOT LIKE '%/simd/libraries/%'),
cell AS (
  SELECT v.op, c.variant, c.shape, c.ns, c.percent FROM cells c JOIN variants v ON v.id = c.variant
  JOIN shapes s ON s.id = c.shape WHERE s.threads = 1 AND s.family = 'normal' AND c.ns > 0),
home AS (
  SELECT op, shape, row_number() OVER (PARTITION BY op ORDER BY count(*) DESC, shape) AS place
  FROM cell WHERE variant IN (SELECT id FROM own) GROUP BY op, shape),
best AS (
  SELECT op, shape, min(ns) AS ns FROM cell WHERE variant IN (SELECT variant FROM summary WHERE advised) GROUP BY op,
  shape),
error AS (
  SELECT ev.variant, max(iif(e.near_zero, e.scaled_error, e.max_ulp)) AS error,
    sum(coalesce(e.lost, e.nan + e.inf)) AS lost, iif(max(e.near_zero), 'u', 'ulp') AS unit,
    max(nullif(e.status, 'ok')) AS status
  FROM errors e JOIN error_variants ev ON ev.error = e.id GROUP BY ev.variant)
SELECT o.op AS row_op, o.cc AS row_cc, o.op AS "kernel|%s `%s`", o.algorithm, o.isa AS "build|%s %s `%s`", o.cc,
  o.policy, coalesce(e.status, o.status, 'ok') AS "status|{text}%s%s", iif(o.reason <> '', ': ' || o.reason, ''),
  s."rows" AS "?rows|%sx%s", s.n, decimals(c.ns, 3) AS "?ns/element", c.percent AS "?% of limit|%P",
  digits(c.ns / b.ns, 3) AS "?time / fastest advised", error_text(iif(e.lost > 0, 9e999,
    e.error)) AS "?max error|%s %s",
  e.unit, e.lost AS "?lost"
FROM own o LEFT JOIN home h ON h.op = o.op AND h.place = 1 LEFT JOIN shapes s ON s.id = h.shape
LEFT JOIN cell c ON c.variant = o.id AND c.shape = h.shape LEFT JOIN best b ON b.op = o.op AND b.shape = h.shape
LEFT JOIN error e ON e.variant = o.id
ORDER BY o.op, o.algorithm, o.isa DESC, c.ns IS NULL, c.ns, o.cc, o.policy;
