-- SPDX-License-Identifier: MIT
-- The tables from which everything is published, made once of the loaded records (facts.h). Each has a column for the
-- run, so that one folder and several are treated alike. ?1 is the bar of advice, in ulp, or in u where results come near
-- zero.

CREATE TEMP TABLE given(bar REAL);
INSERT INTO given VALUES(?1);

-- Variants, with the axes in the order in which people think of them. grp: the operation, and its dtype where that is not
-- f32; only variants of one group compete. rank: of the policy, from the most conservative. anyone: what people have
-- without the lab's kernels: the plain C loop, or a library of headers that the lab compiles. off: the same build under
-- off.
CREATE TEMP TABLE named(variant INTEGER PRIMARY KEY, id TEXT, op TEXT, algorithm TEXT, dtype TEXT, isa TEXT, cc TEXT,
  policy TEXT, grp TEXT, rank INTEGER, promises INTEGER, library INTEGER, anyone INTEGER, off INTEGER);
INSERT INTO named SELECT id, variant, op, algorithm, dtype, isa, cc, policy, op || iif(dtype = 'f32', '', ' ' || dtype),
  CASE policy WHEN 'off' THEN 0 WHEN 'on' THEN 1 WHEN 'default' THEN 2 WHEN 'fast' THEN 3 WHEN 'reassoc' THEN 4
    WHEN 'fastmath' THEN 5 ELSE 6 END,
  promises(policy), cc = 'lib', algorithm IN ('plain', 'eigen', 'highway', 'xsimd'), (SELECT w.id FROM variants w
    WHERE w.variant = replace(v.variant, '/policy=' || v.policy, '/policy=off')) FROM variants v;

-- Cells that have a time, those of libraries last. t: what pair(a, b) takes. modes: "85.9 ns x4, 452 ns x2", a row's times
-- and how many processes took each, where they are of several; tied: no majority says which. counted: what its limit was
-- counted from, per element; vector: the kernel's own count of its instructions, per vector, and its lanes.
CREATE TEMP TABLE timed(cell INTEGER PRIMARY KEY, run INTEGER, variant INTEGER, shape INTEGER, place INTEGER, grp TEXT,
  op TEXT, algorithm TEXT, dtype TEXT, isa TEXT, cc TEXT, policy TEXT, rank INTEGER, promises INTEGER, library INTEGER,
  anyone INTEGER, off INTEGER, "rows" INTEGER, n INTEGER, threads INTEGER, family TEXT, residency TEXT, ns REAL, low REAL, high REAL,
  percent REAL, cycles REAL, limit_name TEXT, block TEXT, low_ns TEXT, two_modes INTEGER, modes TEXT, unsteady INTEGER,
  tied INTEGER, shapes TEXT, counted TEXT, vector TEXT, hash TEXT, t TEXT);
