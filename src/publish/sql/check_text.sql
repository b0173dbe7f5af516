-- SPDX-License-Identifier: MIT
-- What came of a check, for people: at a terminal and as Markdown, for a job's summary.
SELECT 'ulplab check' AS heading;
SELECT count(*) AS "words|%d builds: %d hold, %d fall, %d are new, %d are unanswered.", coalesce(sum(verdict =
  'holds'), 0),
  coalesce(sum(verdict = 'falls'), 0), coalesce(sum(verdict = 'new'), 0), coalesce(sum(verdict = 'unanswered'), 0) FROM
    checked;
SELECT name AS function, cc AS compiler, verdict, iif(error IS NULL, NULL, digits(error, 3) || ' ' || unit) AS
  "max error",
  digits(base_error, 3) AS "?before", iif(status = 'ok', grouped(wrong), NULL) AS wrong,
  CASE same_bits WHEN 1 THEN 'same' WHEN 0 THEN 'other' END AS "?bits",
  iif(ratio IS NULL, NULL, printf('%s [%s, %s]', digits(ratio, 3), digits(low, 3), digits(high, 3)))
    AS "?times as long" FROM checked ORDER BY place, cc;
SELECT name AS "item|**%s**, %s: %s%s%s.", iif(cc = '', 'no compiler', cc), why, coalesce(' (built with `' || flags ||
  '`', ''),
  iif(flags IS NULL, '', coalesce(', which give up ' || gives_up, '') || ')')
FROM checked WHERE why IS NOT NULL ORDER BY place, cc;
SELECT 0 AS "words|Builds that are new stand in no baseline: `--update` writes one, to be committed."
FROM checked WHERE verdict = 'new' LIMIT 1;
SELECT 0 AS "words|Inputs are others than the baseline's: bits were not compared; `--update` does away with that."
FROM checked WHERE has_base AND NOT same_inputs LIMIT 1;
SELECT CASE WHEN EXISTS(SELECT 1 FROM checked WHERE ratio IS NOT NULL) THEN
    'Times are beside the earlier version, in one run on this machine: on a shared runner they are advice; a '
      || 'function''s `max_slower` makes them a bar'
  ELSE 'Speed was not measured: `--base` names an earlier tree to time it beside' END AS "words|%s.";
SELECT name AS "item|**%s** has a bar for its time and nothing to be timed beside." FROM asked a
WHERE slower_bar IS NOT NULL AND NOT EXISTS(SELECT 1 FROM checked c WHERE c.place = a.place
  AND (ratio IS NOT NULL OR verdict = 'unanswered'));
