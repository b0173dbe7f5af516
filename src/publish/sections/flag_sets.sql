-- SPDX-License-Identifier: MIT
-- The smallest set of flags that keeps the gain and loses nothing (flags.jsonl), a row per kernel and build; and
-- whether the flags that people often ask about may be used.
SELECT 0 AS "words|The smallest set of flags that keeps the gain, built and timed as a set: no result is lost or
  changes between a number and NaN, infinity or zero, no error grows by more than 1.5 times and half a unit, and no
  promise breaks; leaving out any flag changes the machine code. Then all flags together, and the fewest that explain
  90%% of their gain (`ulplab flags`)." FROM flag_sets LIMIT 1;

CREATE TEMP TABLE IF NOT EXISTS set_builds AS
SELECT *, cc || ' ' || isa || iif((SELECT count(DISTINCT base) FROM flag_sets) > 1, ' ' || base, '') AS build
  FROM flag_sets;
SELECT op AS row_op, cc AS row_cc, op AS "kernel|%s `%s`", algorithm, build,
  iif(pays AND is_all, 'all of ', '') AS "flags|%s`%s`", iif(pays AND flags <> '', flags, 'none'),
  iif(pays, digits(speed, 3), NULL) AS "times as fast|%s [%s, %s]", digits(speed_low, 3), digits(speed_high, 3),
  iif(pays, decimals(100 * kept, 0), NULL) AS "% of the gain", iif(bits, 'other', 'same') AS "bits",
  iif(error IS NULL, NULL, error_text(error)) AS "?worst error added|%s %s for %s", unit, error_text(error_of_base),
  digits(all_speed, 3) AS "all|%s [%s, %s]", digits(all_speed_low, 3), digits(all_speed_high, 3),
  iif(all_lost > 0, 'd2', '') AS "lost by all|{}%d", all_lost, all_why AS "?why not all",
  (SELECT nullif(group_concat(value, ', '), '') FROM json_each(breaks)) AS "?cases that it breaks",
  (SELECT group_concat(value, ', ') FROM json_each(explains)) AS "explained by"
FROM set_builds ORDER BY op, algorithm, cc DESC, isa;

SELECT group_concat(DISTINCT at_link) AS "words|Use `%s` only on compile lines: on a link line it sets FTZ and DAZ for
  the whole process." FROM flag_sets WHERE pays AND at_link <> '' HAVING count(*);
SELECT 0 AS "words|`-D__FAST_MATH__` makes the headers of glibc declare its vector functions (libmvec), of up to 4
  ulp, which loops then call instead of libm's."
FROM flag_sets WHERE pays AND instr(' ' || flags || ' ', ' -D__FAST_MATH__ ') LIMIT 1;

-- An answer for each kernel: no; same (equal machine code); yes (faster); idle (not faster). For records of earlier
-- versions, which do not say whether a flag is allowed, lost results and broken promises decide.
CREATE TEMP TABLE IF NOT EXISTS asked_flags AS
WITH asked(name, place) AS (VALUES('contract', 2), ('no-errno', 3)),
one AS (
  SELECT 1 AS place, '-ffast-math' AS flag, build, op || '/' || algorithm AS kernel, all_allowed AS allowed,
  all_why AS why, all_lost AS lost, all_broken AS broken, all_speed AS speed, all_speed_low AS low, all_bits AS bits,
    all_bits OR all_speed <> 1 AS code, all_error AS error, all_error_of_base AS error_of_base, all_unit AS unit,
    'only on compile lines: on a link line it sets FTZ and DAZ for the whole process' AS if_used
  FROM set_builds WHERE "all" = '-ffast-math'
  UNION ALL SELECT place, flag, s.build, f.op || '/' || f.algorithm, f.allowed, f.why, f.lost, f.broken, gain, gain_low,
    f.bits, code, f.error, f.error_of_base, f.unit, 'it gives up ' || gives_up
  FROM flags f JOIN asked USING (name) JOIN set_builds s USING (blob, op, algorithm, isa, cc, base, "all")
  WHERE f.status = 'ok'),
judged AS (
  SELECT *, CASE WHEN NOT coalesce(allowed, NOT (lost > 0 OR broken), 0) THEN 'no' WHEN NOT code THEN 'same'
    WHEN is_gain(speed, low) THEN 'yes' ELSE 'idle' END AS verdict,
    coalesce(why, iif(lost > 0, grouped(lost) || ' results are lost',
      'it breaks a promise of the kernel''s file')) AS reason,
    count(*) OVER (PARTITION BY place, build) > 1 AS many FROM one)
SELECT place, flag, build, verdict, max(coalesce(error - error_of_base, 0)) AS grown, if_used,
  iif(many, ' for ' || group_concat(kernel, ', '), '') AS kernels, many,
  digits(min(speed), 3) || iif(min(speed) < max(speed), ' to ' || digits(max(speed), 3), '')
    || ' times as fast' AS gain,
  iif(max(bits), 'other bits, ' || iif(max(error - error_of_base) > 0, 'the error grows most from '
    || error_text(error_of_base) || ' to ' || error_text(error) || ' ' || unit, 'no error grows'),
  'the same bits') AS results, group_concat(iif(many, kernel || ': ', '') || reason, '; ') AS reasons
FROM judged GROUP BY place, build, verdict;
SELECT 0 AS "words|May this flag be used?" FROM asked_flags LIMIT 1;
SELECT flag AS "item|`%s`, %s: %s", build, (SELECT group_concat(sentence, '; ') FROM (
  SELECT CASE verdict WHEN 'yes' THEN 'yes' || kernels || ': ' || gain || ', ' || results || '; ' || if_used
    WHEN 'same' THEN 'yes' || kernels || ', without effect: the machine code is the same'
    WHEN 'idle' THEN 'yes' || kernels || ', but it is not faster: ' || results || '; ' || if_used
    ELSE 'no' || iif(many, '', ', though ' || gain) || ': ' || reasons END AS sentence
  FROM asked_flags a WHERE a.place = q.place AND a.build = q.build ORDER BY verdict <> 'yes', verdict = 'no', verdict))
FROM (SELECT DISTINCT place, flag, build FROM asked_flags) q ORDER BY build, place;
