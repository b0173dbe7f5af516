-- SPDX-License-Identifier: MIT
-- Sides beside the first one (temp.compare_sides), cell by cell, and the bits of every two.
-- compare_rows: time of side `to` over time of side 0. compare_accuracy: a variant on two sides. compare_means, in their
-- order; op and level are '' for all. compare_classes: which sides have equal bits. compare_beyond: what is not compared.
-- compare_counts: one row; unlike: accuracy cells of different measures. compare_errors: of each `first`, compared once.
CREATE TEMP TABLE compare_cells(id INTEGER PRIMARY KEY, side INTEGER, kin INTEGER, shape INTEGER,
  variant INTEGER, name TEXT, status TEXT, medians TEXT, residency TEXT, code TEXT);
INSERT INTO compare_cells
SELECT NULL, s.side, k.kin, c.shape, c.variant, k.name || '/rows=' || h."rows" || '/n=' || h.n || '/threads=' || h.threads ||
  iif(h.family IN ('normal', ''), '', '/family=' || h.family), coalesce(d.status, ''), d.medians_ns, coalesce(c.residency, ''),
  x.code
FROM runs r CROSS JOIN cells c ON c.blob = r.timing CROSS JOIN cell_details d USING (blob, variant, shape)
CROSS JOIN temp.compare_kin k ON k.variant = c.variant CROSS JOIN temp.compare_sides s ON s.run = r.id AND s.value IS k.value
CROSS JOIN shapes h ON h.id = c.shape LEFT JOIN temp.compare_code x ON x.run = s.run AND x.variant = c.variant;
CREATE INDEX temp.compare_cells_of ON compare_cells(side, kin, shape);

-- Pairs of variants of two sides whose code differs: their cells are beyond.
CREATE TEMP TABLE compare_others AS
WITH differ AS MATERIALIZED (
  SELECT s.side AS "from", t.side AS "to", s.value AS av, t.value AS bv, x.variant, x.library
  FROM temp.compare_sides s JOIN temp.compare_sides t ON t.side > s.side AND t.run <> s.run
  CROSS JOIN temp.compare_code x ON x.run = s.run CROSS JOIN temp.compare_code y ON y.run = t.run AND y.variant = x.variant
  WHERE x.code <> y.code)
SELECT d."from", d."to", a.variant AS a, b.variant AS b,
  iif(max(d.library), 'another version of the library', 'other machine code') AS why
FROM differ d CROSS JOIN temp.compare_kin k ON k.variant = d.variant
CROSS JOIN temp.compare_kin a ON a.kin = k.kin AND a.value IS d.av CROSS JOIN temp.compare_kin b ON b.kin = k.kin AND b.value IS d.bv
WHERE d.variant IN (a.variant, b.variant) GROUP BY 1, 2, 3, 4;
CREATE INDEX temp.compare_others_of ON compare_others("from", "to", a, b);

CREATE TEMP TABLE compare_beside AS
SELECT b.side AS "to", a.id AS a, b.id AS b, s.run = t.run AS one_run, o.why,
  p.kind = 'axis' AND a.code = b.code AND x.ns IS NOT NULL AND y.ns IS NOT NULL AS same_code, x.cell AS x, y.cell AS y
FROM temp.compare_plan p CROSS JOIN temp.compare_sides s CROSS JOIN temp.compare_sides t ON t.side > 0
CROSS JOIN temp.compare_cells a ON a.side = 0 CROSS JOIN temp.compare_cells b ON b.side = t.side AND b.kin = a.kin AND b.shape = a.shape
LEFT JOIN temp.compare_others o ON o."from" = 0 AND o."to" = b.side AND o.a = a.variant AND o.b = b.variant
LEFT JOIN temp.timed x ON x.run = s.run AND x.variant = a.variant AND x.shape = a.shape
LEFT JOIN temp.timed y ON y.run = t.run AND y.variant = b.variant AND y.shape = b.shape
WHERE s.side = 0;
CREATE TEMP TABLE compare_beyond AS
WITH counted AS (
  SELECT t.side, (SELECT count(*) FROM temp.compare_cells WHERE side = 0) AS first,
    (SELECT count(*) FROM temp.compare_cells c WHERE c.side = t.side) AS other,
    (SELECT count(*) FROM temp.compare_beside r WHERE r."to" = t.side) AS both FROM temp.compare_sides t WHERE t.side > 0),
