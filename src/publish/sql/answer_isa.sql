-- What does the vector's width buy? Over the cells that both ISAs have: the same kernel, compiler, policy and shape,
-- fp32, one thread, family normal. Each operation weighs the same.
-- wide, narrow: ISAs. speed, low, high: of time(narrow) / time(wide). cells, operations: counts.
WITH
cell AS (
  SELECT v.op, v.algorithm, v.isa, v.cc, v.policy, c.shape, coalesce(d.low_ns, d.medians_ns, json_array(c.ns)) AS ns
  FROM cells c CROSS JOIN cell_details d USING (blob, variant, shape) JOIN variants v ON v.id = c.variant
  JOIN shapes s ON s.id = c.shape
  WHERE v.dtype = 'f32' AND v.cc <> 'lib' AND s.threads = 1 AND s.family = 'normal' AND c.ns > 0),
pair(wide, narrow) AS (VALUES('avx512', 'avx2'), ('avx2', 'scalar')),
operation AS (
  SELECT p.wide, p.narrow, w.op, count(*) AS cells, by_process(w.ns, n.ns) AS speed
  FROM pair p JOIN cell w ON w.isa = p.wide
  JOIN cell n ON n.isa = p.narrow AND n.op = w.op AND n.algorithm = w.algorithm AND n.cc = w.cc AND n.policy = w.policy
    AND n.shape = w.shape
  GROUP BY p.wide, p.narrow, w.op)
SELECT wide, narrow, ratio(by_process(speed)) AS speed, ratio_low(by_process(speed)) AS low,
  ratio_high(by_process(speed)) AS high, sum(cells) AS cells, count(*) AS operations
FROM operation GROUP BY wide, narrow ORDER BY wide DESC;
