-- SPDX-License-Identifier: MIT
-- Which build is named as the fastest? The one definition, for reports of a run and for pages of several
-- machines: who asks fills contenders, and the view `winners` answers.
-- contenders: cells of advised builds in the contests that they enter. A contest is of a side (a run, or a
-- machine of a page), a group of kernels, an ISA ('': all) and a class of shapes: one shape, or several, of
-- which a build must have each. t: what pair(a, b) takes; judged: the error that the bar judges; bounded: how
-- many of its records a promise bounds; apart: how far identical code is apart on this side, NULL: not known.
CREATE TEMP TABLE contenders(side INTEGER, grp TEXT, isa TEXT, class TEXT, shape INTEGER, cell INTEGER,
  variant INTEGER, ns REAL, t BLOB, judged REAL, bounded INTEGER, apart REAL);
CREATE INDEX temp.contenders_of_contests ON contenders(side, grp, isa, class, variant, shape);
-- Policies that promise something, the most conservative first; `default` last, as it means something else to
-- another compiler or under another -std.
CREATE TEMP TABLE cautions(policy TEXT PRIMARY KEY, caution INTEGER);
INSERT INTO cautions VALUES('off', 1), ('on', 2), ('fast', 3), ('default', 4);

-- Builds that have each shape of their contest. behind: the mean of their time over the fastest there, so that
-- each shape weighs the same; ns: the geometric mean. built_for: the build's ISA.
CREATE TEMP VIEW entrants AS
WITH cell AS (SELECT *, min(ns) OVER (PARTITION BY side, grp, isa, class, shape) AS best FROM temp.contenders),
score AS (
  SELECT side, grp, isa, class, variant, count(*) AS shapes, geomean(ns / best) AS behind, geomean(ns) AS ns,
    judged, bounded, apart FROM cell GROUP BY side, grp, isa, class, variant),
whole AS (
  SELECT side, grp, isa, class, count(DISTINCT shape) AS shapes FROM temp.contenders
  GROUP BY side, grp, isa, class)
SELECT s.*, v.algorithm, v.isa AS built_for, v.policy, v.variant AS id
FROM score s JOIN whole USING (side, grp, isa, class, shapes) JOIN variants v ON v.id = s.variant;

-- As fast as the fastest is what the clock knows to be slower at no shape, or is no further behind than
-- identical code is apart. Of these the kernel with the smaller error wins, then that of which more is promised
-- (`best` is one build of the text `invariant`, which stands for both); of its builds that are as fast the one
-- under the most conservative policy is named.
CREATE TEMP VIEW winners AS
WITH
entrant AS MATERIALIZED (
  SELECT *, row_number() OVER (PARTITION BY side, grp, isa, class ORDER BY behind, id) AS place
  FROM temp.entrants),
alike AS MATERIALIZED (
  SELECT e.*, first_value(e.algorithm || ' ' || e.built_for) OVER (PARTITION BY e.side, e.grp, e.isa, e.class
    ORDER BY e.judged, e.bounded DESC, e.algorithm = 'best', e.behind, e.id) AS chosen
  FROM entrant f JOIN entrant e USING (side, grp, isa, class) WHERE f.place = 1 AND (e.place = 1 OR (
    SELECT total(pair_low(a.t, b.t) <= 1) = count(*) OR geomean(pair(a.t, b.t)) <= 1 + e.apart
    FROM temp.contenders a JOIN temp.contenders b USING (side, grp, isa, class, shape)
    WHERE a.side = e.side AND a.grp = e.grp AND a.isa = e.isa AND a.class = e.class AND a.variant = f.variant
      AND b.variant = e.variant)))
SELECT side, grp, isa, class, variant, algorithm, built_for, shapes, behind, ns FROM (
  SELECT *, row_number() OVER (PARTITION BY side, grp, isa, class ORDER BY coalesce(caution, 5), behind, id) AS k
  FROM alike LEFT JOIN temp.cautions USING (policy) WHERE algorithm || ' ' || built_for = chosen) WHERE k = 1;
