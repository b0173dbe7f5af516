-- SPDX-License-Identifier: MIT
-- The sides of a comparison. ?1 kind; ?2 axis, NULL or isa, cc, policy; ?3 margin; ?4 gates; ?5 detect; ?6 whether
-- builds are read as others; ?7 and ?8 what was named, as JSON: places with their runs, and values of the axis.
-- compare_kin: variants that are one but for the axis have one kin, and its name ("policy=*"); value: of the axis.
-- compare_code: the code of a variant in a run, with the version of what it calls; of libraries the version.
-- compare_values: all values of the axis, the usual ones first and in the usual order, by run. Libraries have none.
-- compare_sides: what is compared with the first of them: folders, named by the last part of their path if those
-- differ; or values, the first in the first folder, the others in the last one, and where none was named all that the
-- folder has, at most 16.
CREATE TEMP TABLE compare_plan(kind TEXT, axis TEXT, margin REAL, gates TEXT, detect REAL, any_code INTEGER);
INSERT INTO compare_plan VALUES(?1, ?2, ?3, ?4, ?5, ?1 = 'commit' OR ?4 <> '' OR ?6);
CREATE TEMP TABLE compare_words AS SELECT key + 1 AS run, value AS word FROM json_each(?7)
UNION ALL SELECT NULL, value FROM json_each(?8);
CREATE TEMP TABLE compare_kin(variant INTEGER PRIMARY KEY, kin INTEGER, name TEXT, value TEXT);
INSERT INTO compare_kin SELECT id, min(id) OVER (PARTITION BY name), name, value FROM (
  SELECT v.id, coalesce(replace(v.variant, '/' || p.axis || '=' || x.value, '/' || p.axis || '=*'),
    v.variant) AS name, x.value
  FROM variants v, temp.compare_plan p JOIN (SELECT id, CASE axis WHEN 'isa' THEN isa WHEN 'cc' THEN cc
    WHEN 'policy' THEN policy
    END AS value FROM variants, temp.compare_plan) x ON x.id = v.id
  WHERE p.axis IS NULL OR v.cc <> 'lib');
CREATE INDEX temp.compare_kin_of ON compare_kin(kin);
CREATE TEMP TABLE compare_code(run INTEGER, variant INTEGER, code TEXT, called TEXT,
  PRIMARY KEY(run, variant)) WITHOUT ROWID;
INSERT OR REPLACE INTO compare_code SELECT run, variant, code, called FROM run_codes;
CREATE TEMP TABLE compare_values AS
SELECT run, value FROM (
  SELECT r.id AS run, k.value, c.place FROM runs r JOIN cells c ON c.blob = r.timing JOIN temp.compare_kin k
    USING (variant)
  UNION ALL SELECT h.run, k.value, 1e9 + (SELECT min(record) FROM temp.first_errors e
    WHERE e.run = h.run AND e.first = h.first)
  FROM temp.shared h JOIN temp.compare_kin k USING (variant))
WHERE value IS NOT NULL GROUP BY run, value
ORDER BY run, coalesce(nullif(instr('scalar  avx2    avx512  off     on      default fast    reassoc fastmath',
  value), 0), 99),
  min(place);

CREATE TEMP TABLE compare_sides(side INTEGER PRIMARY KEY, run INTEGER, value TEXT, name TEXT, folder TEXT);
INSERT INTO compare_sides
WITH folder AS (SELECT run, word AS folder, coalesce(nullif(substr(word,
  length(rtrim(word, replace(word, '/', ''))) + 1), ''), word)
    AS last FROM temp.compare_words WHERE run),
value AS (SELECT row_number() OVER (ORDER BY rowid) AS place, word AS value FROM temp.compare_words WHERE run IS NULL)
SELECT run - 1, run, NULL, iif((SELECT count(DISTINCT last) < count(*) FROM folder), folder, last), folder
FROM folder, temp.compare_plan WHERE axis IS NULL
UNION ALL SELECT place - 1, run, value, value, folder FROM value, folder
WHERE run = iif(place = 1, 1, (SELECT max(run) FROM folder))
UNION ALL SELECT row_number() OVER (ORDER BY v.rowid) - 1, run, value, value, folder
FROM temp.compare_values v JOIN folder USING (run), temp.compare_plan
WHERE axis IS NOT NULL AND run = 1 AND NOT EXISTS(SELECT 1 FROM value) LIMIT 16;
UPDATE compare_plan SET kind = 'cpu' WHERE kind = 'runs' AND (SELECT count(DISTINCT machine) FROM runs) > 1;

-- Errors in the request, as an exit code and a text.
SELECT 2, 'compare: ' || s.value || ': neither a folder of results nor a value of ' || axis || ' in ' || s.folder
  || '; ''ulplab list'' shows the axes' FROM temp.compare_sides s, temp.compare_plan
WHERE value IS NOT NULL AND NOT EXISTS(SELECT 1 FROM temp.compare_values v WHERE v.run = s.run AND v.value = s.value);
SELECT 2, 'compare: ' || word || ': only one value of ' || axis
  || coalesce(': ' || (SELECT value FROM temp.compare_sides), '')
  || '; name two, or measure more' FROM temp.compare_words, temp.compare_plan WHERE run = 1 AND axis IS NOT NULL
AND (SELECT count(*) FROM temp.compare_sides) < 2;
WITH f AS (SELECT s.side, s.folder, r.machine, m.name,
    r.document ->> '$.request.seed' AS seed FROM temp.compare_sides s JOIN runs r ON r.id = s.run
      JOIN machine_names m ON m.id = r.machine)
SELECT 4, 'refused: ' || a.folder || ' and ' || b.folder || ': ' || CASE
    WHEN axis IS NOT NULL AND a.machine <> b.machine THEN 'different machines (' || a.name || ', ' || b.name
      || ') say nothing about flags; give one folder, or compare the CPUs with --by cpu'
    WHEN a.seed <> b.seed THEN 'inputs of seed ' || a.seed || ' against ' || b.seed
      || '; measure again with one --seed' END AS text
FROM temp.compare_plan, f a JOIN f b ON a.side = 0 AND b.side > 0 WHERE text IS NOT NULL;
