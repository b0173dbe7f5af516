-- SPDX-License-Identifier: MIT
-- Every time: the page's script builds the table from the page's data (site/report_page.sql).
SELECT 0 AS "words|Per kernel and ISA the fastest build at each shape. ""%% of limit"" is the least time that this
  core's arithmetic or bandwidth allows, measured in the same run, over the time taken; ""per vector"" the instructions
  that the kernel counts, and its lanes." FROM cells JOIN named USING (variant) WHERE NOT library LIMIT 1;
SELECT 'speed' AS chart, 'Time per element against the size of the data, with the machine''s limits' AS label
FROM cells JOIN named USING (variant) WHERE NOT library LIMIT 1;
SELECT 'time-table' AS data FROM cells JOIN named USING (variant) WHERE NOT library LIMIT 1;