INSERT INTO timed
SELECT cell, run, variant, shape, place, grp, op, algorithm, dtype, isa, cc, policy, rank, promises, library, anyone,
  off, "rows", n, threads, family, residency, ns, low, high, percent, cycles, limit_name, block, low_ns, two_modes, modes,
  unsteady, tied, shapes, counted, vector, hash, sample(ns, low, high, tied, low_ns, block) FROM (
SELECT k.cell, k.run, v.*, c.shape, c.place, s."rows", s.n, s.threads, s.family, c.residency, c.ns, c.low, c.high,
  c.percent, c.cycles, coalesce(d.limit_name, '') AS limit_name, coalesce(d.block, '') AS block, d.low_ns,
  d.modes IS NOT NULL AS two_modes,
  iif(d.modes IS NULL, NULL, (SELECT group_concat(digits(value ->> 'ns_per_row', 4) || ' ns x' || (value ->> 'processes'), ', ')
    FROM json_each(d.modes))) AS modes, coalesce(instr(d.flags, '"unsteady"'), 0) > 0 AS unsteady,
  d.modes IS NOT NULL AND (SELECT 2 * max(value ->> 'processes') <= sum(value ->> 'processes') FROM json_each(d.modes))
    AS tied, coalesce(d.shapes, '') AS shapes,
  digits(d.limit_count, 3) || CASE substr(d.limit_name, 1, 5) WHEN 'ports' THEN ' instructions' WHEN 'flops' THEN ' flops'
    WHEN 'load-' THEN ' bytes' WHEN 'copy-' THEN ' bytes' END AS counted,
  iif(d.instructions IS NULL, NULL, (SELECT group_concat(digits(d.instructions ->> column1, 4) || ' ' || column2, ', ') || ' / '
      || (d.instructions ->> 'lanes') FROM (VALUES('mul', 'fma+mul'), ('add', 'add'), ('max', 'max'), ('other', 'other'),
    ('permute', 'of it permuting')) WHERE (d.instructions ->> column1) > 0)) AS vector, h.hash
FROM (SELECT r.id AS run, r.codegen, c.blob, c.variant, c.shape, row_number() OVER (ORDER BY r.id, v.library, c.place) AS cell
  FROM runs r CROSS JOIN cells c ON c.blob = r.timing JOIN named v USING (variant) WHERE c.ns > 0) k
CROSS JOIN cells c USING (blob, variant, shape) CROSS JOIN cell_details d USING (blob, variant, shape)
JOIN named v ON v.variant = k.variant JOIN shapes s ON s.id = k.shape
LEFT JOIN codes h ON h.blob = k.codegen AND h.variant = k.variant);
CREATE INDEX temp.timed_variants ON timed(variant, shape);

-- Variants of an operation whose errors stand in the same records: `first` is one of them, of which aggregates are formed
-- for all. record: the first that names a family; records: all, a JSON array.
CREATE TEMP TABLE shared(run INTEGER, variant INTEGER, first INTEGER, record INTEGER, records TEXT, PRIMARY KEY(run, variant))
  WITHOUT ROWID;
INSERT INTO shared
SELECT run, variant, min(variant) OVER (PARTITION BY run, op, library, records), record, records FROM (
  SELECT f.run, ev.variant, json_group_array(e.id) AS records, min(iif(e.family <> '', e.id, NULL)) AS record
  FROM files f JOIN errors e ON e.blob = f.blob JOIN error_variants ev ON ev.error = e.id GROUP BY f.run, ev.variant)
JOIN named USING (variant);

-- The unit in which an operation's errors are read. Records of earlier versions do not name it.
CREATE TEMP TABLE units(run INTEGER, op TEXT, near_zero INTEGER, unit TEXT, reference TEXT, PRIMARY KEY(run, op));
INSERT INTO units SELECT run, op, near_zero, iif(near_zero, 'u', 'ulp'), reference FROM (
  SELECT r.id AS run, o.op, e.reference, coalesce(e.near_zero, o.op IN ('logsumexp', 'log_softmax', 'moments', 'layernorm',
    'layernorm_bare')) AS near_zero
  FROM runs r JOIN (SELECT DISTINCT op FROM named) o
  LEFT JOIN (SELECT run, op, min(record) AS error FROM shared JOIN named USING (variant) GROUP BY run, op) x
    ON x.run = r.id AND x.op = o.op
  LEFT JOIN errors e ON e.id = x.error);

-- The records of errors of each `first`, and of each variant: on one family and row length. An error is infinite where
-- results were lost. error: in the operation's unit.
CREATE TEMP TABLE first_errors(run INTEGER, first INTEGER, record INTEGER, library INTEGER, near_zero INTEGER, error REAL,
  family TEXT, n INTEGER, status TEXT, reason TEXT, hazard INTEGER, measure INTEGER, verdict TEXT, lost INTEGER,
  flushed INTEGER, nan INTEGER, inf INTEGER, sign INTEGER, bits TEXT, exp_ulp REAL, log_ulp REAL, max_ulp REAL,
  mean_ulp REAL, p50_ulp REAL, p99_ulp REAL, p9999_ulp REAL, scaled_error REAL, bound_ratio REAL, likely_ratio REAL,
  PRIMARY KEY(run, first, record)) WITHOUT ROWID;
