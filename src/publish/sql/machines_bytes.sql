-- SPDX-License-Identifier: MIT
-- How many bytes an element of a kernel reads and writes, which is the same on every machine: of an archive as it stands,
-- out of the records of the runs with the most cells.
CREATE TEMP TABLE bytes(variant INTEGER PRIMARY KEY, bytes REAL);
INSERT OR IGNORE INTO bytes SELECT l.variant, max(c.bytes) FROM temp.side_cells c JOIN temp.lines l USING (line)
WHERE c.bytes > 0 GROUP BY l.variant;
INSERT OR IGNORE INTO bytes
SELECT v.id, max((value ->> 'gb_per_s') * (value ->> 'ns_per_element')) AS bytes
FROM (SELECT s.run FROM temp.sides s JOIN temp.counts USING (side), temp.exact WHERE NOT exact ORDER BY cells DESC, side LIMIT 2),
  json_each('[' || replace(rtrim(file_of(run, 'timing.jsonl'), char(10)), char(10), ',') || ']')
JOIN variants v ON v.variant = value ->> 'variant' WHERE value ->> 'gb_per_s' > 0 GROUP BY v.id;
