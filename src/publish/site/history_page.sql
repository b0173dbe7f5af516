-- SPDX-License-Identifier: MIT
-- The data of history.html (render/rows.h), in six digits. Beyond 400,000 points a page would be slow: series without
-- a change are then left out.
SELECT 0 AS counts, series, unexplained, points <= 400000 AS "all" FROM temp.history_counts;
SELECT 0 AS runs, iif(started = '', 'unknown', started) AS started, machine, "commit", run FROM temp.history_runs
  ORDER BY place;

SELECT 0 AS series, v.variant, h.name AS shape, (SELECT machine FROM temp.history_runs r
  WHERE r.place = s.newest) AS machine,
  (SELECT json_group_array(json_array(place, CAST(printf('%.6g', ns) AS REAL),
    iif(low, CAST(printf('%.6g', low) AS REAL), NULL),
      iif(high, CAST(printf('%.6g', high) AS REAL), NULL)))
    FROM (SELECT r.place, c.ns, c.low, c.high FROM temp.history_runs r CROSS JOIN cells c ON c.blob = r.timing
        AND c.shape = s.shape AND c.variant = coalesce((SELECT m.variant FROM temp.renamed m WHERE m.blob = r.timing
          AND m.name = s.variant), s.variant) WHERE r.lab = s.lab AND c.ns > 0 ORDER BY r.place)) AS "points:json"
FROM temp.history_counts n, temp.history_series s JOIN temp.history_variants v ON v.id = s.variant
JOIN temp.history_shapes h ON h.id = s.shape
WHERE n.points <= 400000 OR s.rowid IN (SELECT series FROM temp.history_changes) ORDER BY s.rowid;

WITH drawn AS (SELECT s.rowid AS series, row_number() OVER (ORDER BY s.rowid) - 1 AS place
  FROM temp.history_counts n, temp.history_series s
  WHERE n.points <= 400000 OR s.rowid IN (SELECT series FROM temp.history_changes))
SELECT 0 AS changes, c.kind, c.cell, c.run, coalesce(d.place, -1) AS series, c.ratio, c.low, c.high, c.old, c.new,
  c.gates, c.cause AS "with", c.manner
FROM temp.history_changes c LEFT JOIN drawn d ON d.series = c.series ORDER BY c.rowid;
