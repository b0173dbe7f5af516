-- SPDX-License-Identifier: MIT
-- The tables from which everything is published, made once of the loaded records (facts.h). Each has a column for the
-- run, so that one folder and several are treated alike.

-- Variants, with the axes in the order in which people think of them. grp: the operation, and its dtype where that is
-- not f32; only variants of one group compete. rank: of the policy, from the most conservative. anyone: what people
-- have without the lab's kernels: the plain C loop, or a library of headers that the lab compiles. off: the same
-- build under off.
CREATE TEMP TABLE named(variant INTEGER PRIMARY KEY, id TEXT, op TEXT, algorithm TEXT, dtype TEXT, isa TEXT, cc TEXT,
  policy TEXT, grp TEXT, rank INTEGER, promises INTEGER, library INTEGER, anyone INTEGER, off INTEGER);
INSERT INTO named SELECT id, variant, op, algorithm, dtype, isa, cc, policy, op || iif(dtype = 'f32', '', ' ' || dtype),
  CASE policy WHEN 'off' THEN 0 WHEN 'on' THEN 1 WHEN 'default' THEN 2 WHEN 'fast' THEN 3 WHEN 'reassoc' THEN 4
    WHEN 'fastmath' THEN 5 ELSE 6 END,
  promises(policy), cc = 'lib', algorithm IN ('plain', 'eigen', 'highway', 'xsimd'), (SELECT w.id FROM variants w
    WHERE w.variant = replace(v.variant, '/policy=' || v.policy, '/policy=off')) FROM variants v;

-- Cells that have a time, those of libraries last. times: per process; t: what pair(a, b) takes. modes: "85.9 ns x4,
-- 452 ns x2", a row's times and how many processes took each, where they are of several; tied: no majority says which.
-- no_limit: why a limit is not known. counted: what it was counted from, per element; vector: the kernel's own count
-- of its instructions, per vector, and its lanes.
CREATE TEMP TABLE timed AS
SELECT k.cell, k.run, v.*, c.shape, c.place, s."rows", s.n, s.threads, s.family, c.residency, c.ns, c.low, c.high,
  c.percent, c.cycles, c.t, c.tied, coalesce(d.limit_name, '') AS limit_name,
  CASE WHEN instr(d.flags, '"uncounted"') THEN 'not known: the compiler may drop operations'
    WHEN instr(d.flags, '"above-limit"') THEN 'not known: faster than what was measured' END AS no_limit,
    coalesce(d.block, '') AS block, d.low_ns,
  coalesce(d.low_ns, d.medians_ns, json_array(c.ns)) AS times, d.modes IS NOT NULL AS two_modes,
  iif(d.modes IS NULL, NULL, (SELECT group_concat(digits(value ->> 'ns_per_row', 4) || ' ns x'
    || (value ->> 'processes'),
    ', ') FROM json_each(d.modes))) AS modes, coalesce(instr(d.flags, '"unsteady"'), 0) > 0 AS unsteady,
  coalesce(instr(d.flags, '"call-bound"'), 0) > 0 AS call_bound, coalesce(d.shapes, '') AS shapes,
  digits(d.limit_count, 3) || CASE substr(d.limit_name, 1, 5) WHEN 'ports' THEN ' instructions'
    WHEN 'flops' THEN ' flops'
    WHEN 'load-' THEN ' bytes' WHEN 'copy-' THEN ' bytes' END AS counted,
  iif(d.instructions IS NULL, NULL, (SELECT group_concat(digits(d.instructions ->> column1, 4) || ' ' || column2, ', ')
      || ' / ' || (d.instructions ->> 'lanes') FROM (VALUES('mul', 'fma+mul'), ('add', 'add'), ('max', 'max'),
    ('other', 'other'), ('permute', 'of it permuting')) WHERE (d.instructions ->> column1) > 0)) AS vector, h.hash
FROM (SELECT r.id AS run, r.codegen, c.blob, c.variant, c.shape,
    row_number() OVER (ORDER BY r.id, v.library, c.place) AS cell
  FROM runs r CROSS JOIN cells c ON c.blob = r.timing JOIN named v USING (variant) WHERE c.ns > 0) k
CROSS JOIN sampled_cells c USING (blob, variant, shape) CROSS JOIN cell_details d USING (blob, variant, shape)
JOIN named v ON v.variant = k.variant JOIN shapes s ON s.id = k.shape
LEFT JOIN codes h ON h.blob = k.codegen AND h.variant = k.variant;
CREATE UNIQUE INDEX temp.timed_cells ON timed(cell);
CREATE INDEX temp.timed_variants ON timed(variant, shape);

-- Variants of an operation whose errors stand in the same records: `first` is one of them, of which aggregates are
-- formed for all. record: the first that names a family; records: all, a JSON array.
CREATE TEMP TABLE shared(run INTEGER, variant INTEGER, first INTEGER, record INTEGER, records TEXT,
  PRIMARY KEY(run, variant))
  WITHOUT ROWID;
