-- SPDX-License-Identifier: MIT
-- How did one cell go over time?
-- ns: per element, with its interval of 95%.
SELECT started, "commit", ns, low, high FROM timings
WHERE variant = 'softmax/threepass/dtype=f32/isa=avx2/cc=gcc-12/policy=off'
  AND "rows" = 64 AND n = 64 AND threads = 1 AND family = 'normal'
ORDER BY started, machine;