INSERT INTO first_errors
SELECT s.run, s.first, e.id, v.library, u.near_zero, iif(e.lost > 0, 9e999, iif(u.near_zero, e.scaled_error, e.max_ulp)),
  e.family, e.n, e.status, e.reason, e.hazard, e.measure, e.verdict, e.lost, e.flushed, e.nan, e.inf, e.sign, e.bits,
  e.exp_ulp, e.log_ulp, iif(e.lost > 0, 9e999, e.max_ulp), iif(e.lost > 0, 9e999, e.mean_ulp),
  iif(e.lost > 0, 9e999, e.p50_ulp), iif(e.lost > 0, 9e999, e.p99_ulp), iif(e.lost > 0, 9e999, e.p9999_ulp),
  iif(e.lost > 0, 9e999, e.scaled_error), iif(e.lost > 0 AND e.bound_ratio IS NOT NULL, 9e999, e.bound_ratio),
  e.bound_ratio_probabilistic
FROM shared s JOIN named v USING (variant) JOIN units u ON u.run = s.run AND u.op = v.op
CROSS JOIN json_each(s.records) r CROSS JOIN errors e ON e.id = r.value WHERE s.variant = s.first;
CREATE TEMP VIEW erred AS SELECT s.variant, e.* FROM shared s CROSS JOIN first_errors e USING (run, first);

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
  CROSS JOIN (SELECT run, first, max(error) AS error FROM first_errors WHERE family = 'normal' GROUP BY run, first) USING (run, first);

-- One line per variant of the lab's that a record names.
-- error: what variants of an operation are ranked by, the largest on family normal. judged: the error that the bar judges,
-- the largest over the whole scan where there is one, else over every family; of measure 1, which has zeros in no figure
-- in ulp, infinite where there were any. lost: the most results without a distance in one record. specials: NaN,
-- infinities and signs that are not as they should be. broken: some cell, or its scan, broke a promise of its file.
-- may_promise: its file promises something; also where records do not say. keeps: it keeps what its file promises, under a
-- policy that promises something; a user's own kernel without a promise does if it loses nothing. advised: it also stays
-- within the bar. candidate: of these, what was timed at home and has an error. front: no candidate of its group is as
-- fast and as accurate, and better in one.
CREATE TEMP TABLE summary(run INTEGER, variant INTEGER, id TEXT, grp TEXT, op TEXT, algorithm TEXT, dtype TEXT, isa TEXT,
  cc TEXT, policy TEXT, rank INTEGER, unit TEXT, hazard INTEGER, broken INTEGER, may_promise INTEGER, lost INTEGER,
  error REAL, judged REAL, worst_ulp REAL, worst_family TEXT, worst_scaled REAL, mean_ulp REAL, worst_bound REAL,
  specials INTEGER, home INTEGER, ns REAL, low REAL, high REAL, percent REAL, t TEXT, keeps INTEGER, advised INTEGER,
  candidate INTEGER, front INTEGER, PRIMARY KEY(run, variant)) WITHOUT ROWID;
INSERT INTO summary
WITH
row AS NOT MATERIALIZED (
  SELECT *, verdict IS 'broken' OR coalesce(status, 'ok') NOT IN ('ok', 'skipped', 'unbuilt', 'interrupted') AS broken
  FROM first_errors WHERE NOT library),
accuracy AS (
  SELECT run, first, max(coalesce(hazard, 0)) AS hazard, max(broken) AS broken,
    max(NOT broken AND verdict IS 'measured') AS measured, max(iif(nan + inf + sign IS NULL, NULL, lost)) AS lost,
    max(iif(family = 'normal' AND max_ulp IS NOT NULL, error, NULL)) AS error,
    max(iif(NOT near_zero AND measure = 1 AND flushed > 0, 9e999, error)) AS judged, max(scaled_error) AS worst_scaled,
    avg(iif(family = 'normal' AND max_ulp IS NOT NULL, mean_ulp, NULL)) AS mean_ulp, max(bound_ratio) AS worst_bound,
    sum(nan + inf + sign) AS specials
  FROM row GROUP BY run, first),
