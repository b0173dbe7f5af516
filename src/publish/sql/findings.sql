-- SPDX-License-Identifier: MIT
-- The tables of reports, made from those of facts.sql. ?1 is the error bar of advice, in ulp, or in u where results
-- come near zero.

CREATE TEMP TABLE given(bar REAL, root TEXT DEFAULT ''); -- root: where a run's pages stand
INSERT INTO given(bar) VALUES(?1);

-- Whole scans: every result of a function of one element. short: the largest error in short rows, whose ends run other
-- code.
CREATE TEMP TABLE whole_scans(run INTEGER, variant INTEGER, scan INTEGER, error REAL, short REAL, lost INTEGER,
  short_lost INTEGER, broken INTEGER, PRIMARY KEY(run, variant));
INSERT OR REPLACE INTO whole_scans
SELECT f.run, s.variant, s.id, iif(s.lost > 0 OR (s.lost IS NULL AND s.nan + s.inf > 0), 9e999, s.max_ulp),
  iif((s.short ->> 'lost') > 0, 9e999, s.short ->> 'max_ulp'), coalesce(s.lost, s.nan + s.inf), s.short ->> 'lost',
  s.verdict IS 'broken' OR s.status NOT IN ('ok', 'skipped', 'unbuilt', 'interrupted')
FROM files f JOIN scans s ON s.blob = f.blob
WHERE s."range" = 'all' AND coalesce(s.max_ulp, s.lost) IS NOT NULL ORDER BY s.id;

-- The shape of one thread and family normal at which most variants were timed.
CREATE TEMP TABLE home(run INTEGER PRIMARY KEY, "rows" INTEGER, n INTEGER);
INSERT INTO home SELECT run, "rows", n FROM (
  SELECT run, "rows", n, row_number() OVER (PARTITION BY run ORDER BY count(*) DESC, min(place)) AS k FROM timed
  WHERE NOT library AND threads = 1 AND family = 'normal' GROUP BY run, "rows", n) WHERE k = 1;

-- The largest error on family normal, in the operation's unit; of libraries, too.
CREATE TEMP TABLE normal_errors(run INTEGER, variant INTEGER, error REAL, PRIMARY KEY(run, variant));
INSERT INTO normal_errors SELECT s.run, s.variant, error FROM shared s
  CROSS JOIN (SELECT run, first, max(error) AS error FROM first_errors WHERE family = 'normal' GROUP BY run, first)
    USING (run, first);

-- One line per variant of the lab's that a record names. error: what variants of an operation are ranked by, the
-- largest on family normal. judged: the error that the bar judges, the largest over the whole scan where there is one,
-- else over every family; of measure 1, which has zeros in no figure in ulp, infinite where there were any. lost: the
-- most results without a distance in one record. specials: NaN, infinities and signs that are not as they should be.
-- broken: some cell, or its scan, broke a promise of its file. may_promise: its file bounds some errors; also where
-- records do not say. bounded: the records whose errors it bounds. keeps: it keeps what its file promises, under a
-- policy that promises something; a kernel whose errors nobody bounds does if it loses nothing. advised: it also stays
-- within the bar. candidate: of these, what was timed at home and has an error. front: no candidate of its group is as
-- fast and as accurate, and better in one.
CREATE TEMP TABLE summary AS
WITH
row AS NOT MATERIALIZED (
  SELECT *, verdict IS 'broken' OR coalesce(status, 'ok') NOT IN ('ok', 'skipped', 'unbuilt', 'interrupted') AS broken
  FROM first_errors WHERE NOT library),
accuracy AS (
  SELECT run, first, max(coalesce(hazard, 0)) AS hazard, max(broken) AS broken,
    max(verdict <> 'measured') AS bounds, sum(verdict IS 'kept') AS bounded,
    max(iif(nan + inf + sign IS NULL, NULL, lost)) AS lost,
    max(iif(family = 'normal' AND max_ulp IS NOT NULL, error, NULL)) AS error,
    max(iif(NOT near_zero AND measure = 1 AND flushed > 0, 9e999, error)) AS judged, max(scaled_error) AS worst_scaled,
    avg(iif(family = 'normal' AND max_ulp IS NOT NULL, mean_ulp, NULL)) AS mean_ulp, max(bound_ratio) AS worst_bound,
    sum(nan + inf + sign) AS specials
  FROM row GROUP BY run, first),
