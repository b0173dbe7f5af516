-- SPDX-License-Identifier: MIT
-- Builds with equal machine code for which one policy is the fastest on one machine, and another policy on another
-- machine. gain: how much longer the other machine's policy takes, with its interval, which is above 1 on both. Among
-- several pairs of machines the one with the largest gain. Only policies that promise something.
WITH fastest AS (
  SELECT b.*, c.side, c.ns, c.times, c.shape, c.hash, row_number() OVER (PARTITION BY kin, side ORDER BY ns) AS rank
  FROM temp.builds b JOIN temp.side_cells c USING (line) WHERE b.promises AND b.sides > 1),
best AS MATERIALIZED (SELECT * FROM fastest WHERE rank = 1),
gain AS MATERIALIZED (
  SELECT x.kin, x.line, x.side, y.side AS other, x.policy, ratio(x.times, o.times) AS value,
  ratio_low(x.times, o.times) AS low,
    ratio_high(x.times, o.times) AS high
  FROM best x JOIN best y ON y.kin = x.kin AND y.line <> x.line
    JOIN temp.side_cells o ON o.line = y.line AND o.side = x.side
  WHERE o.shape = x.shape AND o.hash IS NOT x.hash),
pair AS (
  SELECT g.*, h.policy AS policy2, h.value AS value2, h.low AS low2, h.high AS high2,
    row_number() OVER (PARTITION BY g.kin ORDER BY min(g.value, h.value) DESC, g.side) AS place
  FROM gain g JOIN gain h ON h.kin = g.kin AND h.side = g.other AND h.other = g.side AND g.side < h.side
  WHERE g.low > 1 AND h.low > 1)
SELECT b.op AS row_op, b.cc AS row_cc, b.op AS "kernel|%s `%s`", b.algorithm, b.isa AS "ISA", b.cc AS compiler,
  'n=' || b.n || ' ' || b.level || iif(b.threads = 1, '', ', ' || b.threads || ' threads')
    || iif(b.family = 'normal', '', ', ' || b.family) AS shape,
  s.name AS "on", p.policy AS "fastest|`%s`", printf('%.2f [%.2f, %.2f]', p.value, p.low, p.high) AS gain,
  t.name AS "on", p.policy2 AS "fastest|`%s`",
  printf('%.2f [%.2f, %.2f]', p.value2, p.low2, p.high2) AS gain
FROM pair p JOIN temp.builds b USING (line) JOIN temp.sides s ON s.side = p.side JOIN temp.sides t ON t.side = p.other
WHERE p.place = 1 ORDER BY min(p.value, p.value2) DESC, p.kin LIMIT 60;