INSERT INTO shared
SELECT run, variant, min(variant) OVER (PARTITION BY run, op, library, records), record, records FROM (
  SELECT f.run, ev.variant, json_group_array(e.id) AS records, min(iif(e.family <> '', e.id, NULL)) AS record
  FROM files f JOIN errors e ON e.blob = f.blob JOIN error_variants ev ON ev.error = e.id GROUP BY f.run, ev.variant)
JOIN named USING (variant);

-- The unit in which an operation's errors are read. Records of earlier versions do not name it.
CREATE TEMP TABLE units(run INTEGER, op TEXT, near_zero INTEGER, unit TEXT, reference TEXT, PRIMARY KEY(run, op));
INSERT INTO units SELECT run, op, near_zero, iif(near_zero, 'u', 'ulp'), reference FROM (
  SELECT r.id AS run, o.op, e.reference, coalesce(e.near_zero,
    o.op IN ('logsumexp', 'log_softmax', 'moments', 'layernorm',
    'layernorm_bare')) AS near_zero
  FROM runs r JOIN (SELECT DISTINCT op FROM named) o
  LEFT JOIN (SELECT run, op, min(record) AS error FROM shared JOIN named USING (variant) GROUP BY run, op) x
    ON x.run = r.id AND x.op = o.op
  LEFT JOIN errors e ON e.id = x.error);

-- The records of errors of each `first`, and of each variant: on one family and row length. An error is infinite where
-- results were lost. error: in the operation's unit.
CREATE TEMP TABLE first_errors(run INTEGER, first INTEGER, record INTEGER, library INTEGER, near_zero INTEGER,
  error REAL, family TEXT, n INTEGER, status TEXT, reason TEXT, hazard INTEGER, measure INTEGER, verdict TEXT,
  lost INTEGER, flushed INTEGER, nan INTEGER, inf INTEGER, sign INTEGER, bits TEXT, exp_ulp REAL, log_ulp REAL,
  max_ulp REAL, mean_ulp REAL, p50_ulp REAL, p99_ulp REAL, p9999_ulp REAL, scaled_error REAL, bound_ratio REAL,
  likely_ratio REAL, PRIMARY KEY(run, first, record)) WITHOUT ROWID;
INSERT INTO first_errors
SELECT s.run, s.first, e.id, v.library, u.near_zero, iif(e.lost > 0, 9e999,
  iif(u.near_zero, e.scaled_error, e.max_ulp)),
  e.family, e.n, e.status, e.reason, e.hazard, e.measure, e.verdict, e.lost, e.flushed, e.nan, e.inf, e.sign, e.bits,
  e.exp_ulp, e.log_ulp, iif(e.lost > 0, 9e999, e.max_ulp), iif(e.lost > 0, 9e999, e.mean_ulp),
  iif(e.lost > 0, 9e999, e.p50_ulp), iif(e.lost > 0, 9e999, e.p99_ulp), iif(e.lost > 0, 9e999, e.p9999_ulp),
  iif(e.lost > 0, 9e999, e.scaled_error), iif(e.lost > 0 AND e.bound_ratio IS NOT NULL, 9e999, e.bound_ratio),
  e.bound_ratio_probabilistic
FROM shared s JOIN named v USING (variant) JOIN units u ON u.run = s.run AND u.op = v.op
CROSS JOIN json_each(s.records) r CROSS JOIN errors e ON e.id = r.value WHERE s.variant = s.first;
CREATE TEMP VIEW erred AS SELECT s.variant, e.* FROM shared s CROSS JOIN first_errors e USING (run, first);

-- The differences between two timings of the same machine code on one thread, as shares: of controls (a cell timed
-- twice), and of variants whose code is the same in every byte.
CREATE TEMP TABLE identical AS
WITH
twin AS (
  SELECT run, t, lag(t) OVER (PARTITION BY run, hash, grp, family, "rows", n ORDER BY cell) AS other FROM timed
  WHERE threads = 1 AND NOT library AND hash <> ''),
apart AS (
  SELECT run, abs(pair(other, t) - 1) AS apart, pair_sided(other, t) AS sided FROM twin WHERE other IS NOT NULL
  UNION ALL SELECT r.id, iif(k.threads = 1, abs(k.ratio - 1), NULL), 1 FROM runs r JOIN controls k ON k.blob = r.timing)
SELECT r.id AS run, count(apart) AS pairs, quantile(apart, 0.5) AS median, quantile(apart, 0.9) AS p90,
  quantile(apart, 0.95) AS p95, quantile(apart, 0.99) AS p99, coalesce(max(sided), 0) AS side_by_side
FROM runs r LEFT JOIN apart a ON a.run = r.id GROUP BY r.id;
CREATE TEMP VIEW identical_words AS SELECT run, p90, iif(pairs = 0,
  'No two cells of this run have identical code: how far two ' || 'timings of it are apart is not known.',
  printf('Identical code, timed twice in this run: 95%% within %s%% (median %s%%, '
  || '%d pairs%s).', digits(100 * p95, 2), digits(100 * median, 2), pairs,
  iif(side_by_side, '', '; not timed side by side')))
  AS text FROM identical;
