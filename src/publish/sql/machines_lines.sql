-- SPDX-License-Identifier: MIT
-- temp.lines by their names. A race is of builds that differ in compiler and policy alone; place 1 has the one that
-- stands for them: one that promises something, then the one that more sides ran, then the faster. kin: of builds that
-- differ in the policy alone.
CREATE TEMP TABLE builds AS
SELECT l.line, l.variant, v.op || iif(v.dtype = 'f32', '', ' ' || v.dtype) AS op, v.op AS function, v.algorithm, v.dtype,
  v.isa, v.cc, v.policy, k.n, k.threads, k.family, l.key, l.level, l.sides, e.hazard, e.wrong, e.low, e.high,
  p.promises AND NOT coalesce(e.hazard, 0) AS promises, count(*) OVER race AS builds,
  row_number() OVER (race ORDER BY p.promises AND NOT coalesce(e.hazard, 0) DESC, l.sides DESC, l.mean, v.variant) AS place,
  CAST(first_value(l.line) OVER (race ORDER BY p.promises AND NOT coalesce(e.hazard, 0) DESC, l.sides DESC, l.mean,
    v.variant) AS INTEGER) AS race, -- an index needs a type
  min(l.line) OVER (PARTITION BY v.op, v.dtype, v.algorithm, v.isa, v.cc, l.key, l.level) AS kin
FROM temp.lines l JOIN variants v ON v.id = l.variant JOIN temp.keys k USING (key)
JOIN (SELECT policy, promises(policy) OR policy = 'lib' AS promises FROM (SELECT DISTINCT policy FROM variants)) p USING (policy)
LEFT JOIN temp.variant_errors e ON e.variant = l.variant
WINDOW race AS (PARTITION BY v.op, v.dtype, v.algorithm, v.isa, l.key, l.level);
CREATE INDEX temp.builds_of_races ON builds(race);

CREATE TEMP TABLE paces AS
SELECT key AS side, value AS pace FROM json_each((SELECT paces(cells) FROM temp.lines JOIN temp.builds USING (line)
WHERE line = race AND lines.sides > 1));
CREATE TEMP TABLE wider AS
SELECT w.op, n.line AS narrow, w.line AS wide FROM temp.builds w JOIN temp.builds n ON n.isa = 'avx2' AND n.op = w.op
  AND n.algorithm = w.algorithm AND n.cc = w.cc AND n.policy = w.policy AND n.key = w.key AND n.level = w.level
WHERE w.isa = 'avx512';
CREATE TEMP TABLE side_gains AS
SELECT op, (SELECT gains(a.cells, b.cells) FROM temp.wider w JOIN temp.lines a ON a.line = w.narrow
  JOIN temp.lines b ON b.line = w.wide WHERE o.op IS NULL OR w.op = o.op) AS gains
FROM (SELECT DISTINCT op FROM temp.wider UNION ALL SELECT NULL) o ORDER BY op;