worst AS (SELECT run, first, family, max(max_ulp) AS max_ulp FROM row GROUP BY run, first),
scan AS (
  SELECT x.run, x.variant, coalesce(s.hazard, 0) AS hazard, x.broken, s.verdict <> 'measured' AS bounds,
    max(coalesce(iif(s.nan + s.inf + s.sign IS NULL, NULL, x.lost), x.short_lost),
      coalesce(x.short_lost, iif(s.nan + s.inf + s.sign IS NULL, NULL, x.lost))) AS lost,
    max(coalesce(iif(s.measure = 1 AND s.flushed > 0, 9e999, x.error), x.short),
      coalesce(x.short, iif(s.measure = 1 AND s.flushed > 0, 9e999, x.error))) AS judged
  FROM whole_scans x JOIN scans s ON s.id = x.scan WHERE x.error IS NOT NULL),
told AS (
  SELECT run, variant FROM shared JOIN named USING (variant) WHERE NOT library
  UNION SELECT r.id, c.variant FROM runs r CROSS JOIN cells c ON c.blob = r.timing JOIN named v USING (variant)
    WHERE NOT v.library
  UNION SELECT run, variant FROM whole_scans),
known AS (
  SELECT v.*, t.run, coalesce(u.unit, 'ulp') AS unit, max(coalesce(a.hazard, 0), coalesce(s.hazard, 0)) AS hazard,
    max(coalesce(a.broken, 0), coalesce(s.broken, 0)) AS broken,
    coalesce(max(a.bounds, s.bounds), a.bounds, s.bounds, 1) AS may_promise, coalesce(a.bounded, 0) AS bounded,
    max(coalesce(a.lost, s.lost), coalesce(s.lost, a.lost)) AS lost, a.error,
    iif(s.run IS NULL, a.judged, s.judged) AS judged,
    w.max_ulp AS worst_ulp, iif(w.max_ulp IS NULL, NULL, w.family) AS worst_family, a.worst_scaled, a.mean_ulp,
    a.worst_bound, a.specials
  FROM told t JOIN named v USING (variant) LEFT JOIN units u ON u.run = t.run AND u.op = v.op
  LEFT JOIN shared h ON h.run = t.run AND h.variant = t.variant
  LEFT JOIN accuracy a ON a.run = h.run AND a.first = h.first
  LEFT JOIN worst w ON w.run = h.run AND w.first = h.first
  LEFT JOIN scan s ON s.run = t.run AND s.variant = t.variant),
kept AS (
  SELECT k.*, NOT hazard AND NOT broken AND (may_promise OR NOT coalesce(lost > 0, 0)) AND k.promises AS keeps,
  c.cell AS home, c.ns, c.low, c.high, c.percent, c.t
  FROM known k LEFT JOIN home h ON h.run = k.run
  LEFT JOIN timed c ON c.run = k.run AND c.variant = k.variant AND c."rows" = h."rows" AND c.n = h.n AND c.threads = 1
    AND c.family = 'normal'),
judged AS (
  SELECT *, keeps AND coalesce(judged <= ?1, 0) AS advised,
    keeps AND coalesce(judged <= ?1, 0) AND ns IS NOT NULL AND error IS NOT NULL AS candidate FROM kept)
SELECT *, candidate AND coalesce(min(error) OVER (PARTITION BY run, grp, candidate ORDER BY ns
      GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) > error, 1)
    AND coalesce(min(error) OVER (PARTITION BY run, grp, candidate, ns) >= error, 1) AS front
FROM judged ORDER BY run, variant;
CREATE UNIQUE INDEX temp.summary_variants ON summary(variant, run);

-- Input families in the order to show them in.
CREATE TEMP TABLE families(family TEXT PRIMARY KEY, place INTEGER);
INSERT INTO families SELECT family, row_number() OVER (ORDER BY coalesce(nullif(instr(
  ' normal uniform logits attention offset onehot constant alternating tiny wide sorted masked below outlier huge '
  || 'special adversarial ', ' ' || family || ' '), 0), 999), min(id)) FROM errors WHERE family <> '' GROUP BY family;

