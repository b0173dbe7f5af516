-- SPDX-License-Identifier: MIT
-- Compares sides with the first one (temp.compare_sides), cell by cell, and the bits of every pair. compare_rows:
-- time of side `to` over time of side 0. compare_accuracy: a variant on two sides. compare_means, in their order; op
-- and level are '' for all. compare_classes: the sides with equal bits. compare_beyond: cells that are not compared.
-- compare_counts: one row; unlike: accuracy cells of different measures. compare_errors: compared once for each
-- `first`.
CREATE TEMP TABLE compare_cells(id INTEGER PRIMARY KEY, side INTEGER, kin INTEGER, shape INTEGER,
  variant INTEGER, name TEXT, status TEXT, medians TEXT, residency TEXT, code TEXT);
INSERT INTO compare_cells
SELECT NULL, s.side, k.kin, c.shape, c.variant, k.name || '/rows=' || h."rows" || '/n=' || h.n || '/threads='
  || h.threads ||
  iif(h.family IN ('normal', ''), '', '/family=' || h.family), coalesce(d.status, ''), d.medians_ns,
  coalesce(c.residency, ''),
  x.code
FROM runs r CROSS JOIN cells c ON c.blob = r.timing CROSS JOIN cell_details d USING (blob, variant, shape)
CROSS JOIN temp.compare_kin k ON k.variant = c.variant CROSS JOIN temp.compare_sides s ON s.run = r.id
  AND s.value IS k.value
CROSS JOIN shapes h ON h.id = c.shape LEFT JOIN temp.compare_code x ON x.run = s.run AND x.variant = c.variant;
-- The compilers of each side's measurements.
CREATE TEMP TABLE compare_compilers AS
SELECT s.side, group_concat(cc || coalesce(' ' || (r.document -> '$.machine.compilers' ->> cc), ''), ', ') AS compilers
FROM temp.compare_sides s JOIN runs r ON r.id = s.run CROSS JOIN (SELECT DISTINCT cc FROM variants WHERE cc <> 'lib'
  ORDER BY cc) c
WHERE EXISTS(SELECT 1 FROM cells x JOIN variants v ON v.id = x.variant WHERE x.blob = r.timing AND v.cc = c.cc)
  OR EXISTS(SELECT 1 FROM temp.shared h JOIN variants v ON v.id = h.variant WHERE h.run = r.id AND v.cc = c.cc)
    GROUP BY s.side;
CREATE INDEX temp.compare_cells_of ON compare_cells(side, kin, shape);

-- Pairs of variants of two sides whose code differs: their cells are beyond.
CREATE TEMP TABLE compare_others AS
WITH differ AS MATERIALIZED (
  SELECT s.side AS "from", t.side AS "to", s.value AS av, t.value AS bv, x.variant, x.called IS NOT y.called AS library
  FROM temp.compare_sides s JOIN temp.compare_sides t ON t.side > s.side AND t.run <> s.run
  CROSS JOIN temp.compare_code x ON x.run = s.run CROSS JOIN temp.compare_code y ON y.run = t.run
    AND y.variant = x.variant
  WHERE x.code <> y.code)
SELECT d."from", d."to", a.variant AS a, b.variant AS b,
  iif(max(d.library), 'another version of the library', 'other machine code') AS why
FROM differ d CROSS JOIN temp.compare_kin k ON k.variant = d.variant
CROSS JOIN temp.compare_kin a ON a.kin = k.kin AND a.value IS d.av
  CROSS JOIN temp.compare_kin b ON b.kin = k.kin AND b.value IS d.bv
WHERE d.variant IN (a.variant, b.variant) GROUP BY 1, 2, 3, 4;
CREATE INDEX temp.compare_others_of ON compare_others("from", "to", a, b);

CREATE TEMP TABLE compare_beside AS
SELECT b.side AS "to", a.id AS a, b.id AS b, s.run = t.run AS one_run, o.why,
  p.kind = 'axis' AND a.code = b.code AND x.ns IS NOT NULL AND y.ns IS NOT NULL AS same_code, x.cell AS x, y.cell AS y
FROM temp.compare_plan p CROSS JOIN temp.compare_sides s CROSS JOIN temp.compare_sides t ON t.side > 0
CROSS JOIN temp.compare_cells a ON a.side = 0 CROSS JOIN temp.compare_cells b ON b.side = t.side AND b.kin = a.kin
  AND b.shape = a.shape
