-- SPDX-License-Identifier: MIT
-- Which build has the least mean time per element over machines, for each operation and level of memory, on one thread?
-- Builds count that at least half of the machines ran.
-- policies: which policy has the fastest build, on how many machines.
WITH best AS (
  SELECT * FROM (SELECT b.*, row_number() OVER (PARTITION BY b.op, b.level ORDER BY l.mean, b.line) AS rank
    FROM temp.builds b JOIN temp.lines l USING (line)
    WHERE b.line = b.race AND b.threads = 1 AND 2 * b.sides >= (SELECT count(*) FROM temp.sides)) WHERE rank = 1),
time AS MATERIALIZED (SELECT line, ns, row_number() OVER (PARTITION BY line ORDER BY ns) - 1 AS at
  FROM best JOIN temp.line_cells USING (line))
SELECT op AS operation, level AS "in", algorithm || ' ' || isa || ' ' || cc || ' ' || policy || ', n=' || n AS build,
  sides AS machines, digits(min(ns), 3) AS "least ns", digits(max(ns) FILTER (WHERE at = sides / 2), 3) AS "median ns",
  digits(max(ns), 3) AS "most ns", w.text AS "?fastest policy, on how many"
FROM best JOIN time USING (line) LEFT JOIN temp.race_winners w USING (race)
GROUP BY line ORDER BY op, instr('L1 L2 L3 DRAM', level);
