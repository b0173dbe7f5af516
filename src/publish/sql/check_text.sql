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
  CASE same_bits WHEN 1 THEN 'same' WHEN 0 THEN 'other' END AS "?bits" FROM checked ORDER BY place, cc;
SELECT name AS "item|**%s**, %s: %s%s%s.", iif(cc = '', 'no compiler', cc), why, coalesce(' (built with `' || flags ||
  '`', ''),
  iif(flags IS NULL, '', coalesce(', which give up ' || gives_up, '') || ')')
FROM checked WHERE why IS NOT NULL ORDER BY place, cc;
SELECT 0 AS "words|Builds that are new stand in no baseline: `--update` writes one, to be committed."
FROM checked WHERE verdict = 'new' LIMIT 1;
SELECT 0 AS "words|Inputs are others than the baseline's: bits were not compared; `--update` does away with that."
FROM checked WHERE has_base AND NOT same_inputs LIMIT 1;
SELECT 0 AS "words|Speed was not measured: on a shared runner it says little. `ulplab try` does.";
