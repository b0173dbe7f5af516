-- SPDX-License-Identifier: MIT
-- The results of `ulplab scan` for unary functions, over every fp32 input.
CREATE TEMP TABLE IF NOT EXISTS own_scans AS
SELECT s.*, v.id AS name, v.op, v.algorithm, v.isa, v.cc, v.policy,
  iif(coalesce(s.lost, s.nan + s.inf) > 0, 9e999, s.max_ulp) AS error, min(s.id) OVER (PARTITION BY s.binades) AS first
FROM scans s JOIN named v USING (variant)
WHERE s."range" = 'all' AND coalesce(s.max_ulp, s.lost) IS NOT NULL AND s.binades IS NOT NULL;

SELECT iif(min(measure) = 1,
  ' Records of measure 1 count zeros and wrong signs separately: their figures in ulp exclude them.', '')
    AS "words|ulplab scan: all 2^32 fp32 inputs, one line per machine code (builds with equal code have equal results
    and are left out). max ulp is the true maximum, not that of a sample. Lost results have no distance to the exact
    value: NaN where a number is right or the reverse, an infinity where the exact value rounds to a number; max ulp
    is infinite then, and by binade it is the maximum of the other results.%s" FROM own_scans HAVING count(*) > 0;

SELECT op AS function, algorithm AS kernel, isa AS "build|%s %s %s", cc, policy, exact_error(error, 6) AS "max ulp",
  coalesce(lost, nan + inf) AS lost, at, error_text(iif(coalesce(lost, nan + inf) > 0, 9e999,
    mean_ulp)) AS "mean ulp", digits(bias_ulp, 3) AS bias,
  decimals(100 * misrounded, 4) AS "misrounded %",
  nan AS "NaN / inf / sign / flushed to|%.0f / %.0f / %.0f / %.0f", inf, sign, flushed,
  iif(status = 'ok', '', 'd3') AS "status|{}%s%s", status, iif(reason <> '', ': ' || reason, '')
FROM own_scans ORDER BY id;

SELECT text AS words FROM other_builds WHERE what = 'scan' AND EXISTS(SELECT 1 FROM own_scans);

-- Scans with equal figures share a curve and a table. The x axis goes from -inf over the zeros to +inf, a binade is
-- two units wide; the y axis has the logarithm of errors, 2^-10 to 2^24 ulp.
SELECT 0 AS "fold|By binade: the largest error of each power of two, inputs from -inf to inf" FROM own_scans LIMIT 1;
SELECT s.id AS each, s.binades, s.max_ulp, s.at, (SELECT group_concat(name, ', ') FROM (
  SELECT o.name FROM own_scans o WHERE o.first = s.id ORDER BY o.id)) AS names
FROM own_scans s WHERE s.id = s.first ORDER BY s.id;
WITH
edge AS MATERIALIZED (SELECT key, number(value) AS edge, value LIKE '-%' AS below FROM json_each(:binades, '$.from')),
error AS MATERIALIZED (SELECT key, coalesce(value, 0) AS ulp FROM json_each(:binades, '$.max_ulp'))
SELECT 516 AS "curve|%s: %s ulp at %s", 94, 'largest error by binade', 'accent',
  (SELECT group_concat(printf('%.10g,%.10g',
    256 + iif(below, -1 - size, size), height), ' ') FROM (
  SELECT *, lag(height) OVER () AS last, lead(height) OVER () AS next FROM (
    SELECT key, below, iif(edge = 0, 0, min(255, 127 + max(-126, floor(ln(abs(edge)) / ln(2) + 1e-9)))) AS size,
      round(90 * (1 - min(1, (ln(max(ulp, 0.0009765625)) / ln(2) + 10) / 34)), 1) AS height
    FROM edge JOIN error USING (key) WHERE edge IS NOT NULL ORDER BY key))
  WHERE height IS NOT last OR height IS NOT next), '', '', :names, exact_error(:max_ulp, 6), :at;
SELECT :names AS heading;
-- Neighbouring binades that agree in two digits share a line.
WITH
edge AS MATERIALIZED (SELECT key, value AS edge FROM json_each(:binades, '$.from')),
error AS MATERIALIZED (SELECT key, value AS ulp FROM json_each(:binades, '$.max_ulp')),
place AS MATERIALIZED (SELECT key, value AS at FROM json_each(:binades, '$.at')),
mean AS MATERIALIZED (SELECT key, value AS mean FROM json_each(:binades, '$.mean_ulp')),
share AS MATERIALIZED (SELECT key, value AS misrounded FROM json_each(:binades, '$.misrounded')),
one AS (
  SELECT *, digits(ulp, 2) || ' ' || digits(misrounded, 2) AS alike
  FROM edge JOIN error USING (key) JOIN place USING (key) JOIN mean USING (key) JOIN share USING (key)),
island AS (
  SELECT *, key - row_number() OVER (PARTITION BY alike ORDER BY key) AS island FROM one),
line AS (
  SELECT min(key) AS first, max(key) AS last, max(ulp) AS ulp, at, mean, misrounded FROM island GROUP BY alike, island)
SELECT a.edge AS "binades from", b.edge AS "to", error_text(l.ulp) AS "max ulp", l.at, error_text(l.mean) AS "mean ulp",
  digits(100 * l.misrounded, 3) AS "misrounded %"
FROM line l JOIN edge a ON a.key = l.first JOIN edge b ON b.key = l.last ORDER BY l.first;
SELECT 0 AS "end";
SELECT 0 AS "end";
