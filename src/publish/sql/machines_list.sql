-- SPDX-License-Identifier: MIT
-- The machines by pace, from both ends where they are many.
-- pace: the geometric mean of the times over all machines' mean. gain: speed of AVX-512 over AVX2. Limits of one
-- thread.
WITH placed AS (SELECT *, row_number() OVER (ORDER BY pace IS NULL, pace, side) AS place, count(*) OVER () AS sides
  FROM temp.sides LEFT JOIN temp.paces USING (side))
SELECT p.name AS "machine|`%s`", p.brand AS "CPU", digits(p.pace, 3) AS "?time over the mean",
  (SELECT gain FROM temp.side_gains g WHERE g.op IS NULL AND g.side = p.side) AS "?AVX-512 over AVX2|%.3g",
  m.dram AS "?DRAM read, GB/s|%.3g", m.flops AS "?GFLOP/s|%.3g",
  printf('%d of %d', c.compared, c.cells) AS "cells that compare"
FROM placed p JOIN temp.counts c USING (side) JOIN temp.side_limits m USING (side)
  WHERE place <= 10 OR place > sides - 10 ORDER BY place;
