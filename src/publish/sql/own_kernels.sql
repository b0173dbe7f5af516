-- How do the user's own kernels do? Those whose file is not of the lab's folders, by variant, beside the fastest
-- variant that is advised (temp.advised), at the shape that most of their variants were timed at.
-- op, algorithm, isa, cc, policy, status, reason. rows, n: the shape. ns: per element. percent: of the limit.
-- beside: time over the fastest advised. error (infinite where results were lost), lost: over all families; unit: ulp, or u where results come near
-- zero.
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
  SELECT op, shape, min(ns) AS ns FROM cell WHERE variant IN (SELECT variant FROM temp.advised) GROUP BY op, shape),
error AS (
  SELECT ev.variant, max(iif(e.near_zero, e.scaled_error, e.max_ulp)) AS error,
    sum(coalesce(e.lost, e.nan + e.inf)) AS lost, iif(max(e.near_zero), 'u', 'ulp') AS unit,
    max(nullif(e.status, 'ok')) AS status
  FROM errors e JOIN error_variants ev ON ev.error = e.id GROUP BY ev.variant)
SELECT o.op, o.algorithm, o.isa, o.cc, o.policy, coalesce(e.status, o.status, 'ok') AS status, o.reason, s."rows",
  s.n, c.ns, c.percent, c.ns / b.ns AS beside,
  iif(e.lost > 0, 9e999, e.error) AS error, e.unit, e.lost
FROM own o LEFT JOIN home h ON h.op = o.op AND h.place = 1 LEFT JOIN shapes s ON s.id = h.shape
LEFT JOIN cell c ON c.variant = o.id AND c.shape = h.shape LEFT JOIN best b ON b.op = o.op AND b.shape = h.shape
LEFT JOIN error e ON e.variant = o.id
ORDER BY o.op, o.algorithm, o.isa DESC, c.ns IS NULL, c.ns, o.cc, o.policy;