withheld AS (SELECT "to", why, count(*) AS cells FROM temp.compare_beside, temp.compare_plan
  WHERE why IS NOT NULL AND kind <> 'commit' GROUP BY "to", why)
SELECT 0 AS side, 'timed on one side alone' AS why, sum(first - both) AS cells FROM counted
UNION ALL SELECT side, 'timed on one side alone', other - both FROM counted
UNION ALL SELECT 0, why, sum(cells) FROM withheld GROUP BY why
UNION ALL SELECT "to", why, cells FROM withheld;

CREATE TEMP TABLE compare_rows AS
WITH paired AS (
  SELECT r."to", r.a, r.b, r.x, r.y, r.why AS changed, r.same_code, a.kin, a.shape, a.name AS cell,
    r.one_run AND coalesce(pair_sided(x.t, y.t), 1) AS sided, x.t AS xt, y.t AS yt, x.tied OR y.tied AS tied,
    x.ns AS a_ns, y.ns AS b_ns, usual_logs(a.medians) AS a_logs, usual_logs(b.medians) AS b_logs,
    iif(x.two_modes OR y.two_modes OR coalesce(pair_off(x.t, y.t), 0), 'two-modes', iif(x.unsteady OR y.unsteady, 'unsteady',
      '')) AS flag
  FROM temp.compare_beside r JOIN temp.compare_cells a ON a.id = r.a JOIN temp.compare_cells b ON b.id = r.b, temp.compare_plan p
  LEFT JOIN temp.timed x ON x.cell = r.x LEFT JOIN temp.timed y ON y.cell = r.y
  WHERE r.why IS NULL OR p.kind = 'commit'),
timed AS (
  SELECT *, iif(sided OR tied OR a_ns IS NULL OR b_ns IS NULL, NULL, shifts(a_logs, b_logs)) AS shift,
    NOT same_code AND coalesce(iif(sided, pair_tied(xt, yt), tied), 0) AS is_tied,
    coalesce(iif(sided, pair_processes(xt, yt), iif(coalesce(tied, 0), 0, json_array_length(a_logs))), 0) AS processes_a,
    coalesce(iif(sided, pair_processes(xt, yt), iif(coalesce(tied, 0), 0, json_array_length(b_logs))), 0) AS processes_b FROM paired),
figured AS MATERIALIZED (
  SELECT *, CASE WHEN same_code THEN 1 WHEN sided THEN pair(xt, yt) WHEN tied THEN NULL
      ELSE coalesce(exp(shift ->> '$[0]'), b_ns / a_ns) END AS ratio,
    CASE WHEN same_code THEN 1 WHEN sided THEN pair_low(xt, yt) ELSE exp(shift ->> '$[1]') END AS low,
    CASE WHEN same_code THEN 1 WHEN sided THEN pair_high(xt, yt) ELSE exp(shift ->> '$[2]') END AS high,
    CASE WHEN same_code THEN 1 WHEN sided THEN pair_p(xt, yt) ELSE shift ->> '$[3]' END AS p FROM timed),
judged AS (
  SELECT f.*, iif(p IS NULL, NULL, bh(p, (SELECT count(p) FROM figured)) OVER (ORDER BY p DESC)) AS q,
    count(*) OVER (PARTITION BY kin, shape) = (SELECT count(*) FROM temp.compare_sides) - 1 AS everywhere,
    iif(sided, (SELECT i.p95 FROM temp.identical i JOIN temp.compare_sides s USING (run) WHERE s.side = 0), 0) AS noise
  FROM figured f),
told AS (
  SELECT j.*, CASE WHEN q <= 0.05 AND abs(ratio - 1) >= noise AND ratio > 1 + margin THEN 'slower'
    WHEN q <= 0.05 AND abs(ratio - 1) >= noise AND ratio < 1 / (1 + margin) THEN 'faster'
    WHEN low >= 1 / (1 + margin) AND high <= 1 + margin THEN 'same' ELSE 'unknown' END AS verdict
  FROM judged j, temp.compare_plan)
SELECT t."to", t.kin, t.cell, t.a, t.b, t.x, t.y, t.changed, t.same_code, t.sided, t.is_tied AS tied, t.processes_a,
  t.processes_b, t.a_ns, t.b_ns, t.ratio, t.low, t.high, t.p, t.q, t.everywhere, t.flag, t.verdict,
  CASE WHEN verdict <> 'unknown' THEN '' WHEN t.is_tied THEN 'two modes, and no majority of processes'
    WHEN ratio IS NULL THEN 'not timed on both sides'
    WHEN iif(t.sided, p IS NULL, least_p(processes_a, processes_b) > 0.05) THEN 'too few processes for any verdict'
    WHEN abs(ratio - 1) < noise THEN 'identical code is as far apart in this run' ELSE 'the data cannot tell' END AS why,
  v.op || iif(v.dtype = 'f32', '', ' ' || v.dtype) AS op, c.residency
