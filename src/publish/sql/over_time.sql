-- SPDX-License-Identifier: MIT
-- How did one variant go over time, at the shape that most runs have?
-- ns: per element, with its interval of 95%.
WITH one AS (SELECT * FROM timings WHERE threads = 1 AND family = 'normal'
  AND variant = 'softmax/threepass/dtype=f32/isa=avx2/cc=gcc-12/policy=off')
SELECT started, machine, "commit", "rows", n, ns, low, high FROM one
WHERE ("rows", n) IN (SELECT "rows", n FROM one
  GROUP BY "rows", n ORDER BY count(*) DESC, "rows" * n LIMIT 1)
ORDER BY began, machine;
