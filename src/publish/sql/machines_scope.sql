-- SPDX-License-Identifier: MIT
-- The scope of questions about several machines. temp.asked(side, run) says which runs stand side by side.
-- sides: a run with its name. wanted: the variants in question. unusual: whose code (run_codes) is not the one that
-- most sides ran, of several the first. units: in what an operation's errors are given. ?1: the most ulp
-- of an advised build, ?2: whether each side has its own columns, ?3, ?4: the first place, and how many were named.
CREATE TEMP TABLE exact AS SELECT ?1 AS bar, ?2 AS exact;
CREATE TEMP TABLE sides AS
WITH said AS (SELECT a.side, coalesce(r.document, file_of(r.id, 'machine.json')) AS said, r.* FROM temp.asked a
  JOIN runs r ON r.id = a.run),
named AS (SELECT r.*, m.slug, m.brand, m.family, m.model, m.cores, coalesce(nullif(said ->> '$.machine.label', ''),
    microarchitecture(m.vendor, m.family, m.model, m.stepping), m.slug) AS plain FROM said r
      JOIN machines m ON m.id = r.machine),
counted AS (SELECT *, plain || ' ' || cores || ' cores' AS sized, count(*) OVER (PARTITION BY plain) AS plains,
    count(*) OVER (PARTITION BY plain, brand) AS brands, count(*) OVER (PARTITION BY folder) AS folders FROM named)
SELECT side, id AS run, machine, CASE 1 WHEN plains THEN plain WHEN iif(brand = '', 0, brands) THEN brand
    WHEN count(*) OVER (PARTITION BY sized) THEN sized WHEN folders THEN folder
      ELSE plain || ' ' || substr(run, 1, 8) END AS name,
  slug, brand || coalesce(printf(' (family %d, model %d)', family, model), '') AS brand, cores,
  "commit", started, libraries, timing, codegen, accuracy, folder, said AS document FROM counted ORDER BY side;
WITH f AS (SELECT *, document ->> '$.request.seed' AS seed FROM temp.sides WHERE folder IS NOT NULL)
SELECT 4, printf('refused: %s and %s: inputs of seed %s against %s; measure again with one --seed', a.name, b.name,
  a.seed, b.seed)
FROM f a JOIN f b ON b.side > a.side WHERE a.seed <> b.seed LIMIT 1;

CREATE TEMP TABLE contested AS
WITH kinds AS (SELECT min(run) AS run, count(*) AS sides, min(side) AS first FROM temp.sides GROUP BY codegen,
  libraries),
votes AS (SELECT k.variant, k.code, sum(f.sides) AS sides, min(f.first) AS first FROM kinds f CROSS JOIN run_codes k
  ON k.run = f.run WHERE k.code IS NOT NULL GROUP BY k.variant, k.code)
SELECT variant, code FROM (SELECT variant, code, count(*) OVER (PARTITION BY variant) AS codes,
  row_number() OVER (PARTITION BY variant ORDER BY sides DESC, first) AS place FROM votes)
    WHERE codes > 1 AND place = 1;
CREATE TEMP TABLE unusual AS
SELECT s.side, x.variant FROM temp.contested x JOIN temp.sides s
CROSS JOIN run_codes k ON k.run = s.run AND k.variant = x.variant WHERE k.code <> x.code;
CREATE INDEX temp.unusual_of ON unusual(side, variant);

CREATE TEMP TABLE keys AS
SELECT row_number() OVER () - 1 AS key, n, threads, family FROM (SELECT DISTINCT n, threads, family FROM shapes);
CREATE TEMP TABLE shape_keys(shape INTEGER PRIMARY KEY, key INTEGER);
INSERT INTO shape_keys SELECT s.id, k.key FROM shapes s JOIN temp.keys k USING (n, threads, family);
CREATE TEMP TABLE units AS
SELECT op, iif(op IN ('logsumexp', 'log_softmax', 'moments', 'layernorm', 'layernorm_bare') OR op IN (
  SELECT v.op FROM errors e JOIN error_variants ev ON ev.error = e.id JOIN variants v ON v.id = ev.variant
  WHERE e.blob = (SELECT accuracy FROM temp.sides WHERE side = 0) AND e.near_zero), 'u', 'ulp') AS unit
