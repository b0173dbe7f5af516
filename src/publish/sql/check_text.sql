-- SPDX-License-Identifier: MIT
-- The results of a check for people: at a terminal and as Markdown, for a job's summary.
SELECT 'ulplab check' AS heading;
SELECT count(*) || ' build' || iif(count(*) = 1, '', 's')
    AS "words|%s: %d hold, %d fall, %d are new, %d are unanswered.",
  coalesce(sum(verdict = 'holds'), 0),
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
SELECT 0 AS "words|New builds are not in the baseline: `--update` adds them; commit the file."
FROM checked, given WHERE verdict = 'new' AND NOT coalesce(document ->> 'update', 0) LIMIT 1;
SELECT 0 AS "words|The baseline is written; commit it." FROM given WHERE document ->> 'update';
SELECT 0 AS "words|The inputs differ from the baseline's: bits were not compared; `--update` writes a new one."
FROM checked WHERE has_base AND NOT same_inputs LIMIT 1;
SELECT CASE WHEN EXISTS(SELECT 1 FROM checked WHERE ratio IS NOT NULL) THEN
    'Times are relative to the earlier version, in one run on this machine. They affect the exit code only '
      || 'of a function with `max_slower`'
  ELSE 'Speed was not measured: `--base` with an earlier tree compares times' END AS "words|%s.";
SELECT name AS "item|**%s** has `max_slower`, which needs `--base`." FROM asked a
WHERE slower_bar IS NOT NULL AND NOT EXISTS(SELECT 1 FROM checked c WHERE c.place = a.place
  AND (ratio IS NOT NULL OR verdict = 'unanswered'));
