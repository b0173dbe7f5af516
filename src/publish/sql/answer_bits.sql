-- What do equal bits cost? The kernels `invariant` give the same bits on every ISA, by every compiler and policy.
-- At each shape on each ISA the fastest build of theirs over the fastest of all other kernels that are advised
-- (temp.advised): fp32, one thread, family normal. Each operation weighs the same.
-- cost, low, high: of time(invariant) / time(other). contests, won, operations: counts; won: where it is no slower.
WITH
cell AS (
  SELECT v.op, v.isa, c.shape, v.algorithm IN ('invariant', 'best') AS invariant, c.ns AS median,
    coalesce(d.low_ns, d.medians_ns, json_array(c.ns)) AS ns
  FROM cells c CROSS JOIN cell_details d USING (blob, variant, shape) JOIN variants v ON v.id = c.variant
  JOIN shapes s ON s.id = c.shape
  WHERE c.variant IN (SELECT variant FROM temp.advised) AND v.dtype = 'f32' AND v.cc <> 'lib' AND v.isa <> 'scalar'
    AND s.threads = 1 AND s.family = 'normal' AND c.ns > 0),
best AS (
  SELECT op, isa, shape, invariant, ns FROM (SELECT *, row_number() OVER (PARTITION BY op, isa, shape, invariant
    ORDER BY median) AS place FROM cell) WHERE place = 1),
operation AS (
  SELECT i.op, count(*) AS contests, sum(ratio(o.ns, i.ns) <= 1) AS won, by_process(o.ns, i.ns) AS cost
  FROM best i JOIN best o USING (op, isa, shape) WHERE i.invariant AND NOT o.invariant GROUP BY i.op)
SELECT ratio(by_process(cost)) AS cost, ratio_low(by_process(cost)) AS low, ratio_high(by_process(cost)) AS high,
  sum(contests) AS contests, sum(won) AS won, count(*) AS operations
FROM operation HAVING count(*) > 0;
