-- SPDX-License-Identifier: MIT
-- What does AVX-512 buy over AVX2, per CPU and operation?
-- speedup: time by AVX2 over time by AVX-512, the geometric mean over the cells that both have.
SELECT x.machine, x.op, count(*) AS cells, geomean(x.ns / y.ns) AS speedup FROM timings x
JOIN timings y ON y.run = x.run AND y.op = x.op AND y.algorithm = x.algorithm
  AND y.dtype = x.dtype AND y.cc = x.cc AND y.policy = x.policy AND y."rows" = x."rows"
  AND y.n = x.n AND y.threads = x.threads AND y.family = x.family
WHERE x.isa = 'avx2' AND y.isa = 'avx512' GROUP BY x.machine, x.op ORDER BY 1, 2;