LEFT JOIN temp.compare_others o ON o."from" = 0 AND o."to" = b.side AND o.a = a.variant AND o.b = b.variant
LEFT JOIN temp.timed x ON x.run = s.run AND x.variant = a.variant AND x.shape = a.shape
LEFT JOIN temp.timed y ON y.run = t.run AND y.variant = b.variant AND y.shape = b.shape
WHERE s.side = 0;
CREATE TEMP TABLE compare_beyond AS
WITH counted AS (
  SELECT t.side, (SELECT count(*) FROM temp.compare_cells WHERE side = 0) AS first,
    (SELECT count(*) FROM temp.compare_cells c WHERE c.side = t.side) AS other,
    (SELECT count(*) FROM temp.compare_beside r WHERE r."to" = t.side) AS both FROM temp.compare_sides t
      WHERE t.side > 0),
withheld AS (SELECT "to", why, count(*) AS cells FROM temp.compare_beside, temp.compare_plan
  WHERE why IS NOT NULL AND NOT any_code GROUP BY "to", why)
SELECT 0 AS side, 'timed on one side only' AS why, sum(first - both) AS cells FROM counted
UNION ALL SELECT side, 'timed on one side only', other - both FROM counted
UNION ALL SELECT 0, why, sum(cells) FROM withheld GROUP BY why
UNION ALL SELECT "to", why, cells FROM withheld;

-- The data of each pair of cells. a_times, b_times: the evidence: times per process, or only b_times with the ratios
-- of processes that timed both side by side.
CREATE TEMP TABLE compare_figures AS
WITH paired AS (
  SELECT r."to", r.a, r.b, r.x, r.y, r.why AS changed, r.same_code, a.kin, a.shape, a.name AS cell,
    (r.one_run OR p.kind = 'duel') AND coalesce(pair_sided(x.t, y.t), 1) AS sided, x.t AS xt, y.t AS yt,
    x.tied OR y.tied AS tied, x.ns AS a_ns, y.ns AS b_ns, a.medians AS a_medians, b.medians AS b_medians,
    usual_logs(a.medians) AS a_logs, usual_logs(b.medians) AS b_logs, a.status AS a_status, b.status AS b_status,
    iif(x.two_modes OR y.two_modes OR coalesce(pair_off(x.t, y.t), 0), 'two-modes',
      iif(x.unsteady OR y.unsteady, 'unsteady',
      '')) AS flag
  FROM temp.compare_beside r JOIN temp.compare_cells a ON a.id = r.a JOIN temp.compare_cells b ON b.id = r.b,
  temp.compare_plan p
  LEFT JOIN temp.timed x ON x.cell = r.x LEFT JOIN temp.timed y ON y.cell = r.y
  WHERE r.why IS NULL OR p.any_code),
timed AS (
  SELECT *, iif(sided OR tied OR a_ns IS NULL OR b_ns IS NULL, NULL, shifts(a_logs, b_logs)) AS shift,
    NOT same_code AND coalesce(iif(sided, pair_tied(xt, yt), tied), 0) AS is_tied,
    coalesce(iif(sided, pair_processes(xt, yt), iif(coalesce(tied, 0), 0, json_array_length(a_logs))),
      0) AS processes_a,
    coalesce(iif(sided, pair_processes(xt, yt), iif(coalesce(tied, 0), 0, json_array_length(b_logs))),
      0) AS processes_b FROM paired)
SELECT *, CASE WHEN same_code THEN 1 WHEN sided THEN pair(xt, yt) WHEN tied THEN NULL
    ELSE coalesce(exp(shift ->> '$[0]'), b_ns / a_ns) END AS ratio,
  CASE WHEN same_code THEN 1 WHEN sided THEN pair_low(xt, yt) ELSE exp(shift ->> '$[1]') END AS low,
  CASE WHEN same_code THEN 1 WHEN sided THEN pair_high(xt, yt) ELSE exp(shift ->> '$[2]') END AS high,
  CASE WHEN same_code THEN 1 WHEN sided THEN pair_p(xt, yt) ELSE shift ->> '$[3]' END AS p,
  iif(sided OR a_ns IS NULL OR b_ns IS NULL, NULL, a_medians) AS a_times,
  iif(sided, pair_ratios(xt, yt), iif(a_ns IS NULL OR b_ns IS NULL, NULL, b_medians)) AS b_times FROM timed;

