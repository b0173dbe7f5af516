-- SPDX-License-Identifier: MIT
-- The worst inputs that searches found, compared with random rows of the same box.
SELECT 0 AS "words|ulplab search: halving boxes (S3FP), then values and bits around the best, compared with uniform
  random rows of the same box with the same budget. Maximised: the error over the proven bound (bound), in ulp
  (functions of one number) or relative to the inputs (scaled). If the gain is below 1.5, the limit gives the reason:
  random rows already come near the bound, or the evaluation after which the search gained less than 1%%. Later
  accuracy runs use the rows found as input family adversarial." FROM searches LIMIT 1;

CREATE TEMP TABLE IF NOT EXISTS histories AS
SELECT s.id, w.column1 AS who, h.key AS place, h.value ->> 0 AS evaluations, h.value ->> 1 AS score
FROM searches s, (VALUES('search', '$.history'), ('random', '$.random.history')) w, json_each(s.record, w.column2) h
WHERE h.type = 'array' AND s.record ->> 'same_code_as' IS NULL;
WITH
share(part) AS (VALUES(0.01), (0.1)),
after AS (
  SELECT s.id, h.who, p.part, digits(h.score, 3) AS score, max(h.place) FROM searches s JOIN share p
  JOIN histories h ON h.id = s.id AND h.evaluations <= s.evaluations * p.part GROUP BY s.id, h.who, p.part)
SELECT v.op AS "kernel|%s %s", v.algorithm, v.isa AS "build|%s %s %s", v.cc, v.policy, s.n AS "n|%.0f",
  s.record ->> '$.box[0]' AS "box|[%g, %g]", s.record ->> '$.box[1]', s.objective AS maximised,
  (SELECT score FROM after a WHERE a.id = s.id AND who = 'search' AND part = 0.01) AS "search, 1% of budget",
  (SELECT score FROM after a WHERE a.id = s.id AND who = 'search' AND part = 0.1) AS "10%", digits(s.score, 3) AS "all",
  (SELECT score FROM after a WHERE a.id = s.id AND who = 'random' AND part = 0.01) AS "random, 1%",
  (SELECT score FROM after a WHERE a.id = s.id AND who = 'random' AND part = 0.1) AS "10%",
  digits(s.record ->> '$.random.score', 3) AS "all", digits(s.gain, 3) AS gain,
  coalesce(s.record ->> 'limit', '') AS "limit",
  error_text(s.max_ulp) AS "its max ulp", s.evaluations AS "evaluations|%.0f",
  s.record ->> 'seconds' AS "seconds|%.1f / %.1f", s.record ->> '$.random.seconds', s.input
FROM searches s JOIN named v USING (variant) WHERE s.record ->> 'same_code_as' IS NULL AND s.input <> '' ORDER BY s.id;

SELECT text AS words FROM other_builds WHERE what = 'search';

-- The x axis has the logarithm of evaluations, from a thousandth of them; a score holds until the next improvement.
SELECT 0 AS "fold|Error against evaluations (logarithmic, from a thousandth of the budget)" FROM searches LIMIT 1;
WITH
scale AS (
  SELECT s.id, v.id AS variant, max(s.evaluations, coalesce(s.record ->> '$.random.evaluations', 0)) AS most, s.score,
    max(s.score, coalesce(s.record ->> '$.random.score', 0)) AS best, s.record ->> '$.random.score' AS random
  FROM searches s JOIN named v USING (variant) WHERE s.record ->> 'same_code_as' IS NULL),
point AS (
  SELECT h.id, h.who, h.place, 260 * max(0, 1 + ln(h.evaluations * 1.0 / c.most) / ln(10) / 3) AS x,
    90 * (1 - h.score / c.best) AS y
  FROM histories h JOIN scale c USING (id) WHERE c.best > 0 AND c.most > 0),
step AS (
  SELECT *, coalesce(lag(y) OVER (PARTITION BY id, who ORDER BY place), 90) AS before,
    lead(place) OVER (PARTITION BY id, who ORDER BY place) IS NULL AS last FROM point),
line AS (
  SELECT id, who, group_concat(printf('%.1f,%.1f %.1f,%.1f', x, before, x, y)
    || iif(last, printf(' 260,%.1f', y), ''), ' ') AS points
  FROM (SELECT * FROM step ORDER BY id, who, place) GROUP BY id, who)
SELECT 264 AS "curve|%s: %.3g, random %.3g, over %.0f evaluations", 94, 'error against evaluations', 'soft', r.points,
  'accent', m.points, c.variant, c.score, c.random, c.most
FROM scale c JOIN line m ON m.id = c.id AND m.who = 'search' LEFT JOIN line r ON r.id = c.id AND r.who = 'random'
ORDER BY c.id;
SELECT 0 AS "end";
