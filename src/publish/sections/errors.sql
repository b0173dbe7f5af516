-- SPDX-License-Identifier: MIT
-- Every error: the page's script builds the table from the page's data (site/report_page.sql).
SELECT 0 AS "words|Half of the elements are better than p50, one in a hundred is worse than p99, one in ten thousand
  worse than p99.99; each the largest over the row lengths." FROM error_variants LIMIT 1;
SELECT 'errors' AS chart, 'Median, 99th and 99.99th percentile and maximum of the error' AS label FROM error_variants
  LIMIT 1;
SELECT 0 AS "words|Largest error in ULP by input family, over every row length." FROM error_variants LIMIT 1;
SELECT 'error-table' AS data FROM error_variants LIMIT 1;
SELECT printf('The errors of %d variants are of an emulated CPU (%s): this one lacks their ISA, and has no times of '
  || 'them.', count(DISTINCT variant), substr(reason, 11)) AS words
FROM errors e JOIN error_variants ev ON ev.error = e.id WHERE reason LIKE 'emulated: %' HAVING count(*) > 0;