-- Groups in the order to show them in.
CREATE TEMP TABLE groups(run INTEGER, grp TEXT, place INTEGER, unit TEXT, PRIMARY KEY(run, grp));
INSERT INTO groups SELECT run, grp, row_number() OVER (PARTITION BY run ORDER BY CASE grp WHEN 'softmax' THEN 1
    WHEN 'log_softmax' THEN 2 WHEN 'logsumexp' THEN 3 WHEN 'moments' THEN 4 WHEN 'layernorm' THEN 5
      WHEN 'layernorm_bare'
    THEN 6 WHEN 'rmsnorm' THEN 7 ELSE 8 END, instr(grp, ' ') > 0, min(id)), unit FROM summary GROUP BY run, grp;

-- picks: the winners (winners.sql) of each group: on each ISA at each shape; of all ISAs on one thread by class of
-- shapes, short rows (n <= 64) and longer ones by where they live; and, class 'home', of the candidates at home.
-- cell: where it is one shape.
INSERT INTO contenders
SELECT t.run, t.grp, e.isa, e.class, t.shape, t.cell, t.variant, t.ns, t.t, s.judged, s.bounded, i.p95
FROM (SELECT home AS cell, '' AS isa, 'home' AS class FROM summary WHERE candidate
  UNION ALL SELECT cell, isa, shape FROM timed WHERE NOT library AND family = 'normal'
  UNION ALL SELECT cell, '', iif(n <= 64, 'short rows', residency) FROM timed
    WHERE NOT library AND family = 'normal' AND threads = 1) e
JOIN timed t USING (cell) JOIN summary s USING (run, variant) JOIN identical i USING (run) WHERE s.advised;
CREATE TEMP TABLE picks AS
SELECT w.side AS run, w.grp, w.isa, w.class, t."rows", t.n, t.threads, t.cell, w.variant, w.algorithm, w.built_for, w.ns
FROM winners w LEFT JOIN contenders c ON w.shapes = 1 AND c.side = w.side AND c.grp = w.grp AND c.isa = w.isa
  AND c.class = w.class AND c.variant = w.variant
LEFT JOIN timed t ON t.cell = c.cell;
-- choices: of each group the fastest candidate at home, and the most accurate one.
CREATE TEMP TABLE choices(run INTEGER, grp TEXT, fastest INTEGER, accurate INTEGER, PRIMARY KEY(run, grp));
INSERT INTO choices
SELECT f.run, f.grp, f.variant, a.variant FROM picks f JOIN (SELECT run, grp, variant,
    row_number() OVER (PARTITION BY run, grp ORDER BY error, ns, id) AS by_error FROM summary WHERE candidate) a
  USING (run, grp) WHERE f.class = 'home' AND a.by_error = 1;

-- The cells of gains.sql; a side is a run. Double has separate figures (sections/double.sql).
INSERT INTO gain_cells
SELECT t.run, t.variant, t.grp, t.algorithm, t.isa, t.cc, t.policy, c.arithmetic, t.shape, t.n, t.residency, t.percent,
  t.ns, t.times, t.t, t.hash, s.hazard, s.advised, t.dtype = 'f32', 1
FROM timed t JOIN summary s USING (run, variant) JOIN runs r ON r.id = t.run
LEFT JOIN codes c ON c.blob = r.codegen AND c.variant = t.variant
WHERE NOT t.library AND t.threads = 1 AND t.family = 'normal' AND t.dtype <> 'f64';

-- The row lengths at which every family was measured: those that the bar speaks of.
CREATE TEMP TABLE lengths AS
SELECT coalesce((SELECT ' in rows of ' || group_concat(n, ', ') || ' elements' FROM (
  SELECT n FROM errors WHERE family IN (SELECT family FROM families WHERE family NOT IN ('adversarial', 'input'))
  GROUP BY n HAVING count(DISTINCT family) = (SELECT count(*) FROM families
    WHERE family NOT IN ('adversarial', 'input'))
  ORDER BY n)), '') AS text;

