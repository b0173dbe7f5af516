-- SPDX-License-Identifier: MIT
-- The cells of an archive over its runs. temp.history_asked(path, machine, last, since, threshold, gates),
-- temp.chosen(run): what was asked for; gates: the kinds, ' time bits ', 'promised': bits of kernels that promise
-- them. fits(): the filters. renamed: variants that are read as others (db/rename.sql).
-- history_runs: the newest of each machine, by machine, then time; began: the date, or when it was added, if the date
-- was to come then; class: runs of a machine that were asked for the same. history_series: the times of a cell on a
-- machine; found: where their level changes, or rises (history/history.h). history_states: the accuracy of a
-- variant, or its scan, on inputs that were there before. history_erred: of each class, the first and last run that
-- have a variant's errors on all inputs, and the newest that has some. history_missing: what the newest whole run of
-- a class lacks that one before had; shape: NULL: errors.
-- history_changes, the newest first: run, before: the first run of the new level, and the last of the old one; ratio,
-- low, high: new over old; old, new: nanoseconds per element, or ULP, or results (manner: lost, flushed), or cells
-- that are gone; gates: it makes --gate fail; cause: what else differs between both runs, '' where nothing is known to.
-- history_rises: times of the newest runs that are above their level, of which there are too few for a change.
CREATE TEMP TABLE history_variants(id INTEGER PRIMARY KEY, variant TEXT, promises INTEGER, peer INTEGER);
INSERT INTO history_variants SELECT id, variant, algorithm LIKE 'invariant%', algorithm LIKE 'peer-%' FROM variants
WHERE fits(variant, op, algorithm, dtype, isa, cc, policy);
CREATE TEMP VIEW history_shapes AS SELECT id, 'rows=' || "rows" || '/n=' || n || '/threads=' || threads ||
  CASE family WHEN 'normal' THEN '' ELSE '/family=' || family END AS name FROM shapes;

CREATE TEMP TABLE history_runs(place INTEGER PRIMARY KEY, lab INTEGER, class INTEGER, machine TEXT, run TEXT,
  "commit" TEXT, started TEXT, added TEXT, began TEXT, is_since INTEGER, is_cut INTEGER, codegen INTEGER,
  accuracy INTEGER, timing INTEGER,
  compilers TEXT, kernel TEXT, microcode TEXT, libraries TEXT);
INSERT INTO history_runs
SELECT row_number() OVER (ORDER BY name, began, id) - 1, rank() OVER (ORDER BY name),
  dense_rank() OVER (ORDER BY name, request),
  name, run, "commit", started, added, began, began >= coalesce(since, ''), coalesce(finished = '', 0), codegen,
  accuracy, timing, compilers, coalesce(kernel, ''), coalesce(microcode, ''), coalesce(nullif(libraries, ''), '{}')
FROM (SELECT *, row_number() OVER (PARTITION BY machine ORDER BY began DESC, id DESC) AS age
  FROM (SELECT r.*, min(r.started, r.added) AS began, m.name, b.compilers
    FROM temp.chosen c JOIN runs r ON r.id = c.run JOIN machine_names m ON m.id = r.machine
      JOIN builds b ON b.id = r.build)),
  temp.history_asked q
WHERE age <= q.last AND substr(name, 1, length(q.machine)) = q.machine;
CREATE INDEX temp.history_runs_of ON history_runs(lab, timing);
SELECT 2, 'history: ' || path || ': no run matches; ''ulplab archive list'' shows them' FROM temp.history_asked
WHERE NOT EXISTS(SELECT 1 FROM temp.history_runs);
SELECT 2, 'history: --since ' || since || ': no run began since; the newest: '
  || coalesce(nullif(newest, ''), 'unknown')
FROM temp.history_asked, (SELECT max(began) AS newest FROM temp.history_runs) WHERE newest < since;

CREATE TEMP TABLE history_series AS
SELECT r.lab, v.id AS variant, c.shape, count(*) AS points, min(r.place) AS first, max(r.place) AS newest,
  change_points(r.place, c.ns, c.low, c.high) AS found
FROM temp.history_runs r CROSS JOIN cells c ON c.blob = r.timing CROSS JOIN temp.history_variants v ON v.id
  = coalesce((SELECT name FROM temp.renamed m WHERE m.blob = c.blob AND m.variant = c.variant), c.variant)