FROM told t JOIN temp.compare_cells c ON c.id = t.a JOIN variants v ON v.id = c.variant ORDER BY t."to", t.cell;

CREATE TEMP TABLE compare_errors(run INTEGER, first INTEGER, cell INTEGER, record INTEGER, PRIMARY KEY(run, first, cell)) WITHOUT ROWID;
INSERT INTO compare_errors
SELECT e.run, e.first, hash_of(r.n, r.family, r.elements, coalesce(r.inputs, '')) AS cell, max(e.record)
FROM temp.first_errors e CROSS JOIN errors r ON r.id = e.record GROUP BY e.run, e.first, cell;
CREATE TEMP TABLE compare_accuracy AS
WITH one AS MATERIALIZED (SELECT side, kin, k.name, variant, run, first FROM temp.shared h
  CROSS JOIN temp.compare_kin k USING (variant) CROSS JOIN temp.compare_sides s USING (run) WHERE s.value IS k.value),
pair AS MATERIALIZED (
  SELECT a.side AS "from", b.side AS "to", a.kin, a.name AS variant, a.run, a.first, b.run AS other, b.first AS second
  FROM one a JOIN one b ON b.kin = a.kin AND b.side > a.side, temp.compare_plan p
  WHERE p.kind = 'commit' OR NOT EXISTS(SELECT 1 FROM temp.compare_others o
    WHERE o."from" = a.side AND o."to" = b.side AND o.a = a.variant AND o.b = b.variant)),
cell AS (
  SELECT p.*, x.bits AS bits_a, y.bits AS bits_b, max(coalesce(x.hazard, 0), coalesce(y.hazard, 0)) AS hazard,
    x.measure <> y.measure AS unlike, x.measure = y.measure AND x.nan IS NOT NULL AND y.nan IS NOT NULL AS counted,
    x.measure = y.measure AND x.family = 'normal' AND x.max_ulp IS NOT NULL AND y.max_ulp IS NOT NULL AS normal,
    x.lost AS lost_a, iif(x.lost > 0, 9e999, x.max_ulp) AS max_a, iif(x.lost > 0, 9e999, x.mean_ulp) AS mean_a, x.nan AS nan_a,
    y.lost AS lost_b, iif(y.lost > 0, 9e999, y.max_ulp) AS max_b, iif(y.lost > 0, 9e999, y.mean_ulp) AS mean_b, y.nan AS nan_b
  FROM (SELECT DISTINCT run, first, other, second FROM pair) p CROSS JOIN temp.compare_errors a USING (run, first)
  CROSS JOIN temp.compare_errors b ON b.run = p.other AND b.first = p.second AND b.cell = a.cell
  CROSS JOIN errors x ON x.id = a.record CROSS JOIN errors y ON y.id = b.record),
figure AS MATERIALIZED (
  SELECT run, first, other, second, max(hazard) AS hazard, sum(unlike) AS unlike, sum(counted) AS counted,
    sum(bits_a IS NOT NULL AND bits_b IS NOT NULL) AS cells, coalesce(sum(bits_a = bits_b), 0) AS equal,
    coalesce(sum(lost_a) FILTER (WHERE counted), 0) AS lost_a, coalesce(sum(lost_b) FILTER (WHERE counted), 0) AS lost_b,
    coalesce(sum(nan_a) FILTER (WHERE counted), 0) AS nan_a, coalesce(sum(nan_b) FILTER (WHERE counted), 0) AS nan_b,
    max(max_a) FILTER (WHERE normal) AS max_ulp_a, max(max_b) FILTER (WHERE normal) AS max_ulp_b,
    avg(mean_a) FILTER (WHERE normal) AS mean_ulp_a, avg(mean_b) FILTER (WHERE normal) AS mean_ulp_b
  FROM cell GROUP BY run, first, other, second)
SELECT * FROM pair JOIN figure USING (run, first, other, second) ORDER BY variant, "from", "to";
CREATE INDEX temp.compare_accuracy_of ON compare_accuracy(kin, "from", "to");