-- Two runs of one machine differ by a common factor of all cells, the state of the machine. It is the median over the
-- cells with equal code, or over all cells if there are few of those; with few cells it cannot be distinguished from
-- their own changes. apart: the median distance of cells from it; if it is large, the runs differ by more than a
-- factor.
CREATE TEMP TABLE compare_shifts AS
WITH cell AS (SELECT f."to", ln(f.ratio) AS shift, f.changed IS NULL AS same FROM temp.compare_figures f,
  temp.compare_plan p
  WHERE p.kind IN ('runs', 'commit') AND NOT f.sided AND f.ratio IS NOT NULL),
code AS (SELECT "to", sum(same) >= least_cells AS same FROM cell, (SELECT 10 AS least_cells) GROUP BY "to"
  HAVING count(*) >= least_cells),
chosen AS (SELECT cell.* FROM cell JOIN code USING ("to") WHERE cell.same >= code.same),
middle AS (SELECT "to", count(*) AS cells, quantile(shift, 0.5) AS shift FROM chosen GROUP BY "to")
SELECT m.*, quantile(abs(c.shift - m.shift), 0.5) AS apart FROM middle m JOIN chosen c USING ("to") GROUP BY m."to";

-- The verdict on each pair of cells, by the rule of measure/evidence.h; `slower` and `faster` are its logarithms.
-- detects: the slowdown, in addition to the measured ratio, that the rule would find; NULL if it would find none.
CREATE TEMP TABLE compare_rows AS
WITH spread AS (SELECT "to", sided, usual_variance(a_times, b_times) AS variance FROM temp.compare_figures
  WHERE NOT same_code),
noise AS (SELECT coalesce(i.p95, 0) AS noise FROM temp.identical i JOIN temp.compare_sides s USING (run)
  WHERE s.side = 0),
prior AS (SELECT "to", sided, quantile(variance, 0.5) AS variance FROM spread GROUP BY "to", sided
  HAVING count(variance) >= 5),
proven AS (
  SELECT f.*, evidence(f.a_times, f.b_times, coalesce(s.shift, 0), v.variance) AS evidence,
  coalesce(exp(s.shift), 1) AS common,
    iif(f.sided, n.noise, coalesce(exp(8 * s.apart) - 1, 0)) AS noise,
    ln(1 + max(p.margin, iif(f.sided, n.noise, coalesce(exp(8 * s.apart) - 1, 0)))) AS least
  FROM temp.compare_figures f, temp.compare_plan p, noise n LEFT JOIN temp.compare_shifts s USING ("to")
  LEFT JOIN prior v ON v."to" = f."to" AND v.sided = f.sided),
told AS (
  SELECT *, evidence ->> 0 AS slower, evidence ->> 1 AS faster,
    iif(p IS NULL, NULL, bh(p, (SELECT count(p) FROM temp.compare_figures)) OVER (ORDER BY p DESC)) AS q,
    count(*) OVER (PARTITION BY kin, shape) = (SELECT count(*) FROM temp.compare_sides) - 1 AS everywhere FROM proven),
judged AS (
  SELECT t.*, CASE WHEN same_code THEN 'same' WHEN slower > least THEN 'slower' WHEN faster > least THEN 'faster'
    WHEN low / common >= 1 / (1 + margin) AND high / common <= 1 + margin THEN 'same' ELSE 'unknown' END AS verdict
  FROM told t, temp.compare_plan)
SELECT t."to", t.kin, t.cell, t.a, t.b, t.x, t.y, t.changed, t.same_code, t.sided, t.is_tied AS tied, t.processes_a,
  t.processes_b, t.a_status, t.b_status, t.a_ns, t.b_ns, t.ratio, t.low, t.high, t.p, t.q, t.everywhere, t.flag,
  t.verdict,
  iif(same_code, 1, exp(max(0, least - slower))) AS detects,
  CASE WHEN b_status <> 'ok' AND b_status <> a_status THEN b_status WHEN a_status <> 'ok' THEN a_status
    ELSE '' END AS failure,
  CASE WHEN verdict <> 'unknown' THEN '' WHEN t.is_tied THEN 'two modes, and no majority of processes'
    WHEN ratio IS NULL THEN 'not timed on both sides' WHEN slower IS NULL THEN 'too few processes for any verdict'
    WHEN abs(ratio - 1) < noise THEN 'identical code is as far apart in this run'
      ELSE 'the data cannot tell' END AS why,
  v.op || iif(v.dtype = 'f32', '', ' ' || v.dtype) AS op, c.residency
