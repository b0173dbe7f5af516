-- SPDX-License-Identifier: MIT
-- The document of history --json (render/rows.h).
SELECT 0 AS "", 1 AS schema, runs, series, unexplained, gates, compared, needed, short, not_measured, maps
  FROM temp.history_counts;
SELECT 0 AS changes, c.kind, c.cell, b.machine, b.run, nullif(b.started, '') AS started, b."commit", a.run AS before,
  nullif(a.started, '') AS before_started, a."commit" AS before_commit, c.ratio, c.low AS ci_low, c.high AS ci_high,
  c.p, c.old, c.new, c.gates AS "gates:bool", c.cause AS "with", c.manner
FROM temp.history_changes c JOIN temp.history_runs a ON a.place = c.before JOIN temp.history_runs b ON b.place = c.run
ORDER BY c.rowid;
SELECT 0 AS kinds, kind, changes, gates FROM temp.history_kinds;
SELECT 0 AS unconfirmed, u.cell, u.machine, b.run, a.run AS before, u.runs, u.ratio, u.old, u.new
FROM temp.history_rises u JOIN temp.history_runs a ON a.place = u.before JOIN temp.history_runs b ON b.place = u.run;
SELECT 0 AS misdated, run, machine, started, added AS counts_as FROM temp.history_runs WHERE started > added;
SELECT 0 AS cut, run, machine FROM temp.history_runs WHERE is_cut;
