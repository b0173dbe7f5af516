-- SPDX-License-Identifier: MIT
-- temp.lines by their names. A race is of builds that differ in compiler and policy alone; place 1 has the one that
-- stands for them: one that promises something, then the one that more sides ran, then the faster. kin: of builds that
-- differ in the policy alone.
CREATE TEMP TABLE builds AS
SELECT l.line, l.variant, v.op || iif(v.dtype = 'f32', '', ' ' || v.dtype) AS op, v.op AS function, v.algorithm,
  v.dtype, v.isa, v.cc, v.policy, k.n, k.threads, k.family, l.key, l.level, l.sides, e.hazard, e.wrong, e.low, e.high,
  e.judged, p.promises AND NOT coalesce(e.hazard, 0) AS promises, count(*) OVER race AS builds,
  row_number() OVER (race ORDER BY p.promises AND NOT coalesce(e.hazard, 0) DESC, l.sides DESC, l.mean,
    v.variant) AS place,
  CAST(first_value(l.line) OVER (race ORDER BY p.promises AND NOT coalesce(e.hazard, 0) DESC, l.sides DESC, l.mean,
    v.variant) AS INTEGER) AS race, -- an index needs a type
  min(l.line) OVER (PARTITION BY v.op, v.dtype, v.algorithm, v.isa, v.cc, l.key, l.level) AS kin
FROM temp.lines l JOIN variants v ON v.id = l.variant JOIN temp.keys k USING (key)
JOIN (SELECT policy, promises(policy) OR policy = 'lib' AS promises FROM (SELECT DISTINCT policy FROM variants)) p
  USING (policy)
LEFT JOIN temp.variant_errors e ON e.variant = l.variant
WINDOW race AS (PARTITION BY v.op, v.dtype, v.algorithm, v.isa, l.key, l.level);
CREATE INDEX temp.builds_of_races ON builds(race);

-- paces: the geometric mean of a side's times over those of all sides.
CREATE TEMP TABLE paces AS
SELECT c.side, exp(avg(ln(c.ns) - l.mean)) AS pace FROM temp.lines l JOIN temp.builds b USING (line)
JOIN temp.line_cells c USING (line) WHERE line = race AND b.sides > 1 GROUP BY c.side;

-- race_winners: on how many sides each policy has the fastest build of a race, of those that promise something:
-- "off 3, fast 1".
CREATE TEMP TABLE race_winners(race INTEGER PRIMARY KEY, text TEXT);
INSERT INTO race_winners
WITH fastest AS (SELECT b.race, b.policy, b.place, min(c.ns) FROM temp.builds b JOIN temp.line_cells c USING (line)
  WHERE b.promises GROUP BY b.race, c.side)
SELECT race, group_concat(policy || ' ' || wins, ', ') FROM (SELECT race, policy, count(*) AS wins FROM fastest
  GROUP BY race, policy ORDER BY race, wins DESC, min(place)) GROUP BY race;

-- Of one thread, in GB/s and GFLOP/s.
CREATE TEMP VIEW side_limits AS
SELECT s.side, max(value) FILTER (WHERE level = 'L1' AND l.name LIKE 'load-%') / 1e9 AS load1,
  max(value) FILTER (WHERE level = 'DRAM' AND l.name LIKE 'load-%') / 1e9 AS dram,
  max(value) FILTER (WHERE unit = 'FLOP/s') / 1e9 AS flops
FROM temp.sides s LEFT JOIN limits l ON l.blob = s.timing AND l.threads = 1 GROUP BY s.side;
