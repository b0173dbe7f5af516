-- Which kernel of an operation is the fastest, by class of shapes: short rows (n <= 64), longer ones by where they live?
-- Of the variants that are advised (temp.advised) and were timed at every shape of the class: fp32, one thread, family
-- normal. A shape's time counts relative to the fastest there, so that each weighs the same. Of the winner's builds for
-- its ISA that are within 1% of it the most conservative policy is named, as a clock hardly tells them apart.
-- Operations that a model is made of, in this order.
-- op, class, shapes: names, and how many. algorithm, isa, cc, policy: the winner. ns: per element, geometric mean.
-- percent: of the limit, the mean. error, unit: its largest on family normal, in ulp or u.
WITH
asked(op, place) AS (VALUES('softmax', 1), ('log_softmax', 2), ('logsumexp', 3), ('moments', 4), ('layernorm', 5),
  ('rmsnorm', 6), ('exp', 7), ('log', 8)),
cell AS (
  SELECT v.op, iif(s.n <= 64, 'short rows', c.residency) AS class, c.shape, v.id AS variant, v.algorithm, v.isa, v.cc,
    v.policy, c.ns, c.percent, min(c.ns) OVER (PARTITION BY v.op, c.shape) AS best
  FROM temp.advised a JOIN variants v ON v.id = a.variant JOIN shapes s CROSS JOIN cells c
    ON c.blob IN (SELECT DISTINCT blob FROM cells) AND c.variant = v.id AND c.shape = s.id
  WHERE v.dtype = 'f32' AND v.cc <> 'lib' AND s.threads = 1 AND s.family = 'normal' AND c.ns > 0),
score AS (
  SELECT op, class, variant, algorithm, isa, cc, policy, count(*) AS shapes, geomean(ns / best) AS behind,
    geomean(ns) AS ns, avg(percent) AS percent
  FROM cell GROUP BY op, class, variant),
whole AS (
  SELECT * FROM score JOIN (SELECT op, class, count(DISTINCT shape) AS all_shapes FROM cell GROUP BY op, class)
  USING (op, class) WHERE shapes = all_shapes),
winner AS (
  SELECT op, class, algorithm, isa, behind FROM (
    SELECT *, row_number() OVER (PARTITION BY op, class ORDER BY behind, algorithm = 'best', variant) AS place
    FROM whole) WHERE place = 1),
-- Classes in which the winner of L1 was not timed say nothing about whether it is the fastest there.
told AS (
  SELECT w.* FROM winner w LEFT JOIN winner first ON first.op = w.op AND first.class = 'L1'
  WHERE first.op IS NULL OR EXISTS(SELECT 1 FROM whole x WHERE x.op = w.op AND x.class = w.class AND x.isa = first.isa
    AND replace(x.algorithm, 'best', 'invariant') = replace(first.algorithm, 'best', 'invariant'))),
build AS (
  SELECT w.*, row_number() OVER (PARTITION BY w.op, w.class ORDER BY w.policy = 'default', r.rank, w.behind) AS place
  FROM whole w JOIN told USING (op, class, algorithm, isa) JOIN temp.policy_ranks r USING (policy)
  WHERE w.behind <= told.behind * 1.01)
SELECT op, class, shapes, algorithm, isa, cc, policy, ns, percent,
  (SELECT max(iif(e.near_zero, e.scaled_error, e.max_ulp)) FROM temp.policy_errors e
   WHERE e.variant = build.variant AND e.family = 'normal') AS error,
  (SELECT iif(max(e.near_zero), 'u', 'ulp') FROM temp.policy_errors e WHERE e.variant = build.variant) AS unit
FROM build JOIN asked USING (op) WHERE build.place = 1
ORDER BY asked.place, instr('L1 L2 L3 DRAM short rows', class);
