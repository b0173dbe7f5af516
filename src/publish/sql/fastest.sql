-- SPDX-License-Identifier: MIT
-- The fastest softmax below 2 ulp per CPU, at 64 rows of 64.
-- ns: per element. max_ulp: on family normal.
SELECT t.machine, t.variant, min(t.ns) AS ns, a.max_ulp FROM timings t
JOIN accuracies a ON a.run = t.run AND a.variant = t.variant
WHERE t.op = 'softmax' AND t.threads = 1 AND t.n = 64 AND t."rows" = 64
  AND a.max_ulp < 2 AND a.hazard = 0
GROUP BY t.machine ORDER BY t.machine;