FROM judged t JOIN temp.compare_cells c ON c.id = t.a JOIN variants v ON v.id = c.variant ORDER BY t."to", t.cell;

-- Inputs of a family are those of a version of the grid, or where a record names none of a commit; those of `normal`
-- are the same in all.
CREATE TEMP TABLE compare_errors(run INTEGER, first INTEGER, cell INTEGER, record INTEGER,
  PRIMARY KEY(run, first, cell)) WITHOUT ROWID;
INSERT INTO compare_errors
SELECT e.run, e.first, hash_of(r.n, r.family, r.elements, coalesce(r.inputs, ''),
  iif(r.family = 'normal' OR r.inputs IS NOT NULL, '', coalesce(r.grid,
    (SELECT "commit" FROM runs WHERE id = e.run)))) AS cell,
  max(e.record)
FROM temp.first_errors e CROSS JOIN errors r ON r.id = e.record GROUP BY e.run, e.first, cell;
-- worse: cells whose error, or mean error, grew by more than the margin, or whose promise or bound broke; growth: by
-- most of them; lost_more: cells that lost or flushed more results, or failed; absent: cells of `from` alone.
CREATE TEMP TABLE compare_accuracy AS
WITH one AS MATERIALIZED (SELECT side, kin, k.name, variant, run, first FROM temp.shared h
  CROSS JOIN temp.compare_kin k USING (variant) CROSS JOIN temp.compare_sides s USING (run) WHERE s.value IS k.value),
pair AS MATERIALIZED (
  SELECT a.side AS "from", b.side AS "to", a.kin, a.name AS variant, a.run, a.first, b.run AS other, b.first AS second
  FROM one a JOIN one b ON b.kin = a.kin AND b.side > a.side, temp.compare_plan p
  WHERE p.any_code OR NOT EXISTS(SELECT 1 FROM temp.compare_others o
    WHERE o."from" = a.side AND o."to" = b.side AND o.a = a.variant AND o.b = b.variant)),
cell AS (
  SELECT p.*, x.bits AS bits_a, y.bits AS bits_b, max(coalesce(x.hazard, 0), coalesce(y.hazard, 0)) AS hazard,
    x.measure <> y.measure AS unlike, x.measure = y.measure AND x.nan IS NOT NULL AND y.nan IS NOT NULL AS counted,
    x.measure = y.measure AND x.family = 'normal' AND x.max_ulp IS NOT NULL AND y.max_ulp IS NOT NULL AS normal,
    x.lost AS lost_a, iif(x.lost > 0, 9e999, x.max_ulp) AS max_a, iif(x.lost > 0, 9e999, x.mean_ulp) AS mean_a,
    x.nan AS nan_a,
    y.lost AS lost_b, iif(y.lost > 0, 9e999, y.max_ulp) AS max_b, iif(y.lost > 0, 9e999, y.mean_ulp) AS mean_b,
    y.nan AS nan_b,
    -- An error below that of correct rounding, 0.5 at most and 0.25 on average, counts as that.
    iif(x.measure <> y.measure, NULL, iif(u.near_zero, max(y.scaled_error, 0.5) / max(x.scaled_error, 0.5),
      max(max(y.max_ulp, 0.5) / max(x.max_ulp, 0.5), max(y.mean_ulp, 0.25) / max(x.mean_ulp, 0.25)))) AS growth,
    (y.verdict = 'broken' AND x.verdict <> 'broken') OR (y.bound_ratio > 1 AND x.bound_ratio <= 1) AS broke,
    x.status = 'ok' AND y.status = 'skipped' AS skipped,
    x.status IN ('ok', 'wrong') AND y.status NOT IN ('ok', 'wrong', 'skipped') AS failed,
    (x.status IN ('ok', 'wrong') AND y.status NOT IN ('ok', 'wrong', 'skipped'))
      OR (x.measure = y.measure AND (y.lost > x.lost OR y.flushed > x.flushed))
      AS lost_more
  FROM (SELECT DISTINCT run, first, other, second FROM pair) p CROSS JOIN temp.compare_errors a USING (run, first)
  CROSS JOIN temp.compare_errors b ON b.run = p.other AND b.first = p.second AND b.cell = a.cell
  CROSS JOIN errors x ON x.id = a.record CROSS JOIN errors y ON y.id = b.record
  CROSS JOIN named v ON v.variant = p.first CROSS JOIN units u ON u.run = p.run AND u.op = v.op),
