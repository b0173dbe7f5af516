-- SPDX-License-Identifier: MIT
-- The worst inputs that a search found, for people (found.sql).
SELECT iif(status = 'ok', 0, 2) AS tint, short AS variant, decimals(record ->> 'score', 4) AS "worst|{>}",
  decimals(record ->> '$.random.score', 4) AS "random|{>1}", decimals(record ->> 'gain', 4) AS "gain|{>2}",
  decimals(record ->> 'max_ulp', 4) AS "max ulp|{>3}", record ->> 'evaluations' AS "evaluations|{>4}",
  record ->> 'objective' AS "of|{5}",
  status || coalesce(': ' || coalesce(record ->> 'reason', record ->> 'limit'), '') || coalesce(', code of '
    || (SELECT short FROM found_named o WHERE o.id = f.record ->> 'same_code_as'), '') AS status
FROM found_named f WHERE list = 'found' ORDER BY at;
SELECT record ->> '$' AS note FROM found WHERE list = 'notes' AND NOT :brief;
