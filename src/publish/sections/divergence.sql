-- SPDX-License-Identifier: MIT
-- What bits depend on: variants on the same inputs, in classes of equal bits (diverge.jsonl).
SELECT 0 AS "words|Variants on the same inputs, in classes of equal bits. A cell: the share of elements that differ
  between two classes, and the largest distance in ulp (0: only zeros or NaNs differ, in sign or payload)."
FROM (SELECT blob FROM meanings UNION ALL SELECT blob FROM invariances) LIMIT 1;

CREATE TEMP TABLE IF NOT EXISTS ranked AS SELECT c.*, m.size, row_number() OVER (PARTITION BY c.op, c.dtype
    ORDER BY m.size DESC, c.class) AS k
FROM classes c JOIN (SELECT class, count(*) AS size FROM members GROUP BY class) m ON m.class = c.id;

CREATE TEMP TABLE IF NOT EXISTS apart AS SELECT blob, a, b, unit, mismatched, max_ulp_distance FROM divergences
UNION ALL SELECT blob, b, a, unit, mismatched, max_ulp_distance FROM divergences;
CREATE INDEX IF NOT EXISTS temp.apart_of_classes ON apart(blob, a, b);

SELECT op AS each, dtype, sentence FROM meanings ORDER BY id;
SELECT :each || iif(:dtype = 'f32', '', ' ' || :dtype) AS heading;
SELECT :sentence AS words;
SELECT a.k AS class, a.size AS builds, a.label AS members, b.k AS across, b.k AS place,
  CASE WHEN a.k = b.k THEN 'd0' WHEN d.mismatched > 0.1 THEN 'd3' WHEN d.mismatched > 0.01 THEN 'd2'
    WHEN d.mismatched > 0 THEN 'd1' WHEN d.a THEN 'd0' ELSE '' END AS "|{}%s",
  iif(a.k = b.k, '=', iif(a.k > b.k AND d.a IS NOT NULL, printf('%.0f%%', ceil(100 * d.mismatched)) || CASE
    WHEN d.unit IS NULL AND a.dtype <> 'f32' THEN '' -- earlier versions counted fp32's steps between results of 16 bits
    WHEN d.max_ulp_distance < 10000 THEN printf(' %.0f', d.max_ulp_distance)
      ELSE printf(' %.0e', d.max_ulp_distance) END, ' '))
FROM ranked a JOIN ranked b ON b.op = a.op AND b.dtype = a.dtype AND b.blob = a.blob AND b.k <= 20
LEFT JOIN apart d ON a.k > b.k AND d.blob = a.blob AND d.a = a.representative AND d.b = b.representative
WHERE a.op = :each AND a.dtype = :dtype AND a.k <= 20 ORDER BY a.k, b.k;
SELECT max(k) - 20 AS "words|And %d smaller classes: diverge.jsonl has their members." FROM ranked
WHERE op = :each AND dtype = :dtype HAVING max(k) > 20;
SELECT 0 AS "end";

SELECT 0 AS "heading|Builds whose bits do not change" FROM invariances LIMIT 1;
CREATE TEMP TABLE IF NOT EXISTS answers AS
SELECT i.id, i.status, v.*, column1 AS place, column2 AS name, column3 AS other, CASE column1 WHEN 1 THEN i.run
  WHEN 2 THEN i.threads WHEN 3 THEN i.row_position WHEN 4 THEN i.batch WHEN 5 THEN i.tail WHEN 6 THEN i.isa
    WHEN 7 THEN i.cc
  ELSE i.policy END AS same
FROM invariances i JOIN named v USING (variant), (VALUES(1, 'run again', 'run again'), (2, 'threads', 'threads'),
  (3, 'row position', 'row position'), (4, 'batch', 'batch'), (5, 'tail', 'tail'), (6, 'ISA', 'other ISA'),
  (7, 'compiler', 'other compiler'), (8, 'policy', 'other policy'));
SELECT coalesce('The bits of ' || sum(steady) || ' of ' || count(*) || ' kernels depend on none of the tested '
    || 'conditions: ' || group_concat(iif(steady, grp || ' ' || algorithm, NULL), ', ') || '.',
  'The bits of each of the ' || count(*) || ' kernels depend on a tested condition.') AS words
FROM (SELECT grp, algorithm, NOT sum(status <> 'ok') AND coalesce(min(same), 1) AND count(DISTINCT id) > 1 AS steady
  FROM answers GROUP BY op, algorithm, dtype ORDER BY min(id)) HAVING count(*) > 0;
SELECT 0 AS "words|Conditions: a repeated run; 1, 2 or many threads; another place in memory; another batch; equal
  values in the body and in the tail of a row (for results per element); and builds that only differ in the ISA, the
  compiler or the policy." FROM invariances LIMIT 1;
SELECT op AS operation, algorithm || iif(dtype = 'f32', '', ' ' || dtype) AS kernel, count(*) AS builds,
  name AS across, place,
  CASE WHEN min(same) THEN 'd0' WHEN sum(same) THEN 'd2' WHEN sum(same) = 0 THEN 'd3' ELSE '' END AS "|{}%s",
  iif(count(same), iif(min(same), 'all', sum(same) || ' of ' || count(same)), NULL)
FROM answers GROUP BY op, algorithm, dtype, place ORDER BY min(id), place;

SELECT 0 AS "fold|Every variant" FROM invariances LIMIT 1;
SELECT op AS "kernel|%s %s %s", algorithm, dtype, isa AS "ISA", cc AS compiler, policy, other AS across, place,
  iif(same, 'same', iif(NOT same, 'no', NULL)) AS "|%s" FROM answers ORDER BY id, place;
SELECT 0 AS "end";