figure AS MATERIALIZED (
  SELECT run, first, other, second, max(hazard) AS hazard, sum(unlike) AS unlike, sum(counted) AS counted,
  count(*) AS both,
    sum(bits_a IS NOT NULL AND bits_b IS NOT NULL OR failed) AS cells,
    coalesce(sum(bits_a = bits_b AND NOT failed), 0) AS equal,
    coalesce(sum(lost_a) FILTER (WHERE counted), 0) AS lost_a,
    coalesce(sum(lost_b) FILTER (WHERE counted), 0) AS lost_b,
    coalesce(sum(nan_a) FILTER (WHERE counted), 0) AS nan_a, coalesce(sum(nan_b) FILTER (WHERE counted), 0) AS nan_b,
    max(max_a) FILTER (WHERE normal) AS max_ulp_a, max(max_b) FILTER (WHERE normal) AS max_ulp_b,
    avg(mean_a) FILTER (WHERE normal) AS mean_ulp_a, avg(mean_b) FILTER (WHERE normal) AS mean_ulp_b,
    total(growth > 1 + margin OR broke) AS worse, max(growth) AS growth, total(broke) AS broke,
    total(lost_more) AS lost_more, total(skipped) AS skipped
  FROM cell, temp.compare_plan GROUP BY run, first, other, second)
SELECT *, (SELECT count(*) FROM temp.compare_errors e WHERE e.run = p.run
  AND e.first = p.first) - both + skipped AS absent
FROM pair p JOIN figure USING (run, first, other, second) ORDER BY variant, "from", "to";
CREATE INDEX temp.compare_accuracy_of ON compare_accuracy(kin, "from", "to");

CREATE TEMP TABLE compare_means AS
WITH cell AS (
  SELECT r.*, iif(r.sided, x.low_ns, NULL) AS a_times, iif(r.sided, iif(r.same_code, x.low_ns, y.low_ns),
    NULL) AS b_times
  FROM temp.compare_rows r LEFT JOIN temp.timed x ON x.cell = r.x LEFT JOIN temp.timed y ON y.cell = r.y),
leveled AS (SELECT *, residency AS level FROM cell WHERE residency <> '' UNION ALL SELECT *, '' FROM cell),
operation AS MATERIALIZED (
  SELECT "to", op, level, sum(used) AS cells, sum(used AND sided) AS paired, sum(used AND same_code) AS same_code,
    sum(tied) AS left_out, sum(verdict = 'faster') AS faster, sum(verdict = 'slower') AS slower,
    sum(verdict = 'same') AS same,
    sum(verdict = 'unknown') AS unknown, avg(ln(ratio)) FILTER (WHERE used) AS ratio,
    iif(count(low) FILTER (WHERE used) = sum(used), avg(ln(low)) FILTER (WHERE used), NULL) AS low,
    iif(count(high) FILTER (WHERE used) = sum(used), avg(ln(high)) FILTER (WHERE used), NULL) AS high,
    by_process(a_times, b_times) FILTER (WHERE used AND sided) AS speeds
  FROM (SELECT *, ratio IS NOT NULL AND everywhere AS used FROM leveled)
  WHERE level IN ('', 'L1', 'L2', 'L3', 'DRAM') GROUP BY "to", op, level),
figure AS (
  SELECT "to", op, level, cells, paired = cells AS sided, same_code, left_out, faster, slower, same, unknown, ratio,
  low, high, speeds
  FROM operation
  UNION ALL
  SELECT "to", '', '', sum(cells), sum(paired) = sum(cells), sum(same_code), sum(left_out), sum(faster), sum(slower),
  sum(same),
    sum(unknown), avg(ratio), iif(count(low) = sum(cells > 0), avg(low), NULL),
    iif(count(high) = sum(cells > 0), avg(high), NULL),
    by_process(speeds)
  FROM operation WHERE level = '' GROUP BY "to")
SELECT "to", op, level, cells, same_code, left_out, faster, slower, same, unknown,
  iif(sided, ratio(speeds), exp(ratio)) AS ratio, iif(sided, ratio_low(speeds), exp(low)) AS low,
  iif(sided, ratio_high(speeds), exp(high)) AS high
FROM (SELECT *, count(*) FILTER (WHERE cells > 0) OVER (PARTITION BY "to", op) AS levels FROM figure) f
LEFT JOIN (SELECT op, min(rowid) AS place FROM temp.compare_rows GROUP BY op) USING (op)
WHERE cells > 0 AND NOT (level <> '' AND levels = 2)
ORDER BY "to", place, instr('L1 L2 L3 DRAM', level);

