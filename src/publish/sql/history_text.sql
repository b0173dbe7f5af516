-- SPDX-License-Identifier: MIT
-- The changes of a history for people (render/query.h); a screen has the newest.
SELECT iif(compared OR changes,
  printf('%d runs, %d series of times; %d changes%s. For %d of these no cause is known: only these can be '
  || 'false alarms.', runs, series, changes,
  iif(enough, '', ' of errors, results and bits'), unexplained),
  printf('%d runs: nothing was compared: no cell was measured twice on a machine%s; add a run, or select more.', runs,
  iif(since IS NULL, '', ', and again since then'))) AS note FROM temp.history_counts, temp.history_asked;
SELECT 'By kind: ' || group_concat(printf('%s %d, of which %s%s', kind, changes, CASE gates WHEN 0 THEN 'none gates'
  WHEN changes THEN 'all gate' ELSE printf('%d gate', gates) END, iif(kind = 'bits' AND gates < changes,
  ' (the others are of kernels that promise none: --gate bits)', '')), '; ') || '.' AS note FROM temp.history_kinds
    HAVING count(*);
SELECT printf('%d of %d series have fewer than %d runs, too few to find a change of time: that needs 3 runs at '
  || 'each level.', short, short + enough, needed) AS note FROM temp.history_counts WHERE short;
SELECT printf('The newest run of each machine did not measure %d cells that other runs were asked for.',
  not_measured) AS note
FROM temp.history_counts WHERE not_measured > 0;
SELECT printf('The date of run %s of %s, %s, lay in the future when it was added: it counts as %s.', run,
  machine, started, added) AS note FROM temp.history_runs WHERE started > added;
SELECT printf('Run %s of %s was cut; its missing cells do not count as not measured.', run, machine) AS note
  FROM temp.history_runs WHERE is_cut;
SELECT maps || ' continues the series of removed cells with those that replaced them.' AS note FROM temp.history_counts
  WHERE maps <> '';
SELECT printf('%d cells are above their level, but unconfirmed: a change of time needs 3 runs at its new level.',
  rises) AS note
FROM temp.history_counts WHERE rises;
SELECT iif(ratio >= 1.5, 3, 0) AS tint, r.started AS "since run of", u.machine AS machine, u.runs AS "runs|{>}",
  printf('x %.3f', ratio) AS unconfirmed, u.cell AS cell
FROM temp.history_rises u JOIN temp.history_runs r ON r.place = u.run LIMIT iif(:screen, 20, -1);
SELECT iif(c.gates, 2, 0) AS tint, iif(b.started = '', 'unknown', b.started) AS "first run", b.machine AS machine,
  b."commit" AS "commit|{1}", c.kind AS what, CASE c.kind
    WHEN 'time' THEN printf('x %.3f [%.3f, %.3f]', c.ratio, c.low, c.high)
    WHEN 'error' THEN error_text(c.old) || ' to ' || error_text(c.new) || ' ulp'
      || iif(c.manner IS NULL, '', ', a promise broke') WHEN 'bits' THEN 'other bits'
    WHEN 'lost' THEN printf('%s: %d to %d', c.manner, c.old, c.new)
      ELSE printf('%s: %d cells', c.kind, c.old) END AS change,
  iif(c.cause = '', '-', c.cause) AS "with it", c.cell AS cell
FROM temp.history_changes c JOIN temp.history_runs b ON b.place = c.run ORDER BY c.rowid LIMIT iif(:screen, 60, -1);
SELECT '... and ' || (changes - 60) || ' older ones: use a pipe, --json or --page to see all.' AS note
FROM temp.history_counts WHERE :screen AND changes > 60;
