-- SPDX-License-Identifier: MIT
-- The runs of an archive for people (render/query.h).
SELECT 0 AS tint, run, machine, "commit", CASE WHEN started = '' THEN 'unknown' WHEN started > added
    THEN started || ', to come: counts as ' || added ELSE started END AS started,
  mode || iif(cut, ', did not end', '') AS mode, cells AS "cells|{>}",
  printf('%.1f', 1e-6 * bytes) AS "records, MB|{>}" FROM temp.chosen_runs ORDER BY place;
SELECT 'No run matches.' AS note WHERE NOT EXISTS(SELECT 1 FROM temp.chosen);