WHERE c.ns > 0 GROUP BY r.lab, v.id, c.shape;
CREATE TEMP TABLE history_states AS
WITH state AS (
  SELECT r.lab, r.place, blob, variant, grid, worst_ulp AS worst, bits, all_lost AS lost, all_flushed AS flushed,
  verdict
  FROM temp.history_runs r CROSS JOIN error_sums e ON e.blob = r.accuracy
  UNION ALL SELECT r.lab, r.place, s.blob, s.variant, printf('scan %s %s', s."range", s.measure), s.max_ulp,
  s.outputs, s.lost, s.flushed, s.verdict FROM temp.history_runs r CROSS JOIN runs n ON n.run = r.run
  CROSS JOIN files f ON f.run = n.id AND f.name = 'scan.jsonl' CROSS JOIN scans s ON s.blob = f.blob
    WHERE s.status = 'ok')
SELECT * FROM (SELECT v.id AS variant, v.promises, e.place AS run, lag(e.place) OVER same AS before, e.worst AS new,
    lag(e.worst) OVER same AS old, e.bits <> lag(e.bits) OVER same AS other_bits, e.lost,
    lag(e.lost) OVER same AS lost_before,
    e.flushed, lag(e.flushed) OVER same AS flushed_before,
    e.verdict = 'broken' AND lag(e.verdict) OVER same <> 'broken' AS broke
  FROM state e CROSS JOIN temp.history_variants v ON v.id
    = coalesce((SELECT name FROM temp.renamed m WHERE m.blob = e.blob AND m.variant = e.variant), e.variant)
  WINDOW same AS (PARTITION BY e.lab, v.id, e.grid ORDER BY e.place)) WHERE before IS NOT NULL;

CREATE TEMP TABLE history_erred AS
SELECT r.lab, r.class, v.id AS variant, min(iif(e.crashed, NULL, r.place)) AS first,
  max(iif(e.crashed, NULL, r.place)) AS last,
  max(r.place) AS newest
FROM temp.history_runs r CROSS JOIN error_sums e ON e.blob = r.accuracy CROSS JOIN temp.history_variants v ON v.id
  = coalesce((SELECT name FROM temp.renamed m WHERE m.blob = e.blob AND m.variant = e.variant), e.variant)
GROUP BY r.class, v.id;
CREATE TEMP TABLE history_missing AS
WITH whole AS MATERIALIZED (SELECT class, place, timing FROM temp.history_runs WHERE place IN
  (SELECT max(place) FROM temp.history_runs WHERE NOT is_cut GROUP BY class)),
had AS (
  SELECT r.lab, r.class, v.id AS variant, c.shape, max(r.place) AS last, w.timing, coalesce((SELECT m.variant
    FROM temp.renamed m WHERE m.blob = w.timing AND m.name = v.id), v.id) AS now
  FROM whole w CROSS JOIN temp.history_runs r ON r.class = w.class AND r.place < w.place
  CROSS JOIN cells c ON c.blob = r.timing CROSS JOIN temp.history_variants v ON v.id
    = coalesce((SELECT name FROM temp.renamed m WHERE m.blob = c.blob AND m.variant = c.variant), c.variant)
  WHERE c.ns > 0 AND NOT EXISTS(SELECT 1 FROM cells d WHERE d.blob = w.timing AND d.shape = c.shape AND d.ns > 0
    AND d.variant = coalesce((SELECT m.variant FROM temp.renamed m WHERE m.blob = w.timing AND m.name = v.id), v.id))
  GROUP BY r.class, v.id, c.shape),
lacks AS (
  SELECT lab, class, variant, shape, last, EXISTS(SELECT 1 FROM cells d
    WHERE d.blob = had.timing AND d.variant = had.now AND d.shape = had.shape) AS crashed FROM had
  UNION ALL
  SELECT e.lab, e.class, variant, NULL, last, newest >= w.place FROM temp.history_erred e JOIN whole w USING (class)
  WHERE last < w.place)
SELECT lab, variant, shape, iif(crashed, 'crashed', 'gone') AS kind, last AS before, (SELECT min(r.place)
  FROM temp.history_runs r WHERE r.class = lacks.class AND r.place > last AND NOT r.is_cut) AS run FROM lacks;

CREATE TEMP TABLE history_changes AS
WITH asked AS (SELECT *, instr(gates, ' time ') AS times, instr(gates, ' bits ') AS bits,
  instr(gates, ' promised ') AS promised
  FROM temp.history_asked),
