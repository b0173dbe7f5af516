-- SPDX-License-Identifier: MIT
-- The variants that may have computed given results, for people (found.sql): the nearest 20.
SELECT iif(status = 'ok', record ->> 'mismatched' = 0, 2) AS tint, algorithm AS "algorithm|{!}", dtype AS "dtype|{!}",
  isa AS "isa|{!}", cc AS "cc|{!}", policy AS "policy|{!}",
  iif(status = 'ok', printf('%.4g%%', 100 * (record ->> 'mismatched')), status) AS "mismatched|{>}",
  record ->> 'max_ulp_distance' AS "max ulp|{>}"
FROM found_named WHERE list = 'rows' AND place < 20 ORDER BY place;
SELECT 'and ' || (count(*) - 20) || ' more: --json has them all' AS note FROM found WHERE list = 'rows'
HAVING count(*) > 20;
SELECT '' AS note WHERE NOT :brief;
SELECT record ->> '$' AS words FROM found WHERE list = 'sentence' AND NOT :brief;
SELECT text AS note FROM found_reasons WHERE what = 'variant';
