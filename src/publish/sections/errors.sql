-- SPDX-License-Identifier: MIT
-- Every error: the page's script builds the table from the page's data (site/report_page.sql).
SELECT 0 AS "words|p50, p99 and p99.99: percentiles of the error, each the largest over the row lengths."
  FROM error_variants LIMIT 1;
SELECT 'errors' AS chart, 'Median, 99th and 99.99th percentile and maximum of the error' AS label FROM error_variants
  LIMIT 1;
SELECT 0 AS "words|Largest error in ULP by input family, over every row length." FROM error_variants LIMIT 1;
SELECT 'error-table' AS data FROM error_variants LIMIT 1;
SELECT printf('The errors of %d variants are from an emulated CPU (%s): this CPU lacks their ISA, and they have '
  || 'no times.', count(DISTINCT variant), substr(reason, 11)) AS words
FROM errors e JOIN error_variants ev ON ev.error = e.id WHERE reason LIKE 'emulated: %' HAVING count(*) > 0;
