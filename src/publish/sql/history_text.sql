-- SPDX-License-Identifier: MIT
-- The changes of a history for people (render/query.h); a screen has the newest.
SELECT iif(compared OR changes,
  printf('%d runs, %d series of times; %d changes%s, of which %d with nothing known that changed '
  || 'with them: at most these are false alarms.', runs, series, changes,
  iif(enough, '', ' of errors, results and bits'), unexplained),
  printf('%d runs: nothing was compared: no cell was measured twice on a machine%s; add a run, or choose more.', runs,
  iif(since IS NULL, '', ', and again since then'))) AS note FROM temp.history_counts, temp.history_asked;
SELECT 'By kind: ' || group_concat(printf('%s %d, of which %s%s', kind, changes, CASE gates WHEN 0 THEN 'none gates'
  WHEN changes THEN 'all gate' ELSE printf('%d gate', gates) END, iif(kind = 'bits' AND gates < changes,
  ' (the others are of kernels that promise none: --gate bits)', '')), '; ') || '.' AS note FROM temp.history_kinds
    HAVING count(*);
SELECT printf('%d of %d series have fewer than %d runs: no change of a time can be found in them, which takes 3 runs '
  || 'of each level.', short, short + enough, needed) AS note FROM temp.history_counts WHERE short;
SELECT printf('The newest run of each machine did not measure %d cells that other runs were asked for.',
  not_measured) AS note
FROM temp.history_counts WHERE not_measured > 0;
SELECT printf('Run %s of %s says that it began %s, which was to come when it was added: it counts as of %s.', run,
  machine, started, added) AS note FROM temp.history_runs WHERE started > added;
SELECT printf('Run %s of %s was cut, and is not asked for what it lacks.', run, machine) AS note
  FROM temp.history_runs WHERE is_cut;
SELECT maps || ' goes on with cells that are gone by those that came after them.' AS note FROM temp.history_counts
  WHERE maps <> '';
SELECT printf('%d cells are above their level, and unconfirmed: a change of time needs 3 runs of its new level.',
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
SELECT '... and ' || (changes - 60) || ' older ones: a pipe, --json or --page has all.' AS note FROM temp.history_counts
WHERE :screen AND changes > 60;
