-- SPDX-License-Identifier: MIT
-- Every variant: the page's script builds the table from the page's data (site/report_page.sql).
SELECT "rows" AS "words|Times at %d row%s of %d elements.", iif("rows" = 1, '', 's'), n FROM home;
SELECT 0 AS "words|**worst ULP**: over all families; **scaled**: largest error relative to the size of the inputs;
  **of bound**: measured error over proven bound, above 1 is a finding; **specials**: wrong NaN, infinities and signs;
  **FMA**: fused multiply-adds in its machine code." FROM summary LIMIT 1;
SELECT 'variant-table' AS data FROM summary LIMIT 1;