worst AS (SELECT run, first, family, max(max_ulp) AS max_ulp FROM row GROUP BY run, first),
scan AS (
  SELECT x.run, x.variant, coalesce(s.hazard, 0) AS hazard, x.broken, NOT x.broken AND s.verdict IS 'measured' AS measured,
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
    NOT (coalesce(a.measured, 0) OR coalesce(s.measured, 0)) AS may_promise,
    max(coalesce(a.lost, s.lost), coalesce(s.lost, a.lost)) AS lost, a.error, iif(s.run IS NULL, a.judged, s.judged) AS judged,
    w.max_ulp AS worst_ulp, iif(w.max_ulp IS NULL, NULL, w.family) AS worst_family, a.worst_scaled, a.mean_ulp, a.worst_bound,
    a.specials
  FROM told t JOIN named v USING (variant) LEFT JOIN units u ON u.run = t.run AND u.op = v.op
  LEFT JOIN shared h ON h.run = t.run AND h.variant = t.variant
  LEFT JOIN accuracy a ON a.run = h.run AND a.first = h.first
  LEFT JOIN worst w ON w.run = h.run AND w.first = h.first
  LEFT JOIN scan s ON s.run = t.run AND s.variant = t.variant),
kept AS (
  SELECT k.*, NOT hazard AND NOT broken AND (may_promise OR NOT coalesce(lost > 0, 0)) AND k.promises AS keeps, c.cell AS home,
    c.ns, c.low, c.high, c.percent, c.t
  FROM known k LEFT JOIN home h ON h.run = k.run
  LEFT JOIN timed c ON c.run = k.run AND c.variant = k.variant AND c."rows" = h."rows" AND c.n = h.n AND c.threads = 1
    AND c.family = 'normal'),
judged AS (
  SELECT *, keeps AND coalesce(judged <= ?1, 0) AS advised,
    keeps AND coalesce(judged <= ?1, 0) AND ns IS NOT NULL AND error IS NOT NULL AS candidate FROM kept)
SELECT run, variant, id, grp, op, algorithm, dtype, isa, cc, policy, rank, unit, hazard, broken, may_promise, lost, error,
  judged, worst_ulp, worst_family, worst_scaled, mean_ulp, worst_bound, specials, home, ns, low, high, percent, t, keeps,
  advised, candidate,
  candidate AND coalesce(min(error) OVER (PARTITION BY run, grp, candidate ORDER BY ns
      GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) > error, 1)
    AND coalesce(min(error) OVER (PARTITION BY run, grp, candidate, ns) >= error, 1)
FROM judged;
CREATE INDEX temp.summary_variants ON summary(variant);

-- Input families in the order to show them in.
CREATE TEMP TABLE families(family TEXT PRIMARY KEY, place INTEGER);
INSERT INTO families SELECT family, row_number() OVER (ORDER BY coalesce(nullif(instr(
  ' normal uniform logits attention offset onehot constant alternating tiny wide sorted masked adversarial ',
  ' ' || family || ' '), 0), 999), min(id)) FROM errors WHERE family <> '' GROUP BY family;

-- Groups in the order to show them in.
CREATE TEMP TABLE groups(run INTEGER, grp TEXT, place INTEGER, unit TEXT, PRIMARY KEY(run, grp));
INSERT INTO groups SELECT run, grp, row_number() OVER (PARTITION BY run ORDER BY CASE grp WHEN 'softmax' THEN 1
    WHEN 'log_softmax' THEN 2 WHEN 'logsumexp' THEN 3 WHEN 'moments' THEN 4 WHEN 'layernorm' THEN 5 WHEN 'layernorm_bare'
    THEN 6 WHEN 'rmsnorm' THEN 7 ELSE 8 END, instr(grp, ' ') > 0, min(id)), unit FROM summary GROUP BY run, grp;

-- The fastest candidate of each group at home, and the most accurate one. Among builds of the fastest kernel whose times
-- do not differ significantly, that under the most conservative policy is taken.
CREATE TEMP TABLE choices(run INTEGER, grp TEXT, fastest INTEGER, accurate INTEGER, PRIMARY KEY(run, grp));
INSERT INTO choices
WITH
candidate AS MATERIALIZED (
  SELECT *, row_number() OVER (PARTITION BY run, grp ORDER BY ns, id) AS by_time,
    row_number() OVER (PARTITION BY run, grp ORDER BY error, ns, id) AS by_error FROM summary WHERE candidate),