change AS (
  SELECT 'time' AS kind, NULL AS manner, s.rowid AS series, s.variant, h.name AS shape, c.value ->> 'run' AS run,
    c.value ->> 'before' AS before, c.value ->> 'ratio' AS ratio, c.value ->> 'low' AS low, c.value ->> 'high' AS high,
    c.value ->> 'p' AS p, c.value ->> 'old' AS old, c.value ->> 'new' AS new,
    q.times AND c.value ->> 'lasts' > ln(1 + q.threshold) AS gates
  FROM asked q, temp.history_series s JOIN temp.history_shapes h ON h.id = s.shape, json_each(s.found, '$.changes') c
  UNION ALL
  SELECT 'lost', iif(lost > lost_before, 'lost', 'flushed'), NULL, variant, NULL, run, before, NULL, NULL, NULL, 0.0,
    iif(lost > lost_before, lost_before, flushed_before), iif(lost > lost_before, lost, flushed), 1
  FROM temp.history_states WHERE lost > lost_before OR flushed > flushed_before
  UNION ALL
  SELECT iif(old <> new OR broke, 'error', 'bits'), iif(broke, 'broke', NULL), NULL, variant, NULL, run, before,
  iif(old <> new AND old > 0, new / old, NULL),
    NULL, NULL, 0.0, old, new, coalesce(new > old OR broke, 0) OR (other_bits AND (q.bits OR (promises AND q.promised)))
  FROM asked q, temp.history_states
  WHERE (old <> new OR other_bits OR broke) AND coalesce(lost > lost_before OR flushed > flushed_before, 0) = 0
  UNION ALL
  SELECT m.kind, NULL, NULL, m.variant, iif(count(*) = 1, max(h.name), NULL), m.run, m.before, NULL, NULL, NULL, 0.0,
  count(*), NULL, 1
  FROM temp.history_missing m LEFT JOIN temp.history_shapes h ON h.id = m.shape GROUP BY m.variant, m.kind, m.before,
  m.run)
SELECT c.*, v.variant || coalesce('/' || c.shape, '') AS cell, substr(iif(x.hash <> y.hash, ', kernel code', '')
  || iif(a.compilers <> b.compilers, ', compiler', '') || iif(a.microcode <> b.microcode, ', microcode', '')
  || iif(a.kernel <> b.kernel, ', kernel of the system', '')
  || iif(EXISTS(SELECT 1 FROM json_each(a.libraries) m JOIN json_each(b.libraries) n USING (key)
    WHERE m.value <> n.value
      AND (v.peer OR key IN ('glibc', 'SLEEF'))), ', library', ''), 3) AS cause
FROM change c JOIN temp.history_variants v ON v.id = c.variant JOIN temp.history_runs a ON a.place = c.before
JOIN temp.history_runs b ON b.place = c.run LEFT JOIN codes x ON x.blob = a.codegen AND x.variant
  = coalesce((SELECT m.variant FROM temp.renamed m WHERE m.blob = a.codegen AND m.name = c.variant), c.variant)
LEFT JOIN codes y ON y.blob = b.codegen AND y.variant
  = coalesce((SELECT m.variant FROM temp.renamed m WHERE m.blob = b.codegen AND m.name = c.variant), c.variant)
WHERE b.is_since ORDER BY b.began DESC, gates DESC, kind DESC, abs(ln(ratio)) DESC, c.variant, c.series, c.run;

CREATE TEMP TABLE history_rises AS
SELECT v.variant || '/' || h.name AS cell, b.machine, x.value ->> 'run' AS run, x.value ->> 'before' AS before,
  x.value ->> 'runs' AS runs, x.value ->> 'ratio' AS ratio, x.value ->> 'old' AS old, x.value ->> 'new' AS new
FROM temp.history_asked q, temp.history_series s, json_each(json_array(s.found -> '$.rise')) x
JOIN temp.history_runs b ON b.place = x.value ->> 'run' JOIN temp.history_variants v ON v.id = s.variant
JOIN temp.history_shapes h ON h.id = s.shape
WHERE b.is_since AND x.value ->> 'ratio' > 1 + q.threshold ORDER BY x.value ->> 'ratio' DESC;

-- The --map that would continue the series of a removed variant with the one that replaced it.
CREATE TEMP TABLE history_maps AS
WITH gone AS MATERIALIZED (SELECT lab, variant, max(before) AS last FROM temp.history_missing GROUP BY lab, variant),
came AS (SELECT lab, variant, first FROM temp.history_series UNION ALL SELECT lab, variant, first
  FROM temp.history_erred),
axes AS MATERIALIZED (
  SELECT id, 'cc' AS axis, cc AS value, printf('%s/%s/%s/%s/%s', op, algorithm, dtype, isa, policy) AS rest
    FROM variants
  UNION ALL SELECT id, 'policy', policy, printf('%s/%s/%s/%s/%s', op, algorithm, dtype, isa, cc) FROM variants
  UNION ALL SELECT id, 'isa', isa, printf('%s/%s/%s/%s/%s', op, algorithm, dtype, cc, policy) FROM variants)
