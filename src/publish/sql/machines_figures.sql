-- SPDX-License-Identifier: MIT
-- Figures of few machines, out of their processes' values.
CREATE TEMP VIEW exact_sides AS SELECT * FROM temp.sides WHERE (SELECT exact FROM temp.exact);
-- side_cells: the cells of temp.lines; times: per process, what ratios are made of.
CREATE TEMP TABLE side_cells AS
SELECT l.line, s.side, c.shape, c.ns, c.low, c.high, c.cycles, c.percent, d.gb_per_s * c.ns AS bytes, h.hash,
  coalesce(d.low_ns, d.medians_ns, json_array(c.ns)) AS times
FROM temp.exact_sides s CROSS JOIN temp.lines l JOIN cells c ON c.blob = s.timing AND c.variant = l.variant
AND c.shape = cell(l.cells, s.side, 'shape')
LEFT JOIN cell_details d ON d.blob = c.blob AND d.variant = c.variant AND d.shape = c.shape
LEFT JOIN codes h ON h.blob = s.codegen AND h.variant = l.variant;
CREATE INDEX temp.side_cells_of_lines ON side_cells(line, side);

-- side_errors: on family normal, in the unit of the operation.
CREATE TEMP TABLE side_errors(side INTEGER, variant INTEGER, error REAL, hazard INTEGER, wrong INTEGER, PRIMARY KEY(variant, side)) WITHOUT ROWID;
INSERT INTO side_errors SELECT s.side, e.variant, iif(u.unit = 'u', e.max_u, e.max_ulp), e.hazard,
  coalesce(e.verdict, '') = 'broken' FROM temp.exact_sides s
JOIN error_sums e ON e.blob = s.accuracy JOIN variants v ON v.id = e.variant JOIN temp.units u ON u.op = v.op;

-- apart: how far two timings of identical code are apart, of 95% of the pairs: cells that were timed twice, and builds
-- of equal code.
CREATE TEMP TABLE identical AS
WITH twin AS (
  SELECT s.side, d.low_ns AS b, c.ns, lag(d.low_ns) OVER code AS a, lag(c.ns) OVER code AS other
  FROM temp.exact_sides s JOIN cells c ON c.blob = s.timing LEFT JOIN cell_details d USING (blob, variant, shape)
  JOIN variants v ON v.id = c.variant JOIN shapes k ON k.id = c.shape AND k.threads = 1
  JOIN codes h ON h.blob = s.codegen AND h.variant = c.variant AND h.hash IS NOT NULL
  WHERE c.ns > 0 AND v.cc <> 'lib'
  WINDOW code AS (PARTITION BY s.side, h.hash, v.op, v.dtype, c.shape ORDER BY c.place))
SELECT side, quantile(abs(ratio - 1), 0.95) AS apart FROM (
  SELECT side, iif(a IS NULL OR b IS NULL, ns / other, ratio(a, b)) AS ratio FROM twin
  UNION ALL SELECT s.side, c.ratio FROM temp.exact_sides s JOIN controls c ON c.blob = s.timing AND c.threads = 1)
WHERE ratio IS NOT NULL GROUP BY side;

CREATE TEMP TABLE counted_cells AS
SELECT s.side, v.op || iif(v.dtype = 'f32', '', ' ' || v.dtype) AS op, v.algorithm, v.isa, v.cc, v.policy, c.shape,
  c.residency AS level, c.percent, h.hash, c.variant, k.n, c.ns AS time, coalesce(d.low_ns, d.medians_ns, json_array(c.ns)) AS ns
FROM temp.exact_sides s JOIN cells c ON c.blob = s.timing JOIN temp.wanted w ON w.variant = c.variant AND NOT w.library
LEFT JOIN cell_details d USING (blob, variant, shape) JOIN variants v ON v.id = c.variant
JOIN shapes k ON k.id = c.shape AND k.threads = 1 AND k.family = 'normal'
LEFT JOIN codes h ON h.blob = s.codegen AND h.variant = c.variant WHERE c.ns > 0;

-- side_isas: speed of time(narrow) over time(wide), with its interval; op NULL: all, each of which weighs the same.
CREATE TEMP TABLE side_isas AS
WITH pair(wide, narrow) AS (VALUES('avx512', 'avx2'), ('avx2', 'scalar')),
operation AS MATERIALIZED (
  SELECT w.side, p.wide, p.narrow, w.op, w.level, count(*) AS cells, by_process(w.ns, n.ns) AS speed,
    avg(w.percent) AS percent
  FROM pair p JOIN temp.counted_cells w ON w.isa = p.wide JOIN temp.counted_cells n ON n.side = w.side
    AND n.isa = p.narrow AND n.op = w.op AND n.algorithm = w.algorithm AND n.cc = w.cc AND n.policy = w.policy
    AND n.shape = w.shape
  GROUP BY w.side, p.wide, w.op, w.level),
