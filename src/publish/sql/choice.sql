-- SPDX-License-Identifier: MIT
-- Which set of flags to take, and in what words? `given` has a document: keep, the share of the gain that is to be
-- kept; all, the set that is taken apart; sets[] {set, size, allowed, speed, low, high}: the sets that were timed
-- beside the baseline, which is the set '0', and how many times as fast they are; verified[] {set, speed, high,
-- best_speed}: timings of their own, of a set that was chosen before and of the best. The figures by which a set is
-- chosen, once: the least gain is is_gain()'s; `share` of the gain of all is explained; after `tries` timings of its
-- own the last one stands.
CREATE TEMP VIEW rule AS SELECT 0.9 AS share, 3 AS tries, document ->> 'keep' AS keep, document ->> 'all' AS "all"
FROM given;
CREATE TEMP VIEW lattice AS
SELECT key AS place, value ->> 'set' AS "set", value ->> 'size' AS size, value ->> 'allowed' AS allowed,
  value ->> 'speed' AS speed, is_gain(value ->> 'speed', value ->> 'low') AS gains
FROM given, json_each(document, '$.sets');
-- The fastest set that is allowed, if it gains.
CREATE TEMP VIEW best AS
SELECT * FROM (SELECT * FROM lattice WHERE allowed AND speed > 1 ORDER BY speed DESC, place LIMIT 1) WHERE gains;
-- kept: the share of the best's gain. Where processes disagree there is no speed; a speed counts as enough unless its
-- interval lies below the target.
CREATE TEMP VIEW verified AS
SELECT v.*, known AND (enough OR "set" = coalesce((SELECT "set" FROM best), '0')) AS stands,
  known AND NOT enough AS fails
FROM (SELECT key AS nth, value ->> 'set' AS "set", value ->> 'speed' IS NOT NULL
      AND value ->> 'best_speed' IS NOT NULL AS known,
    iif(value ->> 'best_speed' > 1, (value ->> 'speed' - 1) / (value ->> 'best_speed' - 1), 1) AS kept,
    coalesce(iif(value ->> 'best_speed' > 1, (value ->> 'high' - 1) / (value ->> 'best_speed' - 1), 1) >= keep, 1)
      AS enough
  FROM given, rule, json_each(document, '$.verified')) v;
-- done: `set` is the answer, whose own timing was the last one; else it is to be timed. It is that of the fewest flags,
-- and of these the fastest, whose speed keeps the share, without those that failed it. explains: the fewest flags that
-- gain so much of what all do, whatever they give up, by logarithms.
CREATE TEMP VIEW choice AS
WITH last AS (SELECT *, stands OR nth + 1 >= tries AS done FROM verified, rule ORDER BY nth DESC LIMIT 1),
fewest AS (
  SELECT l."set" FROM lattice l, best b, rule WHERE l.allowed AND l.speed >= 1 + keep * (b.speed - 1)
    AND l."set" NOT IN (SELECT "set" FROM verified WHERE fails AND "set" <> b."set")
  ORDER BY l.size, l.speed DESC, l.place LIMIT 1),
explains AS (
  SELECT l."set", ln(l.speed) / ln(a.speed) AS share FROM lattice l, rule
    JOIN lattice a ON a."set" = rule."all" AND a.gains
  WHERE l.speed >= exp(rule.share * ln(a.speed)) ORDER BY l.size, l.speed DESC, l.place LIMIT 1)
SELECT json_object('set', coalesce((SELECT "set" FROM last WHERE done), (SELECT "set" FROM fewest),
    (SELECT "set" FROM best), '0'), 'done', json(iif((SELECT done FROM last), 'true', 'false')),
  'best', coalesce((SELECT "set" FROM best), '0'), 'pays', json(iif(EXISTS(SELECT 1 FROM best), 'true', 'false')),
  'kept', (SELECT kept FROM last), 'explains', coalesce((SELECT "set" FROM explains), '0'),
  'explained', (SELECT share FROM explains)) AS fields;

-- The answer of a record as a sentence.
CREATE TEMP VIEW sentence AS
SELECT json_object('sentence', iif(pays, iif(is_all, 'all of ', '') || '`' || flags || '`: '
    || coalesce(digits(speed, 3), '-') || ' times as fast as ' || base
    || coalesce(', ' || decimals(100 * kept, 0) || '% of the allowed gain', '')
    || iif(bits, ', with other bits', ', with the same bits') || iif(lost > 0, ', and results lost', '')
    || coalesce(', its error grows most from ' || error_text(error_of_base) || ' to ' || error_text(error) || ' '
      || unit, ''), 'no flag: no allowed flag is faster than ' || base)
  || iif(is_all, '', '; ' || "all" || ': ' || coalesce(digits(all_speed, 3), '-') || ' times'
    || coalesce(', which are not allowed: ' || all_why, ''))) AS fields
FROM (SELECT document ->> 'pays' AS pays, document ->> 'is_all' AS is_all, document ->> 'flags' AS flags,
    document ->> 'speed' AS speed, document ->> 'base' AS base, document ->> 'kept' AS kept,
    document ->> 'bits' AS bits, document ->> 'lost' AS lost, document ->> 'error_of_base' AS error_of_base,
    iif(instr(document ->> 'infinite', '"error"'), 9e999, document ->> 'error') AS error, document ->> 'unit' AS unit,
    document ->> 'all' AS "all", document ->> 'all_speed' AS all_speed, document ->> 'all_why' AS all_why FROM given);