alike AS (
  SELECT c.*, row_number() OVER (PARTITION BY c.run, c.grp ORDER BY c.rank, c.ns, c.id) AS k
  FROM candidate f JOIN candidate c ON c.run = f.run AND c.grp = f.grp AND c.algorithm = f.algorithm
  WHERE f.by_time = 1 AND (c.variant = f.variant OR pair_low(f.t, c.t) <= 1))
SELECT f.run, f.grp, f.variant, a.variant FROM alike f JOIN candidate a ON a.run = f.run AND a.grp = f.grp AND a.by_error = 1
WHERE f.k = 1;

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

-- The lab beside what people have without it: per operation, ISA and shape, on one thread and family normal, the fastest
-- of what is advised, of libraries, and of plain loops under whichever policy. A library that cannot be capped stands at
-- the widest ISA. Numbers are cells of `timed`.
CREATE TEMP TABLE field(run INTEGER, grp TEXT, isa TEXT, "rows" INTEGER, n INTEGER, lab INTEGER, library INTEGER,
  loop INTEGER);
INSERT INTO field
WITH
widest AS (
  SELECT run, max(isa = 'avx512') AS wide FROM timed WHERE NOT library AND family = 'normal' GROUP BY run),
libraries AS MATERIALIZED (
  SELECT DISTINCT r.id AS run, v.grp FROM runs r JOIN cells c ON c.blob = r.timing JOIN named v USING (variant)
  WHERE v.library),
one AS MATERIALIZED (
  SELECT c.*, iif(c.isa = 'auto', iif(w.wide, 'avx512', 'avx2'), c.isa) AS at FROM timed c LEFT JOIN widest w USING (run)
  WHERE c.threads = 1 AND c.family = 'normal'),
sorted AS (
  SELECT run, grp, at AS isa, "rows", n, ns, cell, CASE WHEN library THEN iif(algorithm = 'peer-libulp', NULL, 'library')
    WHEN at NOT IN ('avx2', 'avx512') OR dtype <> 'f32' THEN NULL
    WHEN anyone THEN iif((run, grp) IN (SELECT run, grp FROM libraries), 'loop', NULL)
    WHEN (SELECT advised FROM summary s WHERE s.run = one.run AND s.variant = one.variant) THEN 'lab' END AS kind
  FROM one),
best AS (
  SELECT *, row_number() OVER (PARTITION BY run, grp, isa, "rows", n, kind ORDER BY ns, cell) AS k FROM sorted
  WHERE kind IS NOT NULL)
SELECT run, grp, isa, "rows", n, max(iif(kind = 'lab', cell, NULL)), max(iif(kind = 'library', cell, NULL)),
  max(iif(kind = 'loop', cell, NULL))
FROM best WHERE k = 1 GROUP BY run, grp, isa, "rows", n ORDER BY run, grp, isa, "rows" * n, n;

-- The lab beside each kind of rival, at the cells of `field` that have both. ratio: the rival's time over the lab's.
CREATE TEMP TABLE rivals(run INTEGER, kind TEXT, grp TEXT, isa TEXT, "rows" INTEGER, n INTEGER, lab INTEGER, rival INTEGER,
  shapes TEXT, ratio REAL, low REAL, high REAL, tied INTEGER, flag TEXT);
INSERT INTO rivals
SELECT f.run, f.kind, f.grp, f.isa, f."rows", f.n, f.lab, f.rival, l.shapes, pair(l.t, p.t), pair_low(l.t, p.t),
  pair_high(l.t, p.t), pair_tied(l.t, p.t), iif(l.two_modes OR p.two_modes OR pair_off(l.t, p.t) > 0, 'two-modes',
    iif(l.unsteady OR p.unsteady, 'unsteady', ''))
FROM (SELECT 'library' AS kind, library AS rival, * FROM field UNION ALL SELECT 'loop', loop, * FROM field) f
JOIN timed l ON l.cell = f.lab JOIN timed p ON p.cell = f.rival;

