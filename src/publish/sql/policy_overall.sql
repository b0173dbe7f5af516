-- How fast are the builds of all compilers under all policies, beside off of the first compiler?
-- Over the cells that every compiler has under every policy; else as policy_speed.sql.
-- cc, policy: names; op: NULL. speed, low, high: of time(off of the first) / time(of this one). cells, operations: counts.
WITH
timed AS MATERIALIZED (SELECT *, cc NOT LIKE 'gcc%' AS later FROM temp.policy_cells JOIN temp.counted USING (op, algorithm)),
common AS MATERIALIZED (
  SELECT cc, policy, op, algorithm, isa, shape, first_value(ns) OVER same AS ns
  FROM (SELECT *, count(*) OVER (PARTITION BY op, algorithm, isa, shape) AS has FROM timed)
  WHERE has = (SELECT count(*) FROM (SELECT DISTINCT cc, policy FROM timed))
  WINDOW same AS (PARTITION BY op, algorithm, isa, shape, coalesce(hash, cc || policy) ORDER BY later, cc, rank)),
operation AS MATERIALIZED (
  SELECT p.cc, p.policy, count(*) AS cells, by_process(p.ns, o.ns) AS speed
  FROM common p JOIN common o USING (op, algorithm, isa, shape)
  WHERE o.policy = 'off' AND o.cc = (SELECT cc FROM timed ORDER BY later, cc LIMIT 1)
  GROUP BY p.cc, p.policy, p.op)
SELECT cc, policy, NULL AS op, ratio(by_process(speed)) AS speed, ratio_low(by_process(speed)) AS low,
  ratio_high(by_process(speed)) AS high, sum(cells) AS cells, count(*) AS operations
FROM operation GROUP BY cc, policy;
