-- SPDX-License-Identifier: MIT
-- Whose bits changed on the same inputs?
-- before, later: when the two runs began between which they did.
SELECT machine, variant, before, started AS later FROM (SELECT machine, variant, started, bits, grid,
  lag(started) OVER w AS before, lag(bits) OVER w AS old_bits, lag(grid) OVER w AS old_grid
  FROM accuracies WINDOW w AS (PARTITION BY machine, variant ORDER BY began))
WHERE grid = old_grid AND bits <> old_bits ORDER BY variant, started;