-- The results that a policy loses and that off computes in the same build: by whole scans if both have one, otherwise by
-- their accuracy.
CREATE TEMP TABLE losses(run INTEGER, variant INTEGER, cc TEXT, policy TEXT, lost INTEGER, nan INTEGER, inf INTEGER,
  scanned INTEGER, place INTEGER);
INSERT INTO losses
WITH
tally AS MATERIALIZED (
  SELECT x.run, x.variant, 1 AS scanned, s.measure, s.nan, s.inf, x.lost FROM whole_scans x JOIN scans s ON s.id = x.scan
  WHERE s.nan IS NOT NULL
  UNION ALL SELECT run, variant, 0, measure, nan, inf, lost FROM shared CROSS JOIN (
    SELECT run, first, max(measure) AS measure, sum(nan) AS nan, sum(inf) AS inf, sum(coalesce(lost, nan + inf)) AS lost
    FROM first_errors WHERE nan IS NOT NULL AND NOT library GROUP BY run, first) USING (run, first)),
loss AS (
  SELECT m.run, m.variant, m.scanned, m.lost - o.lost AS lost, max(0, m.nan - o.nan) AS nan, max(0, m.inf - o.inf) AS inf,
    m.measure = o.measure AS comparable, max(m.scanned) OVER (PARTITION BY m.run, m.variant) AS best
  FROM tally m JOIN summary s ON s.run = m.run AND s.variant = m.variant AND NOT s.hazard AND s.policy <> 'off'
  JOIN named v ON v.variant = m.variant JOIN tally o ON o.run = m.run AND o.variant = v.off AND o.scanned = m.scanned)
SELECT run, variant, cc, policy, lost, nan, inf, scanned, row_number() OVER (PARTITION BY run, cc, policy
    ORDER BY scanned DESC, lost DESC, op, algorithm, isa)
FROM loss JOIN named USING (variant) WHERE scanned = best AND comparable AND lost > 0;

-- The differences between two timings of the same machine code on one thread, as shares: of controls (a cell timed twice),
-- and of variants whose code is the same in every byte.
CREATE TEMP TABLE identical(run INTEGER PRIMARY KEY, pairs INTEGER, median REAL, p90 REAL, p95 REAL, p99 REAL,
  side_by_side INTEGER);
INSERT INTO identical
WITH
twin AS (
  SELECT run, t, lag(t) OVER (PARTITION BY run, hash, grp, family, "rows", n ORDER BY cell) AS other FROM timed
  WHERE threads = 1 AND NOT library AND hash <> ''),
apart AS (
  SELECT run, abs(pair(other, t) - 1) AS apart, pair_sided(other, t) AS sided FROM twin WHERE other IS NOT NULL
  UNION ALL SELECT r.id, iif(k.threads = 1, abs(k.ratio - 1), NULL), 1 FROM runs r JOIN controls k ON k.blob = r.timing)
SELECT r.id, count(apart), quantile(apart, 0.5), quantile(apart, 0.9), quantile(apart, 0.95), quantile(apart, 0.99),
  coalesce(max(sided), 0) FROM runs r LEFT JOIN apart a ON a.run = r.id GROUP BY r.id;

-- Blocks with controls, and whether two timings of one code are known within 1% of each other there, in most of them.
CREATE TEMP TABLE blocks(run INTEGER, block TEXT, steady INTEGER);
INSERT INTO blocks SELECT r.id, k.block, 2 * sum(NOT coalesce(0.5 * ln(k.high / k.low) <= 0.01, 0)) <= count(*)
  FROM runs r JOIN controls k ON k.blob = r.timing GROUP BY r.id, k.block;