CREATE TEMP TABLE compare_means AS
WITH cell AS (
  SELECT r.*, iif(r.sided, x.low_ns, NULL) AS a_times, iif(r.sided, iif(r.same_code, x.low_ns, y.low_ns), NULL) AS b_times
  FROM temp.compare_rows r LEFT JOIN temp.timed x ON x.cell = r.x LEFT JOIN temp.timed y ON y.cell = r.y),
leveled AS (SELECT *, residency AS level FROM cell WHERE residency <> '' UNION ALL SELECT *, '' FROM cell),
operation AS MATERIALIZED (
  SELECT "to", op, level, sum(used) AS cells, sum(used AND sided) AS paired, sum(used AND same_code) AS same_code,
    sum(tied) AS left_out, sum(verdict = 'faster') AS faster, sum(verdict = 'slower') AS slower, sum(verdict = 'same') AS same,
    sum(verdict = 'unknown') AS unknown, avg(ln(ratio)) FILTER (WHERE used) AS ratio,
    iif(count(low) FILTER (WHERE used) = sum(used), avg(ln(low)) FILTER (WHERE used), NULL) AS low,
    iif(count(high) FILTER (WHERE used) = sum(used), avg(ln(high)) FILTER (WHERE used), NULL) AS high,
    by_process(a_times, b_times) FILTER (WHERE used AND sided) AS speeds
  FROM (SELECT *, ratio IS NOT NULL AND everywhere AS used FROM leveled)
  WHERE level IN ('', 'L1', 'L2', 'L3', 'DRAM') GROUP BY "to", op, level),
figure AS (
  SELECT "to", op, level, cells, paired = cells AS sided, same_code, left_out, faster, slower, same, unknown, ratio, low, high, speeds
  FROM operation
  UNION ALL
  SELECT "to", '', '', sum(cells), sum(paired) = sum(cells), sum(same_code), sum(left_out), sum(faster), sum(slower), sum(same),
    sum(unknown), avg(ratio), iif(count(low) = sum(cells > 0), avg(low), NULL), iif(count(high) = sum(cells > 0), avg(high), NULL),
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
  SELECT kin, class, group_concat(name, ' ') AS members FROM (SELECT c.*, s.name FROM class c JOIN temp.compare_sides s USING (side)
  ORDER BY kin, class, side) GROUP BY kin, class),
kind AS (SELECT kin, group_concat(members, ' | ') AS members FROM (SELECT * FROM member ORDER BY kin, class) GROUP BY kin)
SELECT members, count(*) AS variants, min(name) AS first FROM kind JOIN (SELECT DISTINCT kin, name FROM temp.compare_kin) USING (kin)
GROUP BY members ORDER BY variants DESC, members;

CREATE TEMP TABLE compare_counts AS
SELECT count(*) AS "rows", count(r.ratio) AS ratios, count(r.changed) AS changed, count(*) FILTER (WHERE r.sided) AS sided,
  count(*) FILTER (WHERE r.flag = 'two-modes') AS modes, count(*) FILTER (WHERE r.tied) AS tied,
  count(*) FILTER (WHERE r.why = 'too few processes for any verdict') AS too_few,
  (SELECT coalesce(sum(unlike), 0) FROM temp.compare_accuracy) AS unlike,
  (SELECT count(DISTINCT coalesce(e.grid, '') || ' ' || coalesce(e.elements, '')) > 1 FROM temp.compare_sides s
    JOIN runs r ON r.id = s.run JOIN errors e ON e.id = (SELECT min(id) FROM errors f WHERE f.blob = r.accuracy)) AS grids_differ,
  coalesce((SELECT text FROM temp.identical_words JOIN temp.compare_sides USING (run) WHERE side = 0), '') AS identical
FROM temp.compare_rows r;
SELECT 2, 'compare: ' || a.name || ' and ' || b.name || ': no cell in common' || iif(other, ': the ' || other
  || ' that both timed ran other machine code; compare the commits with --by commit',
  '; compare runs of the same kernels and shapes, or widen --filter')
FROM temp.compare_sides a JOIN temp.compare_sides b ON a.side = 0 AND b.side = 1, (SELECT coalesce(sum(cells), 0) AS other
  FROM temp.compare_beyond WHERE side = 0 AND why <> 'timed on one side alone')
WHERE NOT EXISTS(SELECT 1 FROM temp.compare_rows) AND NOT EXISTS(SELECT 1 FROM temp.compare_accuracy);
