-- SPDX-License-Identifier: MIT
-- The fewest flags that keep the gain, and lose nothing (flags.jsonl): a row per kernel and build.
SELECT 0 AS "words|The fewest flags that keep the gain while nothing is lost and no promise breaks, built and timed as they stand;
  beside all flags, and the fewest that explain 90%% of what these gain (`ulplab flags`)." FROM flag_sets LIMIT 1;

SELECT op AS row_op, cc AS row_cc, op AS "kernel|%s `%s`", algorithm, cc || ' ' || isa || iif((SELECT count(DISTINCT base) FROM flag_sets) > 1, ' ' || base, '') AS "build",
  iif(pays AND flags <> '', flags, 'none') AS "flags|`%s`",
  iif(pays, digits(speed, 3), NULL) AS "times as fast|%s [%s, %s]", digits(speed_low, 3), digits(speed_high, 3),
  iif(pays, decimals(100 * kept, 0), NULL) AS "% of the gain", iif(bits, 'other', 'same') AS "bits",
  iif(error IS NULL, NULL, error_text(error)) AS "?worst error added|%s %s for %s", unit, error_text(error_of_base),
  digits(all_speed, 3) AS "all|%s [%s, %s]", digits(all_speed_low, 3), digits(all_speed_high, 3),
  iif(all_lost > 0, 'd2', '') AS "lost by all|{}%d", all_lost,
  (SELECT nullif(group_concat(value, ', '), '') FROM json_each(breaks)) AS "?cases that it breaks",
  (SELECT group_concat(value, ', ') FROM json_each(explains)) AS "explained by"
FROM flag_sets ORDER BY op, algorithm, cc DESC, isa;
