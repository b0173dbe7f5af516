-- SPDX-License-Identifier: MIT
-- The gate of a history, as an exit code and a text: what became worse; that nothing was compared; what is not
-- decided yet.
SELECT 1, printf('worse: %d changes: the newest of %s (%s) since run %s; see the rows, or look at newer ones only with --since',
  n.gates, c.cell, c.kind, r.run) FROM temp.history_counts n, temp.history_changes c
    JOIN temp.history_runs r ON r.place = c.run
WHERE c.gates ORDER BY c.rowid LIMIT 1;
SELECT 1, printf('history: --gate: nothing was compared: no cell of %d runs was measured twice on a machine%s; add a run, or '
  || 'choose more%s', runs, iif(since IS NULL, '', ', and again since then'),
  coalesce(': ' || maps || ' goes on after a change', ''))
FROM temp.history_counts, temp.history_asked WHERE NOT compared;
SELECT 3, printf('undecided: %s is x %.3g in the newest %d runs, which are too few to say so%s; add a run', cell,
  ratio, r.runs,
  iif(large_rises > 1, printf(', and %d other cells are as much above their level', large_rises - 1), ''))
FROM temp.history_counts, temp.history_rises r, temp.history_asked q WHERE instr(q.gates, ' time ') AND ratio >= 1.5
  LIMIT 1;
SELECT 3, printf('undecided: a change of time needs %d runs, and no cell has as many; add runs, or gate something else with '
  || '--gate bits', needed) FROM temp.history_counts, temp.history_asked q
    WHERE instr(q.gates, ' time ') AND short AND NOT enough;
SELECT 3, printf('undecided: the newest run of %d machines was cut; ''ulplab run --resume'' goes on with it', cut)
FROM temp.history_counts WHERE cut;