CREATE TEMP TABLE compare_classes AS
WITH here AS (SELECT kin, "from" AS side FROM temp.compare_accuracy UNION SELECT kin, "to" FROM temp.compare_accuracy),
class AS (
  SELECT kin, side, coalesce((SELECT min(a."from") FROM temp.compare_accuracy a
    WHERE a.kin = h.kin AND a."to" = h.side AND a.cells > 0 AND a.equal = a.cells), side) AS class FROM here h
  WHERE EXISTS(SELECT 1 FROM temp.compare_accuracy a WHERE a.kin = h.kin AND a.cells > 0)),
member AS (
  SELECT kin, class, group_concat(name, ' ') AS members
    FROM (SELECT c.*, s.name FROM class c JOIN temp.compare_sides s USING (side)
  ORDER BY kin, class, side) GROUP BY kin, class),
kind AS (SELECT kin, group_concat(members, ' | ') AS members FROM (SELECT * FROM member ORDER BY kin, class)
  GROUP BY kin)
SELECT members, count(*) AS variants, min(name) AS first FROM kind
  JOIN (SELECT DISTINCT kin, name FROM temp.compare_kin) USING (kin)
GROUP BY members ORDER BY variants DESC, members;

-- Whole scans of a variant on two sides; they outlive runs, and the code that they are of stands in them.
CREATE TEMP TABLE compare_scans AS
WITH one AS (
  SELECT s.side, k.kin, k.name, c.* FROM temp.compare_sides s CROSS JOIN files f USING (run)
    CROSS JOIN scans c ON c.blob = f.blob
  CROSS JOIN temp.compare_kin k ON k.variant = c.variant AND s.value IS k.value)
SELECT b.side AS "to", a.kin, a.name AS variant, a.outputs IS NOT NULL AND b.outputs IS NOT NULL AS hashed,
  a.outputs = b.outputs AS equal, a.measure <> b.measure AS unlike,
  a.measure = b.measure AND (b.lost > a.lost OR b.flushed > a.flushed)
    OR (a.status = 'ok' AND b.status <> 'ok') AS lost_more,
  iif(a.measure = b.measure, max(b.max_ulp, 0.5) / max(a.max_ulp, 0.5), NULL) AS growth,
  b.verdict = 'broken' AND a.verdict <> 'broken' AS broke
FROM one a JOIN one b ON a.side = 0 AND b.side > 0 AND b.kin = a.kin AND b."range" = a."range";

CREATE TEMP TABLE compare_counts AS
SELECT count(*) AS "rows", count(r.ratio) AS ratios, count(r.changed) AS changed,
  count(*) FILTER (WHERE r.sided) AS sided,
  count(*) FILTER (WHERE r.flag = 'two-modes') AS modes, count(*) FILTER (WHERE r.tied) AS tied,
  count(*) FILTER (WHERE r.why = 'too few processes for any verdict') AS too_few,
  (SELECT coalesce(sum(unlike), 0) FROM temp.compare_accuracy) AS unlike,
  (SELECT count(DISTINCT coalesce(e.grid, '') || ' ' || coalesce(e.elements, '')) > 1 FROM temp.compare_sides s
    JOIN runs r ON r.id = s.run JOIN errors e ON e.id = (SELECT min(id) FROM errors f
      WHERE f.blob = r.accuracy)) AS grids_differ,
  coalesce((SELECT text FROM temp.identical_words JOIN temp.compare_sides USING (run) WHERE side = 0), '') AS identical
FROM temp.compare_rows r;
SELECT 2, 'compare: ' || a.name || ' and ' || b.name || ': no cell in common' || iif(other, ': the ' || other
  || ' that both timed ran other machine code; compare the commits with --by commit',
  iif(x.compilers = y.compilers, '; compare runs of the same kernels and shapes, or widen --filter',
    printf('; the compilers differ (%s; %s): --map cc=OLD:NEW reads the builds of one as those of another',
      x.compilers, y.compilers)))
FROM temp.compare_sides a JOIN temp.compare_sides b ON a.side = 0 AND b.side = 1
LEFT JOIN temp.compare_compilers x ON x.side = 0 LEFT JOIN temp.compare_compilers y ON y.side = 1,
  (SELECT coalesce(sum(cells), 0) AS other
  FROM temp.compare_beyond WHERE side = 0 AND why <> 'timed on one side only')
