-- SPDX-License-Identifier: MIT
-- What did gcc 12 to 13 change (the compilers' names, in one run)?
-- ratio: time by gcc-13 over time by gcc-12, the geometric mean over the cells that both have.
SELECT x.machine, x.op, count(*) AS cells, geomean(y.ns / x.ns) AS ratio FROM timings x
JOIN timings y ON y.run = x.run AND y.op = x.op AND y.algorithm = x.algorithm
  AND y.dtype = x.dtype AND y.isa = x.isa AND y.policy = x.policy AND y."rows" = x."rows"
  AND y.n = x.n AND y.threads = x.threads AND y.family = x.family
WHERE x.cc = 'gcc-12' AND y.cc = 'gcc-13' GROUP BY x.machine, x.op ORDER BY ratio DESC;
