-- SPDX-License-Identifier: MIT
-- Figures of few machines, out of their processes' values.
CREATE TEMP VIEW exact_sides AS SELECT * FROM temp.sides WHERE (SELECT exact FROM temp.exact);
-- side_cells: the cells of temp.lines; times: per process, what ratios are made of.
CREATE TEMP TABLE side_cells AS
SELECT l.line, s.side, c.shape, c.ns, c.low, c.high, c.cycles, c.percent, d.gb_per_s * c.ns AS bytes, h.hash,
  coalesce(d.low_ns, d.medians_ns, json_array(c.ns)) AS times
FROM temp.exact_sides s JOIN temp.line_cells k USING (side) JOIN temp.lines l USING (line)
JOIN cells c ON c.blob = s.timing AND c.variant = l.variant AND c.shape = k.shape
LEFT JOIN cell_details d ON d.blob = c.blob AND d.variant = c.variant AND d.shape = c.shape
LEFT JOIN codes h ON h.blob = s.codegen AND h.variant = l.variant;
CREATE INDEX temp.side_cells_of_lines ON side_cells(line, side);

-- side_errors: in the unit of the operation. error: on family normal; judged: over every family.
CREATE TEMP TABLE side_errors(side INTEGER, variant INTEGER, error REAL, judged REAL, bounded INTEGER,
  hazard INTEGER, wrong INTEGER, PRIMARY KEY(variant, side)) WITHOUT ROWID;
INSERT INTO side_errors SELECT s.side, e.variant, iif(u.unit = 'u', e.max_u, e.max_ulp),
  iif(u.unit = 'u', e.worst_u, e.worst_ulp), e.bounded, e.hazard, coalesce(e.verdict, '') = 'broken'
    FROM temp.exact_sides s
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

-- Builds that are advised on a side: they promise something, keep it, and err by at most temp.exact.bar.
CREATE TEMP TABLE side_advised(side INTEGER, variant INTEGER, error REAL, judged REAL, bounded INTEGER,
  PRIMARY KEY(variant, side)) WITHOUT ROWID;
INSERT INTO side_advised SELECT e.side, e.variant, e.error, e.judged, e.bounded FROM temp.side_errors e
JOIN variants v ON v.id = e.variant WHERE promises(v.policy) AND NOT e.hazard AND NOT e.wrong
  AND e.judged <= (SELECT bar FROM temp.exact);
-- The cells of gains.sql. Sides are compared over the cells that all of them have in the same machine code: figures of
-- policies over those that every side has, figures of ISAs over those that every side has which has the ISA.
-- comparable: what there are such cells of; figures of anything else are each side's over its own.
INSERT INTO temp.gain_cells
SELECT s.side, c.variant, v.op || iif(v.dtype = 'f32', '', ' ' || v.dtype), v.algorithm, v.isa, v.cc, v.policy,
  h.arithmetic, c.shape, k.n, c.residency, c.percent, c.ns, coalesce(d.low_ns, d.medians_ns, json_array(c.ns)), c.t,
  h.hash, coalesce(e.hazard, 0), a.side IS NOT NULL, v.dtype = 'f32', 1
FROM temp.exact_sides s JOIN sampled_cells c ON c.blob = s.timing
  JOIN temp.wanted w ON w.variant = c.variant AND NOT w.library
LEFT JOIN cell_details d USING (blob, variant, shape) JOIN variants v ON v.id = c.variant
JOIN shapes k ON k.id = c.shape AND k.threads = 1 AND k.family = 'normal'
LEFT JOIN codes h ON h.blob = s.codegen AND h.variant = c.variant
LEFT JOIN temp.side_errors e ON e.variant = c.variant AND e.side = s.side
LEFT JOIN temp.side_advised a ON a.variant = c.variant AND a.side = s.side WHERE c.ns > 0 AND v.dtype <> 'f64';
CREATE TEMP TABLE common_cells AS
WITH owner AS (SELECT isa, count(DISTINCT side) AS sides FROM temp.gain_cells GROUP BY isa)
SELECT c.*, c.sides = h.sides AS of_isas, c.sides = (SELECT count(*) FROM temp.exact_sides) AS of_policies FROM (
  SELECT variant, shape, isa, policy, count(*) AS sides FROM temp.gain_cells
  WHERE variant NOT IN (SELECT variant FROM temp.contested) GROUP BY variant, shape) c JOIN owner h USING (isa);