SELECT DISTINCT printf('--map %s=%s:%s', x.axis, x.value, y.value) AS map
FROM gone a JOIN axes x ON x.id = a.variant JOIN axes y ON y.axis = x.axis AND y.rest = x.rest AND y.id <> x.id
JOIN came b ON b.variant = y.id AND b.lab = a.lab GROUP BY a.lab, x.axis, x.id, y.id HAVING min(b.first) > max(a.last);

-- compared: series of times, and accuracies of a variant, that a change could be found in. needed: runs of a series
-- for a change of time; short: series that have fewer, enough: others. cut: machines whose newest run was cut.
-- not_measured: cells that runs of a machine measured that were asked for something else than its newest.
CREATE TEMP TABLE history_counts AS
WITH newest AS (SELECT lab, max(place) AS place, max(iif(is_cut, NULL, place)) AS whole FROM temp.history_runs
  GROUP BY lab)
SELECT (SELECT count(*) FROM temp.history_runs) AS runs, 6 AS needed,
  (SELECT count(*) FROM temp.history_series) AS series, (SELECT total(points) FROM temp.history_series) AS points,
  (SELECT count(*) FROM temp.history_series s JOIN temp.history_runs r ON r.place = s.newest
    WHERE s.points > 1 AND r.is_since)
    + (SELECT count(*) FROM temp.history_states s JOIN temp.history_runs r ON r.place = s.run
      WHERE r.is_since) AS compared,
  (SELECT count(*) FROM temp.history_series s JOIN temp.history_runs r ON r.place = s.newest
    WHERE s.points < 6 AND r.is_since)
    AS short,
  (SELECT count(*) FROM temp.history_series s JOIN temp.history_runs r ON r.place = s.newest
    WHERE s.points >= 6 AND r.is_since)
    AS enough,
  (SELECT count(*) FROM temp.history_rises) AS rises, (SELECT count(*) FROM temp.history_rises
    WHERE ratio >= 1.5) AS large_rises,
  (SELECT count(*) FROM newest JOIN temp.history_runs r USING (place) WHERE r.is_cut) AS cut,
  (SELECT count(*) FROM temp.history_series s JOIN newest n USING (lab) WHERE s.newest < n.whole)
    - (SELECT count(DISTINCT printf('%d %d %d', lab, variant, shape)) FROM temp.history_missing
      WHERE shape) AS not_measured,
  (SELECT group_concat(map, ' ') FROM temp.history_maps) AS maps,
  count(*) AS changes, count(*) FILTER (WHERE cause = '') AS unexplained, coalesce(sum(gates), 0) AS gates
FROM temp.history_changes;
CREATE TEMP VIEW history_kinds AS SELECT kind, count(*) AS changes, sum(gates) AS gates FROM temp.history_changes
  GROUP BY kind;

-- The gate: changes for the worse; nothing was compared; undecided changes.
CREATE TEMP VIEW gate AS SELECT * FROM (
  SELECT 1 AS code, printf('worse: %d changes: the newest of %s (%s) since run %s; see the rows, or look at newer ones '
    || 'only with --since', n.gates, c.cell, c.kind, r.run) AS text
  FROM temp.history_counts n, temp.history_changes c JOIN temp.history_runs r ON r.place = c.run
  WHERE c.gates ORDER BY c.rowid LIMIT 1)
UNION ALL SELECT 1, printf('history: --gate: nothing was compared: no cell of %d runs was measured twice on a '
  || 'machine%s; add a run, or choose more%s', runs, iif(since IS NULL, '', ', and again since then'),
  coalesce(': ' || maps || ' goes on after a change', ''))
FROM temp.history_counts, temp.history_asked WHERE NOT compared
UNION ALL SELECT * FROM (
  SELECT 3, printf('undecided: %s is x %.3g in the newest %d runs, which are too few to say so%s; add a run', cell,
    ratio, r.runs,
    iif(large_rises > 1, printf(', and %d other cells are as much above their level', large_rises - 1), ''))
  FROM temp.history_counts, temp.history_rises r, temp.history_asked q WHERE instr(q.gates, ' time ') AND ratio >= 1.5
  LIMIT 1)
UNION ALL SELECT 3, printf('undecided: a change of time needs %d runs, and no cell has as many; add runs, or gate '
  || 'something else with --gate bits', needed)
FROM temp.history_counts, temp.history_asked q WHERE instr(q.gates, ' time ') AND short AND NOT enough
UNION ALL SELECT 3, printf('undecided: the newest run of %d machines was cut; ''ulplab run --resume'' goes on with it',
  cut)
FROM temp.history_counts WHERE cut;
