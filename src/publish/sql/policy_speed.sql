-- What does each policy buy in speed over off of the same compiler?
-- Over the cells that every policy of the compiler has: the same kernel, ISA and shape, one thread, family normal.
-- Kernels whose machine code is the same under all policies are left out, and counted. Policies of the same code in a
-- cell have the time of the first of them there, so that equal code has equal figures. Each operation weighs the same.
-- cc, policy, op: names; op is NULL for all operations together. speed, low, high: of time(off) / time(policy).
-- cells, same_code: counts, and of these with off's code. kernels, unchanged: those (of one ISA) in the figure, and those
-- that no policy changes. operations: a count. left_out: cells whose processes are divided (two modes). same_code_as:
-- the first policy with the same code in every cell.
WITH
timed AS MATERIALIZED (SELECT * FROM temp.policy_cells JOIN temp.counted USING (op, algorithm)),
common AS MATERIALIZED (
  SELECT cc, policy, rank, op, algorithm, isa, shape, first_value(ns) OVER same AS ns,
    first_value(policy) OVER same AS first
  FROM (SELECT *, count(*) OVER (PARTITION BY cc, op, algorithm, isa, shape) AS has FROM timed)
  JOIN (SELECT cc, count(DISTINCT policy) AS policies FROM timed GROUP BY cc) USING (cc)
  WHERE has = policies
  WINDOW same AS (PARTITION BY cc, op, algorithm, isa, shape, coalesce(hash, policy) ORDER BY rank)),
kernel AS MATERIALIZED (
  SELECT cc, op, algorithm, isa, count(DISTINCT first) > 1 AS acts FROM common GROUP BY cc, op, algorithm, isa),
operation AS MATERIALIZED (
  SELECT p.cc, p.policy, p.op, count(*) AS cells, sum(p.first = o.first) AS same_code,
    count(DISTINCT p.algorithm || ' ' || p.isa) AS kernels, by_process(p.ns, iif(p.first = o.first, p.ns, o.ns)) AS speed,
    sum(p.first <> o.first AND ratio(p.ns, o.ns) IS NULL) AS left_out
  FROM common p JOIN common o USING (cc, op, algorithm, isa, shape) JOIN kernel USING (cc, op, algorithm, isa)
  WHERE o.policy = 'off' AND acts GROUP BY p.cc, p.policy, p.op),
figure AS MATERIALIZED (
  SELECT cc, policy, op, cells, same_code, kernels, 1 AS operations, speed, left_out FROM operation
  UNION ALL
  SELECT cc, policy, NULL, sum(cells), sum(same_code), sum(kernels), count(*), by_process(speed), sum(left_out)
  FROM operation GROUP BY cc, policy
  UNION ALL -- a compiler whose policies all give the same code
  SELECT DISTINCT cc, policy, NULL, 0, 0, 0, 0, '[1]', 0 FROM common WHERE cc NOT IN (SELECT cc FROM operation)),
code AS MATERIALIZED (
  SELECT cc, policy, rank, digest(hash_of(op, algorithm, isa, shape, first)) AS code FROM common GROUP BY cc, policy)
SELECT f.cc, f.policy, f.op, ratio(speed) AS speed, ratio_low(speed) AS low, ratio_high(speed) AS high, cells,
  same_code, kernels, (SELECT count(*) FROM kernel k WHERE k.cc = f.cc AND NOT acts AND (f.op IS NULL OR k.op = f.op))
  AS unchanged, operations, left_out,
  first_value(f.policy) OVER (PARTITION BY f.cc, f.op, code ORDER BY c.rank) AS same_code_as
FROM figure f JOIN code c USING (cc, policy)
WHERE EXISTS (SELECT 1 FROM common o WHERE o.cc = f.cc AND o.policy = 'off');
