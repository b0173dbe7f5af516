-- SPDX-License-Identifier: MIT
-- The document of `ulplab check` (render/rows.h).
SELECT 0 AS "rows", name AS function, cc, base_cc, verdict, why, status, error, unit, mean AS mean_error, wrong,
  flushed, base_error,
  base_wrong, results, same_bits AS "same_bits:bool", elements, flags, gives_up, ratio, low, high FROM checked ORDER BY place, cc;
SELECT 0 AS "gates", 'check' AS gate, 1 AS "asked:bool", CASE WHEN sum(verdict = 'unanswered') THEN 'undecided'
    WHEN sum(verdict = 'falls') OR NOT count(*) THEN 'falls' ELSE 'holds' END AS decided,
  printf('%d of %d builds fall, %d are unanswered', coalesce(sum(verdict = 'falls'), 0), count(*), coalesce(sum(verdict
    = 'unanswered'), 0)) AS text
FROM checked;
