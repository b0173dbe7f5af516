-- SPDX-License-Identifier: MIT
-- The operations of the run that was added last: links to their pages.
SELECT 0 AS "heading|Operations" FROM temp.pages LIMIT 1;
SELECT op || '.html' AS href, op AS operation, algorithm AS "fastest|`%s` %s %s `%s`", isa, cc, policy,
  ns AS "ns/element|%.3f ~[%.3f, %.3f]~", low, high, percent AS "% of limit|%P", error AS "max error|%s %s", unit
FROM temp.pages WHERE run = (SELECT max(place) FROM temp.site_runs) ORDER BY place;
