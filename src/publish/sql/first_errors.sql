-- SPDX-License-Identifier: MIT
-- For each group the largest errors on family normal of its best and its worst kernel, among those that promise
-- something.
WITH
compared AS (
  SELECT *, row_number() OVER (PARTITION BY grp ORDER BY error, id) AS from_best,
    row_number() OVER (PARTITION BY grp ORDER BY error DESC, id) AS from_worst
  FROM summary WHERE NOT hazard AND error IS NOT NULL AND promises(policy))
SELECT grp AS "largest error on normal so far", max(iif(from_best = 1, printf('%.3g %s %s', error, c.unit, algorithm),
  NULL)) AS "of the best kernel",
  max(iif(from_worst = 1, printf('%.3g %s %s', error, c.unit, algorithm), NULL)) AS "of the worst"
FROM compared c JOIN groups USING (run, grp) GROUP BY grp ORDER BY place;
