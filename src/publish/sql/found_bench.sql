-- SPDX-License-Identifier: MIT
-- Times of variants for people (found.sql): the limits of the core, then the cells.
SELECT record ->> 'name' AS "limit", iif(record ->> 'unit' = 'B', printf('%.0f KiB', (record ->> 'value') / 1024.0),
  printf('%.1f G%s', 1e-9 * (record ->> 'value'), record ->> 'unit')) AS "value|{>}"
FROM found WHERE list = 'limits' AND record ->> 'name' NOT GLOB 'sweep-*';
SELECT '' AS note;
SELECT record ->> '$' AS note FROM found WHERE list = 'notes';
SELECT iif(status = 'ok' AND ns IS NOT NULL, 0, 2) AS tint, op AS "op|{!}", algorithm AS "algorithm|{!}",
  dtype AS "dtype|{!}", isa AS "isa|{!}", cc AS "cc|{!}", policy AS "policy|{!}", record ->> 'rows' AS "rows|{>!}",
  record ->> 'n' AS "n|{>!}", record ->> 'threads' AS "threads|{>!}", record ->> 'family' AS "family|{!}",
  record ->> 'residency' AS "in|{!}", decimals(ns, 1) AS "ns/row|{>8}",
  iif(record ->> 'ci_low' IS NULL, NULL, printf('%+.1f%%', 100.0 * (record ->> 'ci_low') / ns - 100)) AS "ci-|{>2}",
  iif(record ->> 'ci_high' IS NULL, NULL, printf('%+.1f%%', 100.0 * (record ->> 'ci_high') / ns - 100)) AS "ci+|{>2}",
  decimals(record ->> 'ns_per_element', 4) AS "ns/elem|{>}",
  decimals(record ->> 'cycles_per_element', 4) AS "cyc/elem|{>4}",
  decimals(record ->> 'gb_per_s', 1) AS "GB/s|{>6}", decimals(record ->> 'percent_of_limit', 1) AS "%limit|{>}",
  record ->> 'limit' AS "limit|{5}", iif(status = 'ok', '', status || iif(flags = '', '', ', ')) || flags AS "flags|{7}"
FROM (SELECT *, record ->> 'ns_per_row' AS ns, coalesce((SELECT group_concat(value || iif(value = 'two-modes',
    coalesce(' (' || (SELECT group_concat(digits(value ->> 'ns_per_row', 4) || ' ns x' || (value ->> 'processes'), ', ')
      FROM json_each(record, '$.modes')) || ')', ''), ''), ', ') FROM json_each(record, '$.flags')), '') AS flags
  FROM found_named WHERE list = 'rows') ORDER BY at;
SELECT text AS note FROM found_reasons;
CREATE TEMP VIEW missed AS
SELECT f.*, 100 * (f.record ->> 'half_width') AS half, p.record ->> '$' AS asked
FROM found_named f JOIN found p ON p.list = 'precision'
WHERE f.list = 'rows' AND 100 * (f.record ->> 'half_width') > p.record ->> '$';
SELECT '' AS note FROM missed LIMIT 1;
SELECT printf('Ratios to the block that are not known to within %g%%; --seconds gives more time:', asked) AS note
FROM missed LIMIT 1;
SELECT printf('  %.2f%%  %s %s', half, id, record ->> 'family') AS note FROM missed ORDER BY at;
