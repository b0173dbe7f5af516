-- SPDX-License-Identifier: MIT
-- The fastest softmax within 4 ulp per CPU, at each shape that is in L1.
-- ns: per element. max_ulp: on family normal.
SELECT t.machine, t."rows", t.n, t.variant, min(t.ns) AS ns, a.max_ulp FROM timings t
JOIN accuracies a ON a.run = t.run AND a.variant = t.variant
WHERE t.op = 'softmax' AND t.threads = 1 AND t.residency = 'L1' AND t.family = 'normal'
  AND a.max_ulp <= 4 AND a.hazard = 0
GROUP BY t.machine, t."rows", t.n ORDER BY 1, 2, 3;
