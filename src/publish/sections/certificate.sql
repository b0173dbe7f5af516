-- SPDX-License-Identifier: MIT
-- How far is the oracle itself from MPFR (make certify)? A section of the page.
-- rows, values: that were compared. max_ulp: the worst error, in fp32 ulp. beyond: rows that say
-- themselves that they are beyond the oracle. certified: all others keep the promise.
SELECT printf('The oracle against MPFR with %d bits (make certify): over %d values its worst error '
  || 'is %.2e fp32 ulp; the promise is 2^-10 = 9.77e-04. %d rows say themselves that they are '
  || 'beyond the oracle, and are in no figure of this report. %s',
  (SELECT bits FROM certificates ORDER BY id LIMIT 1), sum("values"), max(max_ulp), sum(beyond),
  iif(min(coalesce(certified, 0)), 'Every line is certified.',
    'NOT every line is certified: see the last column.')) AS words
FROM certificates HAVING count(*) > 0;

SELECT op AS operation, coalesce(family, '') AS family, "rows" AS "rows|%d", "values" AS "values|%d", max_ulp AS "worst error, ulp|%.2e",
  coalesce(at, '') AS at, iif(beyond > 0, 'd2', '') AS "beyond|{}%d", beyond,
  iif(certified, '', 'd3') AS "certified|{}%s", iif(certified, 'yes', 'NO') FROM certificates ORDER BY id;

WITH built AS (SELECT c.id, c."commit", c."commit" <> r."commit" AS other
  FROM certificates c JOIN files f ON f.blob = c.blob JOIN runs r ON r.id = f.run)
SELECT printf('%d of %d records are of other builds than this run, the last of commit %s: they '
  || 'outlive runs.', sum(other), count(*),
  (SELECT "commit" FROM built WHERE other ORDER BY id DESC LIMIT
    1))
  AS words FROM built HAVING sum(other) > 0
UNION ALL SELECT printf('%d of %d records do not say which build they are of.',
  count(*) - count("commit"), count(*)) FROM built HAVING count(*) > count("commit");
