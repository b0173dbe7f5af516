-- SPDX-License-Identifier: MIT
-- The gain and harm of each flag: a row per compiler and flag that changes machine code, over the measured kernels
-- (flags.jsonl).
SELECT 0 AS "words|Each flag added to the baseline, with the flags that it needs, and left out of all (`ulplab
  flags`): the speed [95%%], as geometric mean over kernels and for the kernel with the largest gain; the number of
  kernels in which code, bits and results of special inputs change, results are lost, change between a number and NaN,
  infinity or zero, subnormal results are flushed to zero, or a promise breaks; the largest added error; and the case
  studies that it breaks, or that leaving it out of all repairs." FROM flags LIMIT 1;

CREATE TEMP TABLE IF NOT EXISTS flag_builds AS
SELECT *, cc || ' ' || isa || iif((SELECT count(DISTINCT base) FROM flags) > 1, ' ' || base, '') AS build,
  coalesce(code, 0) OR coalesce(left_out_code, 0) OR coalesce(json_array_length(breaks), 0)
    OR coalesce(json_array_length(mends), 0) AS matters FROM flags;
WITH flag AS (SELECT cc, build, name, flag, min(id) AS id, count(DISTINCT op || algorithm) AS kernels,
  max(matters) AS matters
  FROM flag_builds GROUP BY build, name)
SELECT build AS "words|%s: %s: the machine code of %s does not change.",
  (SELECT group_concat(flag, ', ') FROM (SELECT flag FROM flag q WHERE q.build = f.build AND NOT q.matters
    ORDER BY q.id)),
  iif(max(kernels) > 1, 'any of ' || max(kernels) || ' kernels', 'the kernel')
FROM flag f WHERE NOT matters GROUP BY build ORDER BY cc DESC, build;

WITH many AS (SELECT count(DISTINCT op || algorithm) > 1 AS is_so FROM flags),
judged AS (SELECT f.*, iif(m.is_so, ' ' || op || '/' || algorithm, '') AS kernel,
    row_number() OVER (kin ORDER BY gain_low DESC, gain DESC) AS by_gain,
    row_number() OVER (kin ORDER BY cost_low DESC, cost DESC) AS by_cost,
    row_number() OVER (kin ORDER BY error IS NULL, error - error_of_base DESC, lost DESC) AS by_error,
    max(matters) OVER kin AS acts, first_value(breaks) OVER kin AS all_break, first_value(mends) OVER kin AS all_mend
  FROM flag_builds f, many m WINDOW kin AS (PARTITION BY build, name))
SELECT cc AS row_cc, build AS "build", flag AS "flag|`%s`%s",
  iif(needs <> '', ' with ' || needs, '') || iif(name = 'macro', ', by which glibc declares libmvec', ''),
  digits(geomean(gain), 3) AS "gain alone", max(iif(by_gain = 1 AND is_gain(gain, gain_low),
    digits(gain, 3) || ' [' || digits(gain_low, 3) || ', ' || digits(gain_high, 3) || ']'
    || kernel, NULL)) AS "at most",
  digits(geomean(cost), 3) AS "leaving it out costs",
  max(iif(by_cost = 1 AND is_gain(cost, cost_low),
    digits(cost, 3) || ' [' || digits(cost_low, 3) || ', ' || digits(cost_high, 3) || ']'
    || kernel, NULL)) AS "at most",
  sum(coalesce(code, 0)) AS "other code|%d of %d", count(*), sum(bits) AS "bits|%d",
  iif(sum(specials) > 0, 'd2', '') AS "specials|{}%d",
  sum(specials), iif(sum(lost > 0) > 0, 'd2', '') AS "lost|{}%d", sum(lost > 0),
  iif(sum(changed > 0) > 0, 'd2', '') AS "changed|{}%d",
  sum(changed > 0), iif(sum(broken) > 0, 'd2', '') AS "broken|{}%d",
  sum(broken), sum(flushed > 0) AS "flushed|%d",
  max(iif(by_error = 1 AND error IS NOT NULL, error_text(error) || ' ' || unit || ' for ' || error_text(error_of_base)
    || ':' || kernel || ' ' || (worst ->> 'family') || coalesce(' ' || (worst ->> 'input'), '')
    || coalesce(', got ' || (worst ->> 'got') || ', right ' || (worst ->> 'want'), ''), NULL)) AS "?worst error added",
  (SELECT nullif(group_concat(value, ', '), '') FROM json_each(max(all_break))) AS "?cases that it breaks",
  (SELECT nullif(group_concat(value, ', '), '') FROM json_each(max(all_mend))) AS "?repaired without it"
FROM judged WHERE acts GROUP BY build, name ORDER BY cc DESC, build, min(id);