figure AS (
  SELECT side, wide, narrow, op, level, cells, speed, percent FROM operation
  UNION ALL SELECT side, wide, narrow, NULL, level, sum(cells), by_process(speed), avg(percent) FROM operation GROUP BY side, wide, level
  UNION ALL SELECT side, wide, narrow, NULL, NULL, sum(cells), by_process(speed), avg(percent) FROM operation GROUP BY side, wide)
SELECT side, wide, narrow, op, level, cells, ratio(speed) AS speed, ratio_low(speed) AS low, ratio_high(speed) AS high,
  percent FROM figure;

-- side_speeds: speed of each policy relative to off, over the cells that all policies of the compiler have, of kernels
-- whose code they change, in fp32; policies of the same code in a cell have the time of the first of
-- them there, so that equal code has equal figures, and each operation weighs the same. policy.sql asks the same.
CREATE TEMP TABLE side_speeds AS
WITH fair AS MATERIALIZED (
  SELECT *, instr('off     on      default fast    reassoc fastmath', policy) AS rank FROM temp.counted_cells
  WHERE op NOT LIKE '% %'),
common AS (
  SELECT side, cc, policy, rank, op, algorithm, isa, shape, first_value(ns) OVER same AS ns, first_value(policy) OVER same AS first
  FROM (SELECT *, count(*) OVER (PARTITION BY side, cc, op, algorithm, isa, shape) AS has FROM fair)
  JOIN (SELECT side, cc, count(DISTINCT policy) AS policies FROM fair GROUP BY side, cc) USING (side, cc)
  WHERE has = policies WINDOW same AS (PARTITION BY side, cc, op, algorithm, isa, shape, coalesce(hash, policy) ORDER BY rank)),
beside AS (
  SELECT c.*, min(first) OVER kernel <> max(first) OVER kernel AS acts, first_value(policy) OVER cell AS base,
    first_value(first) OVER cell AS base_first, first_value(ns) OVER cell AS base_ns FROM common c
  WINDOW kernel AS (PARTITION BY side, cc, op, algorithm, isa),
    cell AS (PARTITION BY side, cc, op, algorithm, isa, shape ORDER BY rank)),
operation AS MATERIALIZED (
  SELECT side, cc, policy, op, count(*) AS cells, by_process(ns, iif(first = base_first, ns, base_ns)) AS speed
  FROM beside WHERE base = 'off' AND acts GROUP BY side, cc, policy, op)
SELECT side, cc, policy, sum(cells) AS cells, count(*) AS operations, ratio(by_process(speed)) AS speed,
  ratio_low(by_process(speed)) AS low, ratio_high(by_process(speed)) AS high
FROM operation GROUP BY side, cc, policy;

-- side_winners: of each operation and class of shapes the fastest build on a side that is advised: one that promises
-- something, keeps it, and errs by at most temp.exact.bar. ns: the geometric mean over the class.
CREATE TEMP TABLE side_winners AS
WITH advised AS MATERIALIZED (SELECT e.side, e.variant, e.error FROM temp.side_errors e JOIN variants v ON v.id = e.variant
  WHERE promises(v.policy) AND NOT e.hazard AND NOT e.wrong AND e.error <= (SELECT bar FROM temp.exact)),
cell AS (
  SELECT c.*, iif(n <= 64, 'short rows', level) AS class, a.error, min(time) OVER (PARTITION BY c.side, op, shape) AS best
  FROM temp.counted_cells c JOIN advised a USING (side, variant)),
score AS (
  SELECT side, op, class, algorithm, isa, cc, policy, variant, count(*) AS shapes, geomean(time / best) AS behind,
    geomean(time) AS ns, avg(percent) AS percent, max(error) AS error FROM cell GROUP BY side, op, class, variant)
SELECT * FROM (SELECT s.*, row_number() OVER (PARTITION BY side, op, class ORDER BY behind, variant) AS place
  FROM score s JOIN (SELECT side, op, class, count(DISTINCT shape) AS shapes FROM cell GROUP BY side, op, class)
  USING (side, op, class, shapes)) WHERE place = 1;

-- bytes: how many an element of a kernel reads and writes, which is the same on every machine: of an archive as it stands,
-- out of the records of the runs with the most cells.
CREATE TEMP TABLE bytes(variant INTEGER PRIMARY KEY, bytes REAL);
INSERT OR IGNORE INTO bytes SELECT l.variant, max(c.bytes) FROM temp.side_cells c JOIN temp.lines l USING (line)
WHERE c.bytes > 0 GROUP BY l.variant;
INSERT OR IGNORE INTO bytes
SELECT v.id, max((value ->> 'gb_per_s') * (value ->> 'ns_per_element')) AS bytes
FROM (SELECT s.run FROM temp.sides s JOIN temp.counts USING (side), temp.exact WHERE NOT exact ORDER BY cells DESC, side LIMIT 2),
  json_each('[' || replace(rtrim(file_of(run, 'timing.jsonl'), char(10)), char(10), ',') || ']')
JOIN variants v ON v.variant = value ->> 'variant' WHERE value ->> 'gb_per_s' > 0 GROUP BY v.id;
