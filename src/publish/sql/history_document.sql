-- SPDX-License-Identifier: MIT
-- The document of history --json (render/rows.h).
SELECT 0 AS "", 1 AS schema, runs, series, unexplained, gates FROM temp.history_counts;
SELECT 0 AS changes, c.kind, c.cell, b.machine, b.run, nullif(b.started, '') AS started, b."commit", a.run AS before,
  nullif(a.started, '') AS before_started, a."commit" AS before_commit, c.ratio, c.low AS ci_low, c.high AS ci_high, c.p, c.old,
  c.new, c.gates AS "gates:bool", c.cause AS "with"
FROM temp.history_changes c JOIN temp.history_runs a ON a.place = c.before JOIN temp.history_runs b ON b.place = c.run
ORDER BY c.rowid;