WHERE NOT EXISTS(SELECT 1 FROM temp.compare_rows) AND NOT EXISTS(SELECT 1 FROM temp.compare_accuracy);

-- The rows of two programs, `this` and the other one, of which they had the same inputs: whether they gave the same
-- results.
CREATE TEMP VIEW duel_rows AS
SELECT r.*, v.variant || '/rows=' || h."rows" || '/n=' || h.n || '/threads=' || h.threads AS id, h.family,
  r.a_ns * h.n AS other_ns, r.b_ns * h.n AS ns, d.outputs = e.outputs AS same_bits, pair_off(s.t, t.t) AS off,
  pair_processes(s.t, t.t) + pair_off(s.t, t.t) AS processes,
  coalesce(iif(r.b_status <> 'ok', e.reason, d.reason), '') AS reason
FROM temp.compare_rows r JOIN temp.compare_cells x ON x.id = r.a JOIN temp.compare_cells y ON y.id = r.b
JOIN variants v ON v.id = x.variant JOIN shapes h ON h.id = x.shape
JOIN temp.compare_sides f ON f.side = 0 JOIN temp.compare_sides g ON g.side = r."to"
JOIN runs m ON m.id = f.run JOIN runs o ON o.id = g.run
JOIN cell_details d ON d.blob = m.timing AND d.variant = x.variant AND d.shape = x.shape
JOIN cell_details e ON e.blob = o.timing AND e.variant = x.variant AND e.shape = x.shape
LEFT JOIN temp.timed s ON s.cell = r.x LEFT JOIN temp.timed t ON t.cell = r.y;

-- The gates, in order: decided is holds, falls or undecided; asked: whether it affects the exit code; text: the
-- reason, for people. A side-by-side comparison has no shift.
CREATE TEMP TABLE compare_gates AS
WITH plan AS (SELECT *, 100 * margin AS percent, instr(gates, ' time ') AS times, instr(gates, ' bits ') AS all_bits,
    instr(gates, ' promised ') AS promised FROM temp.compare_plan),
time AS (
  SELECT count(*) AS cells, count(ratio) AS timed, count(*) FILTER (WHERE verdict = 'slower') AS slower,
    count(*) FILTER (WHERE b_status NOT IN ('ok', 'skipped') AND a_status = 'ok') AS failed,
    count(*) FILTER (WHERE verdict = 'unknown' AND coalesce(detects, 9e999) <= detect) AS undecided,
    count(*) FILTER (WHERE verdict <> 'slower' AND coalesce(detects, 9e999) > detect) AS blind,
    quantile(coalesce(detects, 9e999), 0.95) AS finds
  FROM temp.compare_rows, plan WHERE 'ok' IN (a_status, b_status)),
worst AS (SELECT cell, ratio FROM temp.compare_rows WHERE verdict = 'slower' ORDER BY ratio DESC, rowid LIMIT 1),
-- Values of an axis have kernels of their own.
gone AS (SELECT coalesce(sum(cells), 0) AS cells FROM temp.compare_beyond, plan WHERE side = 0 AND axis IS NULL),
shift AS (SELECT s.*, t.name FROM temp.compare_shifts s JOIN temp.compare_sides t ON t.side = s."to"
  ORDER BY shift DESC LIMIT 1),
error AS (
  SELECT variant, kin, both AS cells, worse, growth, broke, lost_more, iif(axis IS NULL, absent, 0) AS absent, unlike,
  cells - equal AS other_bits, cells AS hashed
  FROM temp.compare_accuracy, plan WHERE "from" = 0
  UNION ALL SELECT variant || ' (scan)', kin, 1, growth > 1 + margin OR broke, growth, broke, lost_more, 0, unlike,
  hashed AND NOT equal,
    hashed FROM temp.compare_scans, plan
  UNION ALL SELECT id, kin, 0, 0, NULL, 0, 0, 0, 0, NOT same_bits, 1 FROM temp.duel_rows, plan
  WHERE kind = 'duel' AND same_bits IS NOT NULL
  -- Variants of whose errors the other side has none.
  UNION ALL SELECT k.name, k.kin, 0, 0, NULL, 0, 0, (SELECT count(*) FROM temp.first_errors e WHERE e.run = h.run
    AND e.first = h.first AND coalesce(e.status, 'ok') IN ('ok', 'wrong')), 0, 0, 0
  FROM temp.compare_sides a JOIN temp.shared h ON h.run = a.run JOIN temp.compare_kin k USING (variant)
  JOIN temp.compare_sides b ON b.side > 0, plan WHERE a.side = 0 AND axis IS NULL AND kind <> 'duel' AND NOT EXISTS(
    SELECT 1 FROM temp.compare_accuracy x WHERE x.kin = k.kin AND x."from" = 0 AND x."to" = b.side)),
