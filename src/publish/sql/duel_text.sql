-- SPDX-License-Identifier: MIT
-- The results of a duel for people (render/query.h): two sides that were timed side by side, b over a.
SELECT CASE verdict WHEN 'faster' THEN 1 WHEN 'slower' THEN 2 WHEN 'unknown' THEN 3 ELSE 0 END AS tint, cell AS cell,
  decimals(ns, 1) AS "ns/row|{>3}", decimals(other_ns, 1) AS "other|{>4}",
  CASE WHEN ratio IS NULL THEN '-' WHEN low IS NULL THEN printf('%.3f [-]', ratio)
    ELSE printf('%.3f [%.3f, %.3f]', ratio, low, high) END AS "this/other [95%]|{>}",
  iif(detects IS NULL, '-', printf('%.2f', detects)) AS "finds|{>2}",
  iif(failure = '', verdict, failure) || iif(flag = 'two-modes', ' two-modes', '') AS verdict,
  iif(same_bits, '=', iif(same_bits IS NULL, '-', 'differ')) AS "bits|{1}"
FROM temp.duel_rows ORDER BY verdict NOT IN ('faster', 'slower'), -abs(ln(ratio)), cell LIMIT iif(:screen, 40, -1);
SELECT '... and ' || ("rows" - 40) || ' cells that differ less: use a pipe or --json to see all.' AS note
FROM temp.compare_counts WHERE :screen AND "rows" > 40;
SELECT tied || ' cells have two modes and no majority of processes: they have no ratio, and the mean leaves them out.'
  AS note FROM temp.compare_counts WHERE tied;
SELECT 'No cell has a time in both programs.' AS note FROM temp.compare_counts WHERE NOT ratios;
SELECT '' AS note;
SELECT printf('This build takes %.3f', ratio) || iif(low IS NULL, ' [-]', printf(' [%.3f, %.3f]', low, high))
  || ' times as long as ' || s.name || ' (geometric mean over ' || cells || ' cells): ' || faster || ' faster, '
  || slower || ' slower, ' || same || ' the same, ' || unknown || ' undecided; equal bits in '
  || (SELECT sum(same_bits) || ' of ' || count(same_bits) FROM temp.duel_rows) || '. ' || identical AS note
FROM temp.compare_means m, temp.compare_counts JOIN temp.compare_sides s ON s.side = 0 WHERE m.op = '';
SELECT iif(asked, 'gate ' || gate || ': ' || decided, gate) || ': ' || text || '.' AS note
FROM temp.compare_gates, temp.compare_plan WHERE gates <> '';
SELECT text AS note FROM found_reasons;
