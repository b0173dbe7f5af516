-- SPDX-License-Identifier: MIT
-- The code path that a kernel selects by the job's sizes. If a kernel called `best` was timed, only its paths; other
-- kernels that select paths have the same source.
CREATE TEMP TABLE IF NOT EXISTS ways AS
WITH
cell AS (
  SELECT c.*, d.ways, row_number() OVER (PARTITION BY c.run, c.grp, c.isa, c."rows", c.n ORDER BY c.ns, c.cell) AS k
  FROM timed c JOIN summary s USING (run, variant) JOIN runs r ON r.id = c.run
  JOIN cell_details d ON d.blob = r.timing AND d.variant = c.variant AND d.shape = c.shape
  WHERE c.threads = 1 AND c.family = 'normal' AND s.advised AND NOT c.library AND json_array_length(d.ways) > 0
    AND (c.algorithm = 'best' OR c.grp NOT IN (SELECT grp FROM timed WHERE algorithm = 'best' AND NOT library))),
way AS (
  SELECT c.cell, c.k, c.grp, c.isa, c."rows" * c.n AS size, c.n, w.key AS question, w.value ->> 'way' AS way,
    w.value ->> 'what' AS what, w.value ->> 'unit' AS unit, w.value ->> 'have' AS have, w.value ->> 'limit' AS most,
    w.value ->> 'where' AS "where", w.value ->> 'why' AS why, w.value ->> 'taken' AS taken,
    w.value ->> 'beyond' AS beyond
  FROM cell c, json_each(c.ways) w WHERE w.type = 'object')
SELECT *, lead(way) OVER (PARTITION BY cell ORDER BY question) IS NOT way AS decides,
  iif(unit = 'bytes', size_text(have), printf('%.0f %s', have, unit)) AS has,
  iif(unit = 'bytes', size_text(most), printf('%.0f %s', most, unit)) AS "limit"
FROM way;

SELECT 0 AS "words|Some kernels select a code path by the shape, according to the conditions in a table
  (simd/invariant/dispatch.h). A path is taken if all its conditions hold; limits are measured cache sizes of this
  machine. All paths give the same bits." FROM ways LIMIT 1;
-- Each condition that some kernel tests, once.
SELECT way, what AS "taken where|%s %s %s (here %s)", iif(beyond, 'beyond', 'within'), "where", "limit",
  why AS "because|{text}%s"
FROM (SELECT *, row_number() OVER (PARTITION BY way, why ORDER BY grp, isa, size, n, k, question) AS j,
  row_number() OVER (ORDER BY grp, isa, size, n, k, question) AS place FROM ways) WHERE j = 1 ORDER BY place;

SELECT 0 AS "words|The selected paths of the fastest such kernel at each shape on one thread: for each path the
  condition that decided." FROM ways LIMIT 1;
SELECT c.grp AS row_op, c.grp AS operation, c.isa AS "ISA", c."rows" AS "rows x n|%dx%d", c.n, c.residency AS "in",
  c.algorithm AS "kernel|%s %s %s", c.cc, c.policy, coalesce((SELECT group_concat(way, ', ')
    FROM (SELECT way FROM ways w
    WHERE w.cell = c.cell AND decides AND taken ORDER BY question)), 'row by row') AS way, c.ns AS "ns/element|%.4f",
  (SELECT group_concat(text, '; ') FROM (SELECT iif(taken, '', 'not ') || way || ': ' || has
      || iif(what = unit, '', ' of ' || what) || ', ' || iif(have > most, 'beyond ', 'within ') || "limit" || ' ('
      || "where" || ')' AS text
    FROM ways w WHERE w.cell = c.cell AND decides ORDER BY question)) AS "why|{text}%s"
FROM timed c WHERE c.cell IN (SELECT cell FROM ways WHERE k = 1) ORDER BY c.grp, c.isa, c."rows" * c.n, c.n;