CREATE UNIQUE INDEX temp.common_cells_of ON common_cells(variant, shape);
CREATE TEMP TABLE comparable AS
SELECT EXISTS(SELECT 1 FROM temp.common_cells WHERE of_policies AND policy <> 'off') AS policies,
  NOT EXISTS(SELECT 1 FROM temp.gain_cells g WHERE isa NOT IN (SELECT isa FROM temp.common_cells WHERE of_isas))
    AS isas;
UPDATE temp.gain_cells SET of_policies = 0 WHERE (SELECT policies FROM temp.comparable)
  AND (variant, shape) NOT IN (SELECT variant, shape FROM temp.common_cells WHERE of_policies);
UPDATE temp.gain_cells SET of_isas = 0 WHERE (SELECT isas FROM temp.comparable)
  AND (variant, shape) NOT IN (SELECT variant, shape FROM temp.common_cells WHERE of_isas);
CREATE TEMP TABLE side_isas AS SELECT * FROM temp.isa_words;
CREATE TEMP TABLE side_speeds AS SELECT * FROM temp.policy_gains;
-- side_gains: of AVX-512 over AVX2, best over best; op NULL: of all. Of many sides the fastest builds are those of the
-- lines.
CREATE TEMP TABLE side_gains(op TEXT, side INTEGER, gain REAL);
INSERT INTO side_gains SELECT op, side, speed FROM temp.side_isas WHERE wide = 'avx512' AND level IS NULL;
INSERT INTO side_gains
WITH best AS MATERIALIZED (
  SELECT b.op, b.key, b.level, b.isa, c.side, min(c.ns) AS ns FROM temp.builds b JOIN temp.line_cells c USING (line),
    temp.exact x
  WHERE NOT x.exact AND b.promises AND NOT coalesce(b.wrong, 0) AND b.judged <= x.bar AND b.cc <> 'lib'
  AND b.threads = 1 AND b.family = 'normal'
  GROUP BY b.op, b.key, b.level, b.isa, c.side),
gain AS MATERIALIZED (SELECT op, side, geomean(n.ns / w.ns) AS gain FROM best w JOIN best n USING (op, key, level, side)
  WHERE w.isa = 'avx512' AND n.isa = 'avx2' GROUP BY op, side)
SELECT * FROM gain UNION ALL SELECT NULL, side, geomean(gain) FROM gain GROUP BY side;

-- side_winners: of each operation and class of shapes the build that is named as the fastest on a side (winners.sql),
-- over the cells of ISAs. ns: the geometric mean over the class.
INSERT INTO temp.contenders
SELECT c.side, c.op, '', iif(c.n <= 64, 'short rows', c.level), c.shape, NULL, c.variant, c.ns, c.t, a.judged,
  a.bounded, i.apart
FROM temp.gain_cells c JOIN temp.side_advised a USING (side, variant) LEFT JOIN temp.identical i USING (side)
WHERE c.of_isas;
CREATE TEMP TABLE side_winners AS
SELECT w.side, w.grp AS op, w.class, w.algorithm, w.built_for AS isa, v.cc, v.policy, w.variant, w.ns,
  avg(c.percent) AS percent, max(c.hash) AS hash, a.error
FROM temp.winners w JOIN variants v ON v.id = w.variant JOIN temp.side_advised a USING (side, variant)
JOIN temp.gain_cells c ON c.side = w.side AND c.variant = w.variant AND c.of_isas
  AND iif(c.n <= 64, 'short rows', c.level) = w.class
GROUP BY w.side, w.grp, w.class;

-- bytes: how many an element of a kernel reads and writes, which is the same on every machine: of an archive as it
-- stands, out of the records of the runs with the most cells.
CREATE TEMP TABLE bytes(variant INTEGER PRIMARY KEY, bytes REAL);
INSERT OR IGNORE INTO bytes SELECT l.variant, max(c.bytes) FROM temp.side_cells c JOIN temp.lines l USING (line)
WHERE c.bytes > 0 GROUP BY l.variant;
INSERT OR IGNORE INTO bytes
SELECT v.id, max((value ->> 'gb_per_s') * (value ->> 'ns_per_element')) AS bytes
FROM (SELECT s.run FROM temp.sides s JOIN temp.counts USING (side), temp.exact WHERE NOT exact ORDER BY cells DESC,
  side LIMIT 2), json_each('[' || replace(rtrim(file_of(run, 'timing.jsonl'), char(10)), char(10), ',') || ']')
JOIN variants v ON v.variant = value ->> 'variant' WHERE value ->> 'gb_per_s' > 0 GROUP BY v.id;
