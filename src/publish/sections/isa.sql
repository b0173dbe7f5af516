-- SPDX-License-Identifier: MIT
-- What does a wider ISA buy, by operation? Same kernel, compiler, policy and shape.
SELECT 0 AS "words|Speed of the first relative to the second, same kernel, compiler, policy and shape: geometric mean (middle
  90%%)." FROM groups LIMIT 1;

WITH step(narrow, wide, name, place) AS (VALUES('scalar', 'avx2', 'AVX2 / scalar', 1),
    ('avx2', 'avx512', 'AVX-512 / AVX2', 2), ('scalar', 'avx512', 'AVX-512 / scalar', 3)),
cell AS MATERIALIZED (SELECT run, grp, algorithm, isa, cc, policy, shape, t, low_ns FROM timed WHERE NOT library AND isa IN ('scalar', 'avx2', 'avx512')),
pair AS MATERIALIZED (
  SELECT w.grp, s.name, 1 / pair(n.t, w.t) AS speed, pair_sided(n.t, w.t) AS sided, w.low_ns AS wide, n.low_ns AS narrow
  FROM step s JOIN cell w ON w.isa = s.wide JOIN cell n ON n.isa = s.narrow AND n.grp = w.grp AND n.shape = w.shape
    AND n.algorithm = w.algorithm AND n.cc = w.cc AND n.policy = w.policy AND n.run = w.run),
gain AS (
  SELECT grp, name, iif(min(sided), ratio(by_process(wide, narrow)), geomean(speed)) AS speed,
    exp(quantile(ln(speed), 0.05)) AS low, exp(quantile(ln(speed), 0.95)) AS high
  FROM pair WHERE speed IS NOT NULL GROUP BY grp, name)
SELECT g.grp AS row_op, 'matrix' AS style, g.grp AS operation, s.name AS across, s.place AS place,
  heat(x.speed) AS "|{}**%.3f** ~(%.2f to %.2f)~", x.speed, x.low, x.high
FROM groups g JOIN step s LEFT JOIN gain x ON x.grp = g.grp AND x.name = s.name ORDER BY g.place, s.place;