-- Classes of equal bits among a kernel's builds, from 0, that of the most conservative policy; of those that were
-- measured in every cell.
CREATE TEMP TABLE bits(run INTEGER, variant INTEGER, class INTEGER, PRIMARY KEY(run, variant));
INSERT INTO bits
WITH
signed AS (
  SELECT run, variant, cells, bits FROM shared CROSS JOIN (
    SELECT run, first, count(*) AS cells, digest(hash_of(family, n, bits)) AS bits FROM first_errors
    WHERE bits IS NOT NULL AND NOT library GROUP BY run, first) USING (run, first)),
whole AS (
  SELECT * FROM (SELECT s.*, v.op, v.algorithm, v.dtype, v.rank || ' ' || v.id AS place,
    max(cells) OVER (PARTITION BY s.run, v.op, v.algorithm, v.dtype) AS most FROM signed s JOIN named v USING (variant))
  WHERE cells = most)
SELECT run, variant, dense_rank() OVER (PARTITION BY run, op, algorithm, dtype ORDER BY first) - 1 FROM (
  SELECT *, min(place) OVER (PARTITION BY run, op, algorithm, dtype, bits) AS first FROM whole);

-- Cells of family normal. at: the ISA at which they are compared: the widest for a library whose ISA cannot be
-- limited.
CREATE TEMP VIEW placed AS
SELECT t.*, iif(isa = 'auto', iif(w.wide, 'avx512', 'avx2'), isa) AS at FROM timed t LEFT JOIN (
  SELECT run, max(isa = 'avx512') AS wide FROM timed WHERE NOT library AND family = 'normal' GROUP BY run) w USING (run)
WHERE family = 'normal';

-- The lab compared with libraries and plain loops: per operation, ISA and shape, on one thread and family normal, the
-- fastest advised variant, the fastest library, and the fastest plain loop under any policy. If the call overhead
-- dominates the fastest library's time, no library is compared, because the next one would misrepresent the field
-- (`bound`). Numbers are cells of `timed`.
CREATE TEMP TABLE field AS
WITH
libraries AS MATERIALIZED (
  SELECT DISTINCT r.id AS run, v.grp FROM runs r JOIN cells c ON c.blob = r.timing JOIN named v USING (variant)
  WHERE v.library),
one AS MATERIALIZED (SELECT * FROM placed WHERE threads = 1),
sorted AS (
  SELECT run, grp, at AS isa, "rows", n, ns, cell, call_bound, CASE
    WHEN library THEN iif(algorithm = 'peer-libulp', NULL, 'library')
    WHEN at NOT IN ('avx2', 'avx512') OR dtype <> 'f32' THEN NULL
    WHEN anyone THEN iif((run, grp) IN (SELECT run, grp FROM libraries), 'loop', NULL)
    WHEN (SELECT advised FROM summary s WHERE s.run = one.run AND s.variant = one.variant) THEN 'lab' END AS kind
  FROM one),
best AS (
  SELECT *, row_number() OVER (PARTITION BY run, grp, isa, "rows", n, kind ORDER BY ns, cell) AS k FROM sorted
  WHERE kind IS NOT NULL)
SELECT run, grp, isa, "rows", n, max(iif(kind = 'lab', cell, NULL)) AS lab,
  max(iif(kind = 'library' AND NOT call_bound, cell, NULL)) AS library, max(iif(kind = 'loop', cell, NULL)) AS loop,
  max(iif(kind = 'library' AND call_bound, cell, NULL)) AS bound
FROM best WHERE k = 1 GROUP BY run, grp, isa, "rows", n ORDER BY run, grp, isa, "rows" * n, n;