-- The vector-math table: of each unary function what every build of every library does, over all 2^32 inputs, and how fast:
-- one thread, family normal, resident in L1, the longest rows. own: computes by the lab's own code, and not a library's.
-- front: no candidate of its function and ISA is as fast and as accurate, and better in one of both. ahead: an own one's
-- fastest library's candidate that is both faster and more accurate. same: the first row of equal machine code. depends_on_..:
-- is there a build that differs in that axis alone and has other results? NULL: there is none to tell by.
CREATE TEMP TABLE vectors(place INTEGER PRIMARY KEY, run INTEGER, variant INTEGER, scan INTEGER, id TEXT, op TEXT,
  algorithm TEXT, isa TEXT, cc TEXT, policy TEXT, max_ulp REAL, own INTEGER, hazard INTEGER, wrong INTEGER,
  candidate INTEGER, cell INTEGER, ns REAL, cycles REAL, outputs TEXT, code_hash TEXT, front INTEGER, ahead TEXT,
  same INTEGER, depends_on_policy INTEGER, depends_on_cc INTEGER, depends_on_isa INTEGER);
INSERT INTO vectors(run, variant, scan, id, op, algorithm, isa, cc, policy, max_ulp, own, hazard, wrong, candidate, cell, ns,
  cycles, outputs, code_hash)
SELECT x.run, x.variant, s.id, v.id, v.op, v.algorithm, v.isa, v.cc, v.policy, x.error, s.libraries IS NULL,
  coalesce(s.hazard, 0) OR m.hazard, s.status IS NOT 'ok', s.status IS 'ok' AND m.advised, t.cell, t.ns, t.cycles,
  nullif(s.outputs, ''), nullif(s.code_hash, '')
FROM whole_scans x JOIN scans s ON s.id = x.scan JOIN named v ON v.variant = x.variant
JOIN summary m ON m.run = x.run AND m.variant = x.variant
LEFT JOIN (SELECT run, variant, cell, ns, cycles, max(n) FROM timed WHERE threads = 1 AND residency = 'L1'
  AND family = 'normal' AND NOT library GROUP BY run, variant) t ON t.run = x.run AND t.variant = x.variant
WHERE v.dtype = 'f32' ORDER BY x.run, v.op, v.algorithm, v.isa <> 'scalar', v.isa, v.cc, v.policy;
CREATE INDEX temp.vectors_of_functions ON vectors(run, op, algorithm);
UPDATE vectors AS v SET
  front = candidate AND ns IS NOT NULL AND NOT EXISTS(SELECT 1 FROM vectors o WHERE o.run = v.run AND o.op = v.op
    AND o.candidate AND o.isa = v.isa AND o.ns <= v.ns AND o.max_ulp <= v.max_ulp
    AND (o.ns < v.ns OR o.max_ulp < v.max_ulp)),
  ahead = (SELECT o.algorithm FROM vectors o WHERE v.own AND o.run = v.run AND o.op = v.op AND o.candidate AND o.isa = v.isa
    AND NOT o.own AND o.ns < v.ns AND o.max_ulp < v.max_ulp ORDER BY o.ns, o.place LIMIT 1),
  same = (SELECT min(o.place) FROM vectors o WHERE o.run = v.run AND o.op = v.op AND o.algorithm = v.algorithm
    AND o.isa = v.isa AND (o.place = v.place OR o.code_hash = v.code_hash)),
  depends_on_policy = (SELECT max(o.outputs <> v.outputs) FROM vectors o WHERE o.run = v.run AND o.op = v.op
    AND o.algorithm = v.algorithm AND o.isa = v.isa AND o.cc = v.cc AND o.policy <> v.policy),
  depends_on_cc = (SELECT max(o.outputs <> v.outputs) FROM vectors o WHERE o.run = v.run AND o.op = v.op
    AND o.algorithm = v.algorithm AND o.isa = v.isa AND o.cc <> v.cc AND o.policy = v.policy),
  depends_on_isa = (SELECT max(o.outputs <> v.outputs) FROM vectors o WHERE o.run = v.run AND o.op = v.op
    AND o.algorithm = v.algorithm AND o.isa <> v.isa AND o.cc = v.cc AND o.policy = v.policy);

CREATE TEMP VIEW identical_words AS SELECT run, p90, iif(pairs = 0, 'No two cells of this run have identical code: how far two '
  || 'timings of it are apart is not known.', printf('Identical code, timed twice in this run: 95%% within %s%% (median %s%%, '
  || '%d pairs%s).', digits(100 * p95, 2), digits(100 * median, 2), pairs, iif(side_by_side, '', '; not timed side by side')))
  AS text FROM identical;
