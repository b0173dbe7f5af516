-- SPDX-License-Identifier: MIT
-- The code of a well-known kernel by each compiler, under every policy that its results can depend on: a line per
-- compiler, in the ISA of the widest vectors. Policies with equal machine code refer to the first of them.
WITH
kernel AS (
  SELECT v.isa, v.cc, v.policy, c.*, CASE WHEN c.zmm > 0 THEN 2 WHEN c.ymm > 0 THEN 1 ELSE 0 END AS width FROM codes c
    JOIN variants v ON v.id = c.variant
  WHERE v.op = 'softmax' AND v.algorithm = 'threepass' AND v.dtype = 'f32' AND c.status = 'ok'),
widest AS (SELECT * FROM kernel WHERE width = (SELECT max(width) FROM kernel)),
told AS (
  SELECT *, first_value(policy) OVER (PARTITION BY cc, hash ORDER BY place) AS same FROM widest ORDER BY place)
SELECT 'What the compilers made of softmax/threepass for ' || isa || ':' AS note, 4
FROM (SELECT isa FROM told ORDER BY place LIMIT 1)
UNION ALL SELECT * FROM (
  SELECT '  ' || cc || ': ' || group_concat(policy || iif(same = policy,
    ' ' || fma || ' fma ' || mul || ' mul ' || "add" || ' add', ' = ' || same), ', '), 4
  FROM (SELECT * FROM told ORDER BY cc, place) GROUP BY cc ORDER BY min(place));
