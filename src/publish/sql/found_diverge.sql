-- SPDX-License-Identifier: MIT
-- The variants that agree bit for bit, for people (found.sql): for each operation and type a sentence, the largest
-- classes of equal bits, and their distances.
CREATE TEMP TABLE class AS
SELECT *, row_number() OVER (PARTITION BY op, dtype ORDER BY size DESC, class) AS k
FROM (SELECT record ->> 'op' AS op, record ->> 'dtype' AS dtype, record ->> 'class' AS class, record ->> 'size' AS size,
  record ->> 'label' AS label, record ->> 'representative' AS representative FROM found WHERE list = 'classes');
CREATE TEMP TABLE pair AS
SELECT a.op, a.dtype, min(a.k, b.k) AS a, max(a.k, b.k) AS b, record ->> 'mismatched' AS share,
  record ->> 'max_ulp_distance' AS ulp
FROM found p JOIN class a ON a.representative = p.record ->> 'a' JOIN class b ON b.representative = p.record ->> 'b'
WHERE list = 'pairs' AND a.k <= 24 AND b.k <= 24;

SELECT 0 AS each, record ->> 'op' AS op, record ->> 'dtype' AS dtype, record ->> 'sentence' AS sentence FROM found
WHERE list = 'meanings';
SELECT :op || ' ' || :dtype || ': ' || :sentence AS words;
SELECT '' AS note;
SELECT k AS "class|{>}", size AS "variants|{>}", label AS "of equal bits" FROM class
WHERE op = :op AND dtype = :dtype AND k <= 24 ORDER BY k;
SELECT 'and ' || (count(*) - 24) || ' smaller classes: --json has all' AS note FROM class
WHERE op = :op AND dtype = :dtype HAVING count(*) > 24;
-- On a screen the matrix is split into parts of a few columns.
SELECT '' AS note FROM pair WHERE op = :op AND dtype = :dtype LIMIT 1;
SELECT 'elements that differ, and the largest distance in ulp:' AS note FROM pair WHERE op = :op AND dtype = :dtype
LIMIT 1;
SELECT DISTINCT 0 AS each, (b - 2) / iif(:screen, 6, 23) AS part FROM pair WHERE op = :op AND dtype = :dtype
ORDER BY part;
SELECT a AS "class|{>}", b AS across, b AS place,
  printf('%.0f%% ', ceil(100 * share)) || iif(ulp < 10000, ulp, printf('%.0e', ulp)) AS "|{>}"
FROM pair WHERE op = :op AND dtype = :dtype AND (b - 2) / iif(:screen, 6, 23) = :part ORDER BY a, b;
SELECT 0 AS "end";
SELECT '' AS note;
SELECT 0 AS "end";

-- Variants whose bits depend on conditions that should not matter.
SELECT id || ': bits depend on: ' || q.column1 AS note
FROM found_named, (VALUES('run'), ('threads'), ('row_position'), ('batch'), ('tail')) q
WHERE list = 'invariance' AND record -> q.column1 = 'false' ORDER BY at;
SELECT f.id || ': ' || (x.value ->> 'name') || ': ' || CASE WHEN x.value ->> 'status' <> 'ok'
    THEN 'it failed, ' || (x.value ->> 'status') WHEN NOT x.value ->> 'answer' THEN 'other bits'
    WHEN x.value ->> 'words' <> '' THEN 'not tried' ELSE 'equal bits' END || ': ' || (x.value ->> 'words')
  || iif(x.value ->> 'words' <> '' AND x.value ->> 'tried' <> '', '; tried: ', '') || (x.value ->> 'tried') AS note
FROM found_named f, json_each(record, '$.experiments') x
WHERE list = 'invariance' ORDER BY at, x.key;
SELECT text AS note FROM found_reasons;
SELECT printf('%d variants in %d classes of equal bits', (SELECT count(*) FROM found_named WHERE list = 'invariance'
  AND status = 'ok'), (SELECT count(*) FROM class)) AS note WHERE NOT :brief;
