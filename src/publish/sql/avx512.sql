-- SPDX-License-Identifier: MIT
-- What does AVX-512 buy over AVX2, per CPU and operation: the fastest kernel of each?
-- Of builds that promise something, keep it, and are not wrong by design, on one thread and family
-- normal. speedup: time by AVX2 over time by AVX-512, the geometric mean over the shapes that both
-- have; a report also holds kernels to the bar.
WITH best AS (
  SELECT t.run, t.machine, t.op, t.dtype, t."rows", t.n, t.isa, min(t.ns) AS ns FROM timings t
  JOIN accuracies a ON a.run = t.run AND a.variant = t.variant
  WHERE t.isa IN ('avx2', 'avx512') AND t.cc <> 'lib' AND t.threads = 1 AND t.family = 'normal'
    AND promises(t.policy) AND a.hazard = 0 AND a.verdict IS NOT 'broken'
  GROUP BY t.run, t.op, t.dtype, t."rows", t.n, t.isa)
SELECT x.machine, x.op, count(*) AS shapes, geomean(x.ns / y.ns) AS speedup FROM best x
JOIN best y USING (run, op, dtype, "rows", n)
WHERE x.isa = 'avx2' AND y.isa = 'avx512' AND x.dtype = 'f32' GROUP BY x.machine, x.op ORDER BY 1, 2;