sums AS (SELECT total(cells) AS cells, total(worse) AS worse, total(broke) AS broke, total(lost_more) AS lost_more,
    total(absent) AS absent, total(unlike) AS unlike, total(other_bits) AS other_bits, total(hashed) AS hashed,
    total(other_bits) FILTER (WHERE v.algorithm LIKE 'invariant%') AS promised_bits,
    total(absent) FILTER (WHERE v.algorithm LIKE 'invariant%') AS promised_absent FROM error
      JOIN variants v ON v.id = kin)
SELECT 'time' AS gate, times > 0 AS asked,
  CASE WHEN slower OR failed OR NOT timed THEN 'falls' WHEN blind OR gone.cells THEN 'undecided'
    ELSE 'holds' END AS decided,
  iif(timed, printf('%d of %d cells are slower by more than %g%%', slower, time.cells, percent)
      || iif(worst.cell IS NULL, '', printf(', the worst %s by %.1f%%', worst.cell, 100 * (worst.ratio - 1)))
      || iif(finds < 9e99, printf('; a slowdown by %.2f would be found in 95%% of them', finds),
        '; in over 5% of them no slowdown would '
        || 'be found') || iif(blind, printf(', in %d not even one by %g (--detect)', blind, detect), '')
      || iif(undecided, printf('; %d are undecided', undecided), ''),
    'nothing was compared: no cell was timed on both sides; measure both with the same options')
    || iif(failed, printf('; %d failed in b', failed), '')
      || iif(gone.cells, printf('; %d more of a are not in b', gone.cells), '') AS text
FROM plan, time, gone LEFT JOIN worst
UNION ALL
SELECT 'run', times > 0, iif(shift > ln(1 + margin), 'falls', 'holds'),
  printf('%s as a whole takes %.3f times as long (median of %d cells), which is left out of the cells'' verdicts%s',
    name, exp(shift), cells,
    iif(shift > ln(1 + margin), ': a slower machine, or all of a build; measure both again in turn, or duel', ''))
FROM plan, shift
UNION ALL
SELECT 'error', gates <> '', CASE WHEN worse THEN 'falls' WHEN unlike OR absent THEN 'undecided' ELSE 'holds' END,
  printf('%d of %d errors are larger by more than %g%%', worse, cells, percent)
    || iif(broke, printf(', of which %d break a promise '
    || 'or a bound', broke), '') || coalesce((SELECT printf(', the most %s, %.3g times', variant, growth) FROM error
      WHERE worse
    ORDER BY growth DESC LIMIT 1), '') || iif(unlike, printf('; %d are of unlike measures', unlike), '')
    || iif(absent, printf('; %d of a are not in b', absent), '')
FROM plan, sums WHERE cells OR absent
UNION ALL
SELECT 'lost', gates <> '', CASE WHEN lost_more THEN 'falls' WHEN unlike OR absent THEN 'undecided' ELSE 'holds' END,
  printf('%d of %d cells of accuracy lose more results, or failed', lost_more, cells)
    || coalesce((SELECT ', such as ' || variant FROM error WHERE lost_more LIMIT 1), '')
    || iif(absent, printf('; %d of a are not in b', absent), '')
FROM plan, sums WHERE cells OR absent
UNION ALL
SELECT 'bits', all_bits OR promised, CASE WHEN iif(all_bits, other_bits, promised_bits) THEN 'falls'
    WHEN iif(all_bits, absent, promised_absent) THEN 'undecided' ELSE 'holds' END,
  printf('%d of %d results have other bits', other_bits, hashed)
    || iif(other_bits, printf(', %d of them of kernels that promise them',
    promised_bits), '') || coalesce((SELECT ', such as ' || variant FROM error WHERE other_bits LIMIT 1), '')
    || iif(absent, printf('; %d of a are not in b', absent), '')
FROM plan, sums WHERE hashed OR absent;
CREATE TEMP VIEW gate AS SELECT iif(decided = 'falls', 1, 3) AS code, 'gate: ' || gate || ': ' || text AS text
FROM temp.compare_gates WHERE asked AND decided <> 'holds' ORDER BY decided, rowid;
