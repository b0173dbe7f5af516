-- SPDX-License-Identifier: MIT
-- The builds that agree bit for bit, by the hashes of the accuracy records: per operation a matrix of letters, and
-- its meaning in words. A kernel with a single build (a library's) is left out.
SELECT 0 AS "words|Builds of a kernel with the same letter (and colour) gave equal bits in every accuracy cell: every
  input family, every row length. `A` are the bits of the first build under the most conservative policy; the small
  number counts the kernel's bit patterns; kernels with a single pattern are named and have no row. A dot: not
  measured in every cell."
FROM error_variants LIMIT 1;
CREATE TEMP TABLE IF NOT EXISTS studied AS
SELECT s.run, s.variant, s.id, s.grp, s.algorithm || iif(s.dtype = 'f32', '', ' ' || s.dtype) AS kernel, s.isa, s.cc,
  s.policy, s.rank, b.class, 1 + max(b.class) OVER kernel AS classes, count(*) OVER kernel AS builds,
  min(s.id) OVER kernel AS place,
  dense_rank() OVER (ORDER BY s.cc) * 100 + s.rank AS build
FROM summary s LEFT JOIN bits b USING (run, variant) WINDOW kernel AS (PARTITION BY s.op, s.algorithm, s.dtype);
DELETE FROM studied WHERE builds < 2 OR classes IS NULL;

SELECT grp AS each FROM groups WHERE grp IN (SELECT grp FROM studied) ORDER BY place;
SELECT :each AS heading;
WITH RECURSIVE
of AS MATERIALIZED (SELECT * FROM studied WHERE grp = :each),
known AS MATERIALIZED (SELECT * FROM of WHERE class IS NOT NULL),
kernel AS (SELECT kernel, min(place) AS place, max(classes) AS classes FROM of GROUP BY kernel),
one AS (SELECT count(*) AS count, group_concat(kernel, ', ') AS names
  FROM (SELECT * FROM kernel WHERE classes = 1 ORDER BY place)),
question(axis, policy, words, place) AS (VALUES('isa', NULL, 'do not depend on the ISA', 1),
  ('policy', NULL, 'do not depend on the policy', 2), ('cc', 'off', 'do not depend on the compiler under off', 3),
  ('cc', 'default', 'do not depend on the compiler under its default', 4)),
pair AS (
  SELECT q.place, a.kernel, min(a.class = b.class) AS stable FROM question q
    JOIN known a ON a.policy = coalesce(q.policy,
    a.policy) JOIN known b ON b.kernel = a.kernel AND b.variant <> a.variant AND (b.isa <> a.isa) = (q.axis = 'isa')
    AND (b.policy <> a.policy) = (q.axis = 'policy') AND (b.cc <> a.cc) = (q.axis = 'cc') GROUP BY q.place, a.kernel),
answer AS (SELECT group_concat('; ' || stable || ' of ' || count || ' ' || words, '') AS text FROM (
  SELECT q.words, sum(stable) AS stable, count(*) AS count FROM question q JOIN pair USING (place) GROUP BY q.place
  ORDER BY q.place)),
agree AS MATERIALIZED ( -- builds that agree in every kernel on every ISA
  SELECT a.build AS a, b.build AS b, b.cc || ' ' || b.policy AS name FROM known a JOIN known b ON b.kernel = a.kernel
    AND b.isa = a.isa GROUP BY a.build, b.build HAVING min(a.class = b.class)),
-- A build begins a group unless it agrees with the first build of an earlier group.
build AS MATERIALIZED (SELECT b, row_number() OVER (ORDER BY b) AS k FROM (SELECT DISTINCT b FROM agree)),
walk(k, firsts) AS (SELECT 0, ',' UNION ALL SELECT n.k, w.firsts || iif(EXISTS(SELECT 1 FROM agree g
    WHERE g.b = n.b AND instr(w.firsts, ',' || g.a || ',')), '', n.b || ',') FROM walk w JOIN build n ON n.k = w.k + 1),
leader AS (SELECT g.b, min(g.a) AS a FROM agree g WHERE instr((SELECT firsts FROM walk ORDER BY k DESC LIMIT 1),
    ',' || g.a || ',') AND g.a <= g.b GROUP BY g.b),
equal AS (SELECT group_concat(text, '; ') AS text FROM (
  SELECT group_concat(name, ' = ') AS text FROM (SELECT l.a, g.name FROM leader l
    JOIN agree g ON g.a = l.a AND g.b = l.b ORDER BY l.a, l.b) GROUP BY a HAVING count(*) > 1 ORDER BY a))
SELECT iif(one.count, one.names || iif(one.count = 1, ' gives', ' give')
    || ' one bit pattern on every ISA, under every compiler and policy',
    'None of its ' || (SELECT count(*) FROM kernel) || ' kernels has one bit pattern everywhere')
  || coalesce(answer.text, '') || '.' || coalesce(' The same bits in every kernel on every ISA: ' || equal.text || '.',
    ' No two builds agree in every kernel.') AS words FROM one, answer, equal;

SELECT s.grp AS row_op, 'classes' AS style, s.kernel AS "kernel|%s ~%d~", s.classes, s.isa AS "ISA",
  s.cc || ' ' || s.policy AS across, s.build AS place,
  iif(s.class IS NULL, '', 'k' || (s.class % 8) || iif(s.class < 8, '', ' again')) AS "|{}%s",
  CASE WHEN s.class IS NULL THEN '·' WHEN s.class < 26 THEN char(65 + s.class) ELSE s.class + 1 END
FROM studied s WHERE s.grp = :each AND s.classes > 1
ORDER BY s.place, coalesce(nullif(instr('scalar     avx2       avx512     avx512fp16', s.isa), 0), 99), s.isa, s.build;
SELECT 0 AS "end";
