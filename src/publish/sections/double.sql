-- SPDX-License-Identifier: MIT
-- What does double cost, and does a policy pay there as it does in fp32? Each figure of one type is over cells of that
-- type alone.
CREATE TEMP TABLE IF NOT EXISTS typed AS
SELECT t.run, t.variant, t.op, t.algorithm, t.dtype, t.isa, t.cc, t.policy, t.ns, t.times, t.hash, t.shape, s.error,
  s.judged, s.hazard, s.unit
FROM timed t JOIN summary s USING (run, variant) JOIN home h ON h."rows" = t."rows" AND h.n = t.n
WHERE t.threads = 1 AND t.family = 'normal' AND NOT t.library AND t.dtype IN ('f32', 'f64')
  AND EXISTS(SELECT 1 FROM named d WHERE d.op = t.op AND d.algorithm = t.algorithm AND d.dtype = 'f64');
SELECT h."rows" AS "words|The kernels that exist in both types, at %d rows of %d: an element of double has twice the
  bytes, and a vector holds half as many, so that twice the time is what double costs where vectors bound it. ulp and u
  are those of the type. Under each policy: the geometric mean of its speed over `off` [95%%], of cells whose machine
  code the policy changes in that type.", h.n FROM home h WHERE EXISTS(SELECT 1 FROM typed WHERE dtype = 'f64');

WITH best AS (SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY run, op, algorithm, dtype, isa
    ORDER BY ns, variant) AS k FROM typed WHERE policy = 'off' AND ns > 0) WHERE k = 1)
SELECT d.op AS operation, d.algorithm AS "kernel|`%s`%s", iif(d.hazard, ' (hazard)', ''), d.isa AS "ISA",
  f.ns AS "fp32: ns/element|%.3f", d.ns AS "double: ns/element|%.3f", digits(d.ns / f.ns, 3) AS "double / fp32",
  digits(f.error, 3) || ' ' || f.unit AS "fp32: max error", digits(d.error, 3) || ' ' || d.unit AS "double: max error"
FROM best d LEFT JOIN best f ON f.run = d.run AND f.op = d.op AND f.algorithm = d.algorithm AND f.isa = d.isa
  AND f.dtype = 'f32'
LEFT JOIN groups g ON g.grp = d.op WHERE d.dtype = 'f64' ORDER BY g.place, d.op, d.isa, d.ns;

WITH pair AS (
  SELECT p.cc, p.policy, p.dtype, iif(p.algorithm = 'plain', 'plain loops', 'intrinsics') AS kind, p.op, p.times,
    o.times AS off_times, coalesce(p.hash = o.hash, 0) AS same
  FROM typed p JOIN typed o ON o.run = p.run AND o.op = p.op AND o.algorithm = p.algorithm AND o.dtype = p.dtype
    AND o.isa = p.isa AND o.cc = p.cc AND o.shape = p.shape AND o.policy = 'off'
  WHERE p.policy <> 'off' AND NOT p.hazard AND p.isa <> 'scalar'),
one AS (SELECT cc, policy, dtype, kind, op, by_process(times, off_times) FILTER (WHERE NOT same) AS speed,
    sum(NOT same) AS cells FROM pair GROUP BY cc, policy, dtype, kind, op),
figure AS (SELECT cc, policy, dtype, kind, by_process(speed) AS speed, sum(cells) AS cells FROM one
    GROUP BY cc, policy, dtype, kind),
text AS (SELECT *, iif(cells, printf('%.3f', ratio(speed)) || coalesce(printf(' [%.3f, %.3f]', ratio_low(speed),
    ratio_high(speed)), '') || printf(', %d cells', cells), 'the code of off') AS text FROM figure)
SELECT d.cc AS compiler, d.policy, d.kind AS code, coalesce(f.text, '-') AS fp32, d.text AS double
FROM text d LEFT JOIN text f ON f.cc = d.cc AND f.policy = d.policy AND f.kind = d.kind AND f.dtype = 'f32'
WHERE d.dtype = 'f64' ORDER BY d.cc, d.kind, instr(' on fast default reassoc fastmath ', ' ' || d.policy || ' ');