-- The lab compared with each kind of rival, at the cells of `field` that have both. ratio: the rival's time over the
-- lab's. It is also unsteady if it is not known to within a tenth: its interval is wider than a factor of 1.21.
CREATE TEMP TABLE rivals AS
SELECT f.run, f.kind, f.grp, f.isa, f."rows", f.n, f.lab, f.rival, l.shapes, pair(l.t, p.t) AS ratio,
  pair_low(l.t, p.t) AS low, pair_high(l.t, p.t) AS high, pair_tied(l.t, p.t) AS tied,
  iif(l.two_modes OR p.two_modes OR pair_off(l.t, p.t) > 0, 'two-modes', iif(l.unsteady OR p.unsteady
    OR pair_high(l.t, p.t) > 1.21 * pair_low(l.t, p.t), 'unsteady', '')) AS flag
FROM (SELECT 'library' AS kind, library AS rival, * FROM field UNION ALL SELECT 'loop', loop, * FROM field) f
JOIN timed l ON l.cell = f.lab JOIN timed p ON p.cell = f.rival;

-- The results that a policy loses, or flushes to zero, and that off computes in the same build: by whole scans if
-- both have one, otherwise by their accuracy.
CREATE TEMP TABLE worsened AS
WITH
tally AS MATERIALIZED (
  SELECT x.run, x.variant, 1 AS scanned, s.measure, s.nan, s.inf, x.lost, s.flushed FROM whole_scans x
  JOIN scans s ON s.id = x.scan WHERE s.nan IS NOT NULL
  UNION ALL SELECT run, variant, 0, measure, nan, inf, lost, flushed FROM shared CROSS JOIN (
    SELECT run, first, max(measure) AS measure, sum(nan) AS nan, sum(inf) AS inf,
    sum(coalesce(lost, nan + inf)) AS lost,
      sum(flushed) AS flushed
    FROM first_errors WHERE nan IS NOT NULL AND NOT library GROUP BY run, first) USING (run, first)),
loss AS (
  SELECT m.run, m.variant, m.scanned, m.lost - o.lost AS lost, max(0, m.nan - o.nan) AS nan,
  max(0, m.inf - o.inf) AS inf,
    m.flushed - o.flushed AS flushed, m.measure = o.measure AS comparable,
    max(m.scanned) OVER (PARTITION BY m.run, m.variant) AS best
  FROM tally m JOIN summary s ON s.run = m.run AND s.variant = m.variant AND NOT s.hazard AND s.policy <> 'off'
  JOIN named v ON v.variant = m.variant JOIN tally o ON o.run = m.run AND o.variant = v.off AND o.scanned = m.scanned)
SELECT run, variant, op, algorithm, isa, cc, policy, lost, nan, inf, flushed, scanned FROM loss JOIN named
USING (variant) WHERE scanned = best AND comparable;
CREATE TEMP TABLE losses AS
SELECT run, variant, cc, policy, lost, nan, inf, scanned, row_number() OVER (PARTITION BY run, cc, policy
    ORDER BY scanned DESC, lost DESC, op, algorithm, isa) AS place FROM worsened WHERE lost > 0;
CREATE TEMP TABLE flushes AS
SELECT run, variant, cc, policy, flushed, scanned, row_number() OVER (PARTITION BY run, cc, policy
    ORDER BY scanned DESC, flushed DESC, op, algorithm, isa) AS place,
    count(*) OVER (PARTITION BY run, cc, policy) AS builds
FROM worsened WHERE flushed > 0;

-- Blocks with controls, and whether two timings of one code are known within 1% of each other there, in most of them.
CREATE TEMP TABLE blocks AS
SELECT r.id AS run, k.block, 2 * sum(NOT coalesce(0.5 * ln(k.high / k.low) <= 0.01, 0)) <= count(*) AS steady
  FROM runs r JOIN controls k ON k.blob = r.timing GROUP BY r.id, k.block;

-- The vector-math table: of each unary function what every build of every library does, over all 2^32 inputs, and how
-- fast: one thread, family normal, resident in L1, the longest rows. own: computes by the lab's own code, and not a
-- library's. front: no candidate of its function and ISA is as fast and as accurate, and better in one of both. ahead:
-- an own one's fastest library's candidate that is both faster and more accurate. same: the first row of equal machine
-- code. depends_on_..: is there a build that differs in that axis alone and has other results? NULL: there is none to
-- tell by.
CREATE TEMP TABLE vector_builds AS
SELECT row_number() OVER (ORDER BY x.run, v.op, v.algorithm, v.isa <> 'scalar', v.isa, v.cc, v.policy) AS place,
  x.run, x.variant, s.id AS scan, v.id, v.op, v.algorithm, v.isa, v.cc, v.policy, x.error AS max_ulp,
  s.libraries IS NULL AS own, coalesce(s.hazard, 0) OR m.hazard AS hazard, s.status IS NOT 'ok' AS wrong,
  s.status IS 'ok' AND m.advised AS candidate, t.cell, t.ns, t.cycles, nullif(s.outputs, '') AS outputs,
  nullif(s.code_hash, '') AS code_hash
