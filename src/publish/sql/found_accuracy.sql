-- SPDX-License-Identifier: MIT
-- The errors of variants for people (found.sql): every row or, if there are more than 120, the worst of each variant.
CREATE TEMP TABLE shown AS
SELECT at, row_number() OVER (PARTITION BY id ORDER BY status = 'ok', record ->> 'lost' DESC, record ->> 'max_ulp' DESC,
  place) AS rank, count(*) OVER () AS rows FROM found_named WHERE list = 'rows';
SELECT 'The worst of each variant''s rows (' || rows || ' rows in all):' AS note FROM shown WHERE rows > 120 LIMIT 1;
SELECT iif(status = 'ok', 0, 2) AS tint, op AS "op|{!}", algorithm AS "algorithm|{!}", dtype AS "dtype|{!}",
  isa AS "isa|{!}", cc AS "cc|{!}", policy AS "policy|{!}", coalesce(record ->> 'family', '-') AS "family|{!}",
  record ->> 'n' AS "n|{>!}",
  exact_error(iif(record ->> 'lost' > 0, 9e999, figure(record, 'max_ulp')), 3) AS "max ulp|{>}",
  record ->> 'lost' AS "lost|{>}", exact_error(figure(record, 'mean_ulp'), 3) AS "mean ulp|{>3}",
  exact_error(figure(record, 'bias_ulp'), 3) AS "bias|{>7}", exact_error(figure(record, 'p99_ulp'), 3) AS "p99|{>6}",
  exact_error(100 * (record ->> 'misrounded'), 3) AS "misrounded %|{>4}",
  exact_error(figure(record, 'scaled_error'), 3) AS "scaled|{>2}",
  exact_error(figure(record, 'bound_ratio'), 3) AS "/bound|{>5}", record ->> '$.counts.flushed' AS "flushed|{>8}",
  coalesce(record ->> 'verdict', status) AS verdict
FROM shown JOIN found_named USING (at) WHERE rows <= 120 OR rank = 1 ORDER BY at;
SELECT text AS note FROM found_reasons;
SELECT text AS note FROM found_losses;
SELECT op || ': measured against the reference in ' || (record ->> 'reference') || ', which is not certified' AS note
FROM found_named WHERE record ->> 'reference' IS NOT NULL AND NOT :brief
GROUP BY record ->> 'reference' ORDER BY min(at);
SELECT record ->> '$' AS note FROM found WHERE list = 'notes' AND NOT :brief;
SELECT printf('%d rows kept their promises, %d broke one, no promise bounds %d, %d skipped, %d crashed or hung',
  sum(verdict IS 'kept'), sum(verdict IS 'broken'), sum(verdict IS 'measured'), sum(status IN ('skipped', 'unbuilt')),
  sum(status NOT IN ('ok', 'wrong', 'skipped', 'unbuilt'))) AS note
FROM (SELECT status, record ->> 'verdict' AS verdict FROM found_named WHERE list = 'rows') WHERE NOT :brief
HAVING count(*);
