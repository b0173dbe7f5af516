-- SPDX-License-Identifier: MIT
-- Every time: the page's script builds the table from the page's data (site/report_page.sql).
SELECT 0 AS "words|The fastest build per kernel and ISA at each shape. ""%% of limit"" is the shortest time that this
  core's arithmetic or bandwidth, measured in the same run, allows, over the measured time; ""per vector"" has the
  instructions that the kernel counts, and its lanes." FROM cells JOIN named USING (variant) WHERE NOT library LIMIT 1;
SELECT 'speed' AS chart, 'Time per element against the size of the data, with the machine''s limits' AS label
FROM cells JOIN named USING (variant) WHERE NOT library LIMIT 1;
SELECT 'time-table' AS data FROM cells JOIN named USING (variant) WHERE NOT library LIMIT 1;
