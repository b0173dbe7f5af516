-- SPDX-License-Identifier: MIT
-- The changes of a history for people (render/query.h); a screen has the newest.
SELECT runs || ' runs, ' || series || ' series of times; ' || changes || ' changes, of which ' || unexplained
  || ' with nothing known that changed with them: at most these are false alarms.' AS note FROM temp.history_counts;
SELECT iif(c.gates, 2, 0) AS tint, iif(b.started = '', 'unknown', b.started) AS "first run", b.machine AS machine,
  b."commit" AS "commit|{1}", c.kind AS what, CASE c.kind WHEN 'time' THEN printf('x %.3f [%.3f, %.3f]', c.ratio, c.low, c.high)
    WHEN 'error' THEN error_text(c.old) || ' to ' || error_text(c.new) || ' ulp' ELSE 'other bits' END AS change,
  iif(c.cause = '', '-', c.cause) AS "with it", c.cell AS cell
FROM temp.history_changes c JOIN temp.history_runs b ON b.place = c.run ORDER BY c.rowid LIMIT iif(:screen, 60, -1);
SELECT '... and ' || (changes - 60) || ' older ones: a pipe, --json or --page has all.' AS note FROM temp.history_counts
WHERE :screen AND changes > 60;
