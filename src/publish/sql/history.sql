-- SPDX-License-Identifier: MIT
-- The cells of an archive over its runs. temp.history_asked(path, machine, last, since, threshold), temp.chosen(run): what was
-- asked for; fits(): the filters.
-- history_runs: the newest of each machine, by machine, then time. history_series: the times of a cell on a machine; changes:
-- where their level does (history/change_points.h). history_states: the accuracy of a variant on inputs that were there before.
-- history_changes, the newest first: run, before: the first run of the new level, and the last of the old one; ratio, low, high:
-- new over old; old, new: nanoseconds per element, or ULP; gates: it makes --gate fail; cause: what else differs between both
-- runs, '' where nothing is known to.
CREATE TEMP TABLE history_variants(id INTEGER PRIMARY KEY, variant TEXT, promises INTEGER, peer INTEGER);
INSERT INTO history_variants SELECT id, variant, algorithm LIKE 'invariant%', algorithm LIKE 'peer-%' FROM variants
WHERE fits(variant, op, algorithm, dtype, isa, cc, policy);
CREATE TEMP VIEW history_shapes AS SELECT id, 'rows=' || "rows" || '/n=' || n || '/threads=' || threads ||
  CASE family WHEN 'normal' THEN '' ELSE '/family=' || family END AS name FROM shapes;

CREATE TEMP TABLE history_runs(place INTEGER PRIMARY KEY, lab INTEGER, machine TEXT, run TEXT, "commit" TEXT, started TEXT,
  is_since INTEGER, codegen INTEGER, accuracy INTEGER, timing INTEGER, compilers TEXT, kernel TEXT, microcode TEXT, libraries TEXT);
INSERT INTO history_runs
SELECT row_number() OVER (ORDER BY slug, started, id) - 1, rank() OVER (ORDER BY slug), slug, run, "commit", started,
  started >= coalesce(since, ''), codegen, accuracy, timing, compilers, coalesce(kernel, ''), coalesce(microcode, ''),
  coalesce(nullif(libraries, ''), '{}')
FROM (SELECT r.*, m.slug, b.compilers, row_number() OVER (PARTITION BY m.id ORDER BY r.started DESC, r.id DESC) AS age
  FROM temp.chosen c JOIN runs r ON r.id = c.run JOIN machines m ON m.id = r.machine JOIN builds b ON b.id = r.build),
  temp.history_asked q
WHERE age <= q.last AND substr(slug, 1, length(q.machine)) = q.machine;
CREATE INDEX temp.history_runs_of ON history_runs(lab, timing);
SELECT 2, 'history: ' || path || ': no run matches; ''ulplab archive list'' shows them' FROM temp.history_asked
WHERE NOT EXISTS(SELECT 1 FROM temp.history_runs);
SELECT 2, 'history: --since ' || since || ': no run began since; the newest: ' || coalesce(nullif(newest, ''), 'unknown')
FROM temp.history_asked, (SELECT max(started) AS newest FROM temp.history_runs) WHERE newest < since;

CREATE TEMP TABLE history_series AS
SELECT r.lab, v.id AS variant, c.shape, count(*) AS points, max(r.place) AS newest,
  change_points(r.place, c.ns, c.low, c.high) AS changes
FROM temp.history_runs r CROSS JOIN cells c ON c.blob = r.timing CROSS JOIN temp.history_variants v ON v.id
  = coalesce((SELECT name FROM temp.renamed m WHERE m.blob = c.blob AND m.variant = c.variant), c.variant)
WHERE c.ns > 0 GROUP BY r.lab, v.id, c.shape;
CREATE TEMP TABLE history_states AS
SELECT * FROM (SELECT v.id AS variant, r.place AS run, lag(r.place) OVER same AS before, e.worst_ulp AS new, lag(e.worst_ulp) OVER same
    AS old, e.bits <> lag(e.bits) OVER same AS other_bits
  FROM temp.history_runs r CROSS JOIN error_sums e ON e.blob = r.accuracy CROSS JOIN temp.history_variants v ON v.id
    = coalesce((SELECT name FROM temp.renamed m WHERE m.blob = e.blob AND m.variant = e.variant), e.variant)
  WINDOW same AS (PARTITION BY r.lab, v.id, e.grid ORDER BY r.place)) WHERE before IS NOT NULL;

CREATE TEMP TABLE history_changes AS
WITH change AS (
  SELECT 'time' AS kind, s.rowid AS series, s.variant, h.name AS shape, c.value ->> 'run' AS run, c.value ->> 'before' AS before,
    c.value ->> 'ratio' AS ratio, c.value ->> 'low' AS low, c.value ->> 'high' AS high, c.value ->> 'p' AS p,
    c.value ->> 'old' AS old, c.value ->> 'new' AS new, c.value ->> 'lasts' > ln(1 + q.threshold) AS gates
  FROM temp.history_asked q, temp.history_series s JOIN temp.history_shapes h ON h.id = s.shape, json_each(s.changes) c
  UNION ALL
  SELECT iif(old <> new, 'error', 'bits'), NULL, s.variant, NULL, run, before, iif(old <> new AND old > 0, new / old, NULL),
    NULL, NULL, 0.0, old, new, coalesce(new > old, 0) OR (other_bits AND v.promises)
  FROM temp.history_states s JOIN temp.history_variants v ON v.id = s.variant WHERE old <> new OR other_bits)
SELECT c.*, v.variant || coalesce('/' || c.shape, '') AS cell, substr(iif(x.hash <> y.hash, ', kernel code', '')
  || iif(a.compilers <> b.compilers, ', compiler', '') || iif(a.microcode <> b.microcode, ', microcode', '')
  || iif(a.kernel <> b.kernel, ', kernel of the system', '')
  || iif(EXISTS(SELECT 1 FROM json_each(a.libraries) m JOIN json_each(b.libraries) n USING (key) WHERE m.value <> n.value
      AND (v.peer OR key IN ('glibc', 'SLEEF'))), ', library', ''), 3) AS cause
FROM change c JOIN temp.history_variants v ON v.id = c.variant JOIN temp.history_runs a ON a.place = c.before
JOIN temp.history_runs b ON b.place = c.run LEFT JOIN codes x ON x.blob = a.codegen AND x.variant
  = coalesce((SELECT m.variant FROM temp.renamed m WHERE m.blob = a.codegen AND m.name = c.variant), c.variant)
LEFT JOIN codes y ON y.blob = b.codegen AND y.variant
  = coalesce((SELECT m.variant FROM temp.renamed m WHERE m.blob = b.codegen AND m.name = c.variant), c.variant)
WHERE b.is_since ORDER BY b.started DESC, gates DESC, kind DESC, abs(ln(ratio)) DESC, c.variant, c.series, c.run;

-- compared: series of times, and accuracies of a variant, that a change could be found in.
CREATE TEMP TABLE history_counts AS
SELECT (SELECT count(*) FROM temp.history_runs) AS runs,
  (SELECT count(*) FROM temp.history_series) AS series, (SELECT total(points) FROM temp.history_series) AS points,
  (SELECT count(*) FROM temp.history_series s JOIN temp.history_runs r ON r.place = s.newest WHERE s.points > 1 AND r.is_since)
    + (SELECT count(*) FROM temp.history_states s JOIN temp.history_runs r ON r.place = s.run WHERE r.is_since) AS compared,
  count(*) AS changes, count(*) FILTER (WHERE cause = '') AS unexplained, coalesce(sum(gates), 0) AS gates
FROM temp.history_changes;