FROM (SELECT DISTINCT op FROM variants);
CREATE TEMP TABLE variant_errors(variant INTEGER PRIMARY KEY, hazard INTEGER, wrong INTEGER, low REAL, high REAL,
  judged REAL);
INSERT INTO variant_errors
SELECT e.variant, hazard, wrong, iif(u.unit = 'u', low_u, low), iif(u.unit = 'u', high_u, high),
  iif(u.unit = 'u', worst_u, worst_ulp) FROM (
  SELECT variant, max(hazard) AS hazard, max(verdict = 'broken') AS wrong, min(max_ulp) AS low, max(max_ulp) AS high,
    min(max_u) AS low_u, max(max_u) AS high_u, max(worst_ulp) AS worst_ulp, max(worst_u) AS worst_u
  FROM (SELECT DISTINCT accuracy FROM temp.sides) s CROSS JOIN error_sums ON blob = accuracy GROUP BY variant) e
JOIN variants v ON v.id = e.variant JOIN temp.units u ON u.op = v.op;

-- line_cells: of each line and side the fastest cell, of `merged` numbers of rows. lines: each variant's cells beside
-- those of other sides at the same length, threads, family and level of memory; mean: of the logarithms of their times.
CREATE TEMP TABLE line_cells(line INTEGER, side INTEGER, ns REAL, cycles REAL, percent REAL, shape INTEGER,
  merged INTEGER, PRIMARY KEY(line, side)) WITHOUT ROWID;
INSERT INTO line_cells
SELECT (c.variant * n.keys + k.key) * 8 + CASE c.residency WHEN 'L1' THEN 1 WHEN 'L2' THEN 2 WHEN 'L3' THEN 3
  WHEN 'DRAM' THEN 4 ELSE 0 END, s.side, min(c.ns), c.cycles, c.percent, c.shape, count(*)
FROM (SELECT count(*) AS keys FROM temp.keys) n, temp.sides s CROSS JOIN cells c ON c.blob = s.timing
JOIN temp.wanted USING (variant) JOIN temp.shape_keys k USING (shape)
WHERE c.ns > 0 AND NOT EXISTS(SELECT 1 FROM temp.unusual u WHERE u.side = s.side AND u.variant = c.variant)
GROUP BY 1, 2;
CREATE TEMP TABLE lines(line INTEGER PRIMARY KEY, variant INTEGER, key INTEGER, level TEXT, sides INTEGER, mean REAL);
INSERT INTO lines
SELECT line, line / 8 / keys, line / 8 % keys, trim(substr('    L1  L2  L3  DRAM', line % 8 * 4 + 1, 4)), count(*),
  avg(ln(ns)) FROM temp.line_cells, (SELECT count(*) AS keys FROM temp.keys) GROUP BY line;

-- counts: of each side's cells those that compare, that are of other machine code, of another version of a library,
-- and that no other side has.
CREATE TEMP TABLE counts AS
WITH beyond AS (
  SELECT u.side, sum(NOT w.library) AS code, sum(w.library) AS library
  FROM temp.unusual u JOIN temp.wanted w USING (variant) JOIN temp.sides s USING (side)
  CROSS JOIN cells c ON c.blob = s.timing AND c.variant = u.variant WHERE c.ns > 0 GROUP BY u.side),
single AS (SELECT side, sum(merged) AS alone FROM temp.lines JOIN temp.line_cells USING (line) WHERE sides = 1
  GROUP BY side),
whole AS (SELECT side, (SELECT count(*) FROM cells c JOIN temp.wanted USING (variant)
  WHERE c.blob = s.timing AND c.ns > 0)
    AS cells FROM temp.sides s)
SELECT side, cells, cells - ifnull(code, 0) - ifnull(library, 0) - ifnull(alone, 0) AS compared,
  ifnull(code, 0) AS code,
  ifnull(library, 0) AS library, ifnull(alone, 0) AS alone
FROM whole LEFT JOIN beyond USING (side) LEFT JOIN single USING (side);
SELECT 2, 'report: ' || ?3 || iif(?4 > 1, ' and others', '')
  || ': no cell in common: other machine code or other shapes; '
  || 'change --filter, or compare commits with ''ulplab compare --by commit'''
WHERE (SELECT count(*) FROM temp.counts WHERE cells) > 1 AND NOT EXISTS(SELECT 1 FROM temp.lines WHERE sides > 1);
