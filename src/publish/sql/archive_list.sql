-- SPDX-License-Identifier: MIT
-- The document of archive list --json (render/rows.h).
SELECT 0 AS "", 1 AS schema;
SELECT 0 AS runs, run, machine, "commit", nullif(started, '') AS started,
  iif(started > added, added, NULL) AS counts_as, mode,
  cells, bytes, cut AS "cut:bool" FROM temp.chosen_runs ORDER BY place;
