-- SPDX-License-Identifier: MIT
-- Rows that were not measured, and rows that failed. answered: all rows that are not `ok`.
CREATE TEMP TABLE IF NOT EXISTS answered AS
SELECT e.record AS place, v.id, coalesce(e.status, '') AS status, coalesce(e.reason, '') AS why
FROM erred e JOIN named v USING (variant) WHERE NOT e.library AND e.status IS NOT 'ok'
UNION ALL SELECT 1e15 + c.place, v.id || '/rows=' || s."rows" || '/n=' || s.n || '/threads=' || s.threads,
  coalesce(d.status, ''), coalesce(d.reason, '')
FROM cells c JOIN cell_details d USING (blob, variant, shape) JOIN named v USING (variant)
  JOIN shapes s ON s.id = c.shape
WHERE NOT v.library AND d.status IS NOT 'ok';

SELECT count(*) + (SELECT coalesce(sum("rows"), 0) FROM shared CROSS JOIN (SELECT run, first, count(*) AS "rows"
    FROM first_errors WHERE NOT library GROUP BY run, first)
      USING (run, first)) AS "words|%d rows, %d of them not `ok`.",
  (SELECT count(*) FROM answered) FROM cells JOIN named USING (variant) WHERE NOT library;
SELECT 0 AS "words|This run did not end: this table lacks the rows that were not measured yet." FROM runs
WHERE document ->> 'stamped' AND coalesce(document ->> 'run', '') <> '' AND coalesce(document ->> 'finished', '') = '';
SELECT status, "rows", iif(why = '', 'the record has no reason', why) AS "why|{text}%s", id AS "for example|{text}`%s`"
  FROM (
  SELECT status, why, count(*) AS "rows", id, min(place) AS place FROM answered GROUP BY status, why)
ORDER BY place LIMIT 200;
-- The variants that a default run leaves out.
SELECT (value ->> 'what') || iif((value ->> 'values') <> '', '=' || (value ->> 'values'),
  '') AS "not looked at|{text}%s",
  digits(value ->> 'variants', 3) AS variants, iif((value ->> 'ask') <> '', '`',
    'this CPU cannot run them; `make` builds them') AS "how to measure it|{text}%m%s%m", coalesce(value ->> 'ask', ''),
  iif((value ->> 'ask') <> '', '`', '')
FROM runs, json_each(document, '$.not_looked_at') WHERE type = 'object';
