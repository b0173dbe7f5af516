-- SPDX-License-Identifier: MIT
-- The efficiency of all cores compared with one, cell by cell.
CREATE TEMP TABLE IF NOT EXISTS teams AS SELECT * FROM (
  SELECT c.*, d.team, d.efficiency, d.efficiency_low, d.efficiency_high,
    c.limit_name LIKE 'load-%' OR c.limit_name LIKE 'copy-%' AS moves,
    row_number() OVER (PARTITION BY c.run, c.grp, c.isa, c."rows", c.n, c.threads ORDER BY c.ns, c.cell) AS k
  FROM timed c JOIN summary s USING (run, variant) JOIN runs r ON r.id = c.run
  JOIN cell_details d ON d.blob = r.timing AND d.variant = c.variant AND d.shape = c.shape
  WHERE c.threads > 1 AND c.family = 'normal' AND s.advised AND d.efficiency IS NOT NULL AND NOT c.library) WHERE k = 1;

SELECT count(*) AS "words|Efficiency: the time of one thread over N times that of N threads, one per core, for the
  fastest advised kernel per operation, ISA and shape. If a shape counts per core, the single thread has one core's
  share of it. Shared: the threads share the rows, or one row (with the bits of one thread), or some threads have
  nothing to do. The threads are awake before the clock starts; waiting within a row is part of the time. Of %d cells
  %d are limited by memory bandwidth, which cores share; of the others %d reach 0.9, and the intervals of %d do.",
  sum(moves), sum(NOT moves AND efficiency >= 0.9),
  sum(NOT moves AND efficiency_high >= 0.9) FROM teams HAVING count(*) > 0;

SELECT grp AS row_op, grp AS operation, isa AS "ISA", "rows" AS "rows x n|%dx%d", n, residency AS "in",
  algorithm AS "kernel|%s %s %s", cc, policy, threads, team AS shared, ns AS "ns/element|%.4f ~[%.4f, %.4f]~", low,
  high, iif(efficiency_high < 0.9 AND NOT moves, 'd2', '') AS "efficiency|{}%.2f ~[%.2f, %.2f]~", efficiency,
  efficiency_low, efficiency_high, coalesce(no_limit, limit_name) AS binds
FROM teams ORDER BY grp, isa, "rows" * n, n, threads;
