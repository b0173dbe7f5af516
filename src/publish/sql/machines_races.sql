-- SPDX-License-Identifier: MIT
-- Which build has the least mean time per element over machines, for each operation and level of memory, on one thread?
-- Builds count that at least half of the machines ran.
-- policies: which policy has the fastest build, on how many machines.
SELECT op AS operation, level AS "in", algorithm || ' ' || isa || ' ' || cc || ' ' || policy || ', n=' || n AS build,
  sides AS machines,
  digits(spread(cells, 0), 3) AS "least ns", digits(spread(cells, 0.5), 3) AS "median ns",
  digits(spread(cells, 1), 3) AS
  "most ns", (SELECT winners(o.policy, k.cells) FROM temp.builds o
    JOIN temp.lines k USING (line) WHERE o.race = best.line AND o.promises) AS "?fastest policy, on how many"
FROM (SELECT b.*, l.cells, row_number() OVER (PARTITION BY b.op, b.level ORDER BY l.mean, b.line) AS rank
  FROM temp.builds b JOIN temp.lines l USING (line)
  WHERE b.line = b.race AND b.threads = 1 AND 2 * b.sides >= (SELECT count(*) FROM temp.sides)) best
WHERE rank = 1 ORDER BY op, instr('L1 L2 L3 DRAM', level);
