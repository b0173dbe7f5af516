-- SPDX-License-Identifier: MIT
-- Scans of functions for people (found.sql), of fp32 and in double, from `scan` and `search`.
CREATE TEMP VIEW scan AS
SELECT *, iif(status = 'ok', 0, 2) AS tint, coalesce(record ->> 'lost', 0) > 0 AS loses,
  coalesce(', code of ' || coalesce((SELECT short FROM found_named o WHERE o.id = f.record ->> 'same_code_as'),
    record ->> 'same_code_as'), '') AS copied, coalesce(': ' || (record ->> 'reason'), '') AS why
FROM found_named f WHERE record ->> 'record' IN ('scan', 'scan-f64');

SELECT tint, op AS function, short AS variant,
  exact_error(iif(loses, 9e999, record ->> 'max_ulp'), 6) AS "max ulp|{>}", record ->> 'lost' AS "lost|{>}",
  coalesce(record ->> iif(loses, 'lost_at', 'at'), '-') AS "at|{>}",
  error_text(record ->> '$.regions.normal.max_ulp') AS "normal|{>4}",
  error_text(record ->> '$.regions.subnormal.max_ulp') AS "subnormal|{>5}",
  error_text(record ->> '$.regions.ends.max_ulp') AS "ends|{>6}",
  exact_error(iif(record ->> '$.short.lost' > 0, 9e999, record ->> '$.short.max_ulp'), 6) AS "n = 7|{>7}",
  record ->> '$.counts.flushed' AS "flushed|{>8}", decimals(100 * (record ->> 'misrounded'), 4) AS "misrounded %|{>1}",
  decimals(100 * (record ->> 'unfaithful'), 4) AS "from 1 ulp %|{>9}", digits(record ->> 'bias_ulp', 3) AS "bias|{>3}",
  decimals(1e-6 * (record ->> 'per_second'), 0) AS "M/s|{>2}",
  coalesce(record ->> 'verdict', status) || why || copied
    || iif(record -> 'kept' IS NULL, '', ', kept row') AS verdict
FROM scan WHERE record ->> 'record' = 'scan' ORDER BY at;

SELECT tint, op AS "in double", short AS variant, decimals(record ->> 'largest_ulp', 4) AS "largest found|{>}",
  coalesce(record ->> 'at', '-') AS "at|{>}", record ->> 'found_by' AS "by|{3}", record ->> 'lost' AS "lost|{>}",
  error_text(record ->> '$.regions.normal.ulp') AS "normal|{>5}",
  error_text(record ->> '$.regions.subnormal.ulp') AS "subnormal|{>6}",
  error_text(record ->> '$.regions.ends.ulp') AS "ends|{>7}", record ->> '$.counts.flushed' AS "flushed|{>4}",
  record ->> 'tried' AS "tried|{>1}", status AS "status|{2}"
FROM scan WHERE record ->> 'record' = 'scan-f64' ORDER BY at;
SELECT 'In double only some of 2^64 inputs can be tried: the true largest errors may be larger.' AS note
FROM scan WHERE record ->> 'record' = 'scan-f64' LIMIT 1;
SELECT text AS note FROM found_losses;
SELECT record ->> '$' AS note FROM found WHERE list = 'notes' AND NOT :brief;
