-- What does each policy change in errors and bits, kernel by kernel, against off of the same compiler?
-- Over the accuracy cells that every policy of the compiler has: the same kernel, ISA, family and row length; without
-- hazards. A kernel's error is its largest on family normal, in ulp, or u where results come near zero; below 0.5, which
-- a correctly rounded result may have, it counts as 0.5.
-- cc, policy, op: names; op is NULL for all operations together. error: geometric mean over kernels of error(policy) / error(off). worst, worst_kernel, worst_error,
-- worst_off, unit: the largest such ratio, whose it is, and the two errors. kernels, changed: counts, and of these whose
-- bits are not off's. lost, losing: results that off computes and the policy does not, and in how many kernels.
-- broken: kernels that break a promise, in any cell. max_ulp, mean_ulp: over the operations with errors in ulp. same_bits_as: the first
-- policy with the same bits everywhere.
WITH
error AS MATERIALIZED (
  SELECT * FROM temp.policy_errors JOIN temp.counted USING (op, algorithm)
  WHERE variant NOT IN (SELECT variant FROM temp.hazards)),
common AS MATERIALIZED (
  SELECT * FROM (SELECT *, count(*) OVER (PARTITION BY cc, op, algorithm, isa, family, n, inputs) AS has FROM error)
  JOIN (SELECT cc, count(DISTINCT policy) AS policies FROM error GROUP BY cc) USING (cc) WHERE has = policies),
kernel AS MATERIALIZED (
  SELECT cc, policy, op, algorithm, isa, max(near_zero) AS near_zero,
    max(0.5, max(CASE WHEN family <> 'normal' THEN NULL WHEN lost > 0 THEN 9e999
                      WHEN near_zero THEN scaled_error ELSE max_ulp END)) AS error,
    sum(lost) AS lost, digest(hash_of(family, n, inputs, bits)) AS bits,
    max(iif(lost > 0, 9e999, max_ulp)) FILTER (WHERE family = 'normal' AND NOT near_zero) AS max_ulp,
    avg(mean_ulp) FILTER (WHERE family = 'normal' AND NOT near_zero) AS mean_ulp
  FROM common GROUP BY cc, policy, op, algorithm, isa),
pair AS MATERIALIZED (
  SELECT k.*, o.error AS off, iif(k.error = o.error, 1, k.error / o.error) AS ratio,
    max(0, k.lost - o.lost) AS newly_lost, k.bits <> o.bits AS changed
  FROM kernel k JOIN kernel o USING (cc, op, algorithm, isa) WHERE o.policy = 'off'),
fallen AS MATERIALIZED (
  SELECT cc, policy, op, count(DISTINCT algorithm || ' ' || isa) AS kernels FROM error
  WHERE status NOT IN ('ok', 'interrupted') GROUP BY cc, policy, op),
each AS (SELECT op AS of, * FROM pair UNION ALL SELECT NULL, * FROM pair),
bits AS MATERIALIZED (
  SELECT cc, policy, digest(hash_of(op, algorithm, isa, bits)) AS bits FROM kernel GROUP BY cc, policy),
worst AS (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY of, cc, policy ORDER BY ratio DESC, op, algorithm, isa)
    AS place FROM each) WHERE place = 1)
SELECT e.cc, e.policy, e.of AS op, geomean(e.ratio) AS error, w.ratio AS worst,
  w.op || '/' || w.algorithm || ' ' || w.isa AS worst_kernel, w.error AS worst_error, w.off AS worst_off,
  iif(w.near_zero, 'u', 'ulp') AS unit, count(*) AS kernels, sum(e.changed) AS changed, sum(e.newly_lost) AS lost,
  sum(e.newly_lost > 0) AS losing,
  (SELECT coalesce(sum(f.kernels), 0) FROM fallen f WHERE f.cc = e.cc AND f.policy = e.policy AND (e.of IS NULL OR
    f.op = e.of)) AS broken, max(e.max_ulp) AS max_ulp, avg(e.mean_ulp) AS mean_ulp,
  first_value(e.policy) OVER (PARTITION BY e.cc, e.of, b.bits ORDER BY r.rank) AS same_bits_as
FROM each e JOIN worst w ON w.cc = e.cc AND w.policy = e.policy AND w.of IS e.of
JOIN bits b ON b.cc = e.cc AND b.policy = e.policy JOIN temp.policy_ranks r ON r.policy = e.policy
GROUP BY e.cc, e.policy, e.of;
