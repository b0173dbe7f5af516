-- SPDX-License-Identifier: MIT
-- Kernels that exist in fp32 and in double, side by side: what double costs, and whether a policy pays there, too. Each
-- figure of one type is over cells of that type alone, at the one shape that all operations have (home).
CREATE TEMP TABLE typed AS
SELECT t.run, t.variant, t.op, t.algorithm, t.dtype, t.isa, t.cc, t.policy, t.ns, t.times, t.hash, t.shape, s.error,
  s.judged, s.hazard, s.unit
FROM timed t JOIN summary s USING (run, variant) JOIN home h ON h.run = t.run AND h."rows" = t."rows" AND h.n = t.n
WHERE t.threads = 1 AND t.family = 'normal' AND NOT t.library AND t.dtype IN ('f32', 'f64')
  AND EXISTS(SELECT 1 FROM named d WHERE d.op = t.op AND d.algorithm = t.algorithm AND d.dtype = 'f64');
-- speed, low, high: of time(off) over time(policy) as in policy_gains, over the cells whose machine code the policy
-- changes in that type; NULL where it changes none. code: plain loops or intrinsics.
CREATE TEMP VIEW type_gains AS
WITH pair AS (
  SELECT p.run, p.cc, p.policy, p.dtype, iif(p.algorithm = 'plain', 'plain loops', 'intrinsics') AS code, p.op, p.times,
    o.times AS off_times, coalesce(p.hash = o.hash, 0) AS same
  FROM typed p JOIN typed o ON o.run = p.run AND o.op = p.op AND o.algorithm = p.algorithm AND o.dtype = p.dtype
    AND o.isa = p.isa AND o.cc = p.cc AND o.shape = p.shape AND o.policy = 'off'
  WHERE p.policy <> 'off' AND NOT p.hazard AND p.isa <> 'scalar'),
one AS (SELECT run, cc, policy, dtype, code, op, by_process(times, off_times) FILTER (WHERE NOT same) AS speed,
    sum(NOT same) AS cells FROM pair GROUP BY run, cc, policy, dtype, code, op)
SELECT run, cc, policy, dtype, code, ratio(by_process(speed)) AS speed, ratio_low(by_process(speed)) AS low,
  ratio_high(by_process(speed)) AS high, sum(cells) AS cells FROM one GROUP BY run, cc, policy, dtype, code;
-- The same as words, a row of both types.
CREATE TEMP VIEW type_lines AS
WITH text AS (SELECT *, iif(cells, printf('%.3f', speed) || coalesce(printf(' [%.3f, %.3f]', low, high), '')
    || printf(', %d cells', cells), 'the code of off') AS text FROM temp.type_gains)
SELECT d.cc, d.policy, d.code, coalesce(f.text, '-') AS fp32, d.text AS double
FROM text d LEFT JOIN text f ON f.run = d.run AND f.cc = d.cc AND f.policy = d.policy AND f.code = d.code
  AND f.dtype = 'f32'
WHERE d.dtype = 'f64' ORDER BY d.cc, d.code, instr(' on fast default reassoc fastmath ', ' ' || d.policy || ' ');