FROM whole_scans x JOIN scans s ON s.id = x.scan JOIN named v ON v.variant = x.variant
JOIN summary m ON m.run = x.run AND m.variant = x.variant
LEFT JOIN (SELECT run, variant, cell, ns, cycles, max(n) FROM timed WHERE threads = 1 AND residency = 'L1'
  AND family = 'normal' AND NOT library GROUP BY run, variant) t ON t.run = x.run AND t.variant = x.variant
WHERE v.dtype = 'f32';
CREATE INDEX temp.vectors_of_functions ON vector_builds(run, op, algorithm);
CREATE TEMP TABLE vectors AS
SELECT *, candidate AND ns IS NOT NULL AND NOT EXISTS(SELECT 1 FROM vector_builds o WHERE o.run = v.run AND o.op = v.op
    AND o.candidate AND o.isa = v.isa AND o.ns <= v.ns AND o.max_ulp <= v.max_ulp
    AND (o.ns < v.ns OR o.max_ulp < v.max_ulp)) AS front,
  (SELECT o.algorithm FROM vector_builds o WHERE v.own AND o.run = v.run AND o.op = v.op AND o.candidate
    AND o.isa = v.isa AND NOT o.own AND o.ns < v.ns AND o.max_ulp < v.max_ulp ORDER BY o.ns, o.place LIMIT 1) AS ahead,
  (SELECT min(o.place) FROM vector_builds o WHERE o.run = v.run AND o.op = v.op AND o.algorithm = v.algorithm
    AND o.isa = v.isa AND (o.place = v.place OR o.code_hash = v.code_hash)) AS same,
  (SELECT max(o.outputs <> v.outputs) FROM vector_builds o WHERE o.run = v.run AND o.op = v.op
    AND o.algorithm = v.algorithm AND o.isa = v.isa AND o.cc = v.cc AND o.policy <> v.policy) AS depends_on_policy,
  (SELECT max(o.outputs <> v.outputs) FROM vector_builds o WHERE o.run = v.run AND o.op = v.op
    AND o.algorithm = v.algorithm AND o.isa = v.isa AND o.cc <> v.cc AND o.policy = v.policy) AS depends_on_cc,
  (SELECT max(o.outputs <> v.outputs) FROM vector_builds o WHERE o.run = v.run AND o.op = v.op
    AND o.algorithm = v.algorithm AND o.isa <> v.isa AND o.cc = v.cc AND o.policy = v.policy) AS depends_on_isa
FROM vector_builds v ORDER BY place;

-- Records outlive runs: which of them are of other builds than the run that has them?
CREATE TEMP VIEW other_builds AS
WITH record AS (
  SELECT 'scan' AS what, id, blob, "commit" FROM scans UNION ALL SELECT 'search', id, blob, "commit" FROM searches
  UNION ALL SELECT 'certificate', id, blob, "commit" FROM certificates),
built AS (SELECT x.*, x."commit" <> r."commit" AS other FROM record x JOIN files f USING (blob)
  JOIN runs r ON r.id = f.run)
SELECT what, printf('%d of %d records are of other builds than this run, the last of commit %s: they outlive runs.',
  sum(other), count(*), (SELECT "commit" FROM built o WHERE o.what = b.what AND other ORDER BY id DESC LIMIT 1)) AS text
FROM built b GROUP BY what HAVING sum(other) > 0
UNION ALL SELECT what, printf('%d of %d records do not say which build they are of.', count(*) - count("commit"),
  count(*))
FROM record GROUP BY what HAVING count(*) > count("commit");
