-- SPDX-License-Identifier: MIT
-- A comparison for people (render/query.h): the sides; means and rows, or accuracies where nothing was timed, of
-- which a screen has those that changed most; sides of equal bits; notes.
SELECT 'Comparison of ' || CASE kind WHEN 'runs' THEN 'runs of one machine'
  WHEN 'axis' THEN 'the values of one axis: ' || axis
    WHEN 'cpu' THEN 'CPUs (the machines differ)' ELSE 'commits: the same ids, whatever their machine code' END
  || '; time of b over time of a, above 1 is slower.' AS note FROM temp.compare_plan WHERE NOT :brief;
SELECT '  ' || iif(side, 'b', 'a') || ' = ' || s.name || iif(kind = 'axis'
  AND s.run IS lag(s.run) OVER (ORDER BY side), '',
    ': ' || s.folder || ' (' || coalesce(r.document ->> '$.machine.slug', '') || '), ulplab '
    || coalesce(r.document ->> '$.tool.version', '') || ' commit '
      || coalesce(nullif(r.document ->> '$.tool.commit', ''), 'unknown')
    || ', ' || coalesce(nullif(r.document ->> 'started', ''), 'of an unknown date')
    || iif((SELECT count(DISTINCT compilers) FROM temp.compare_compilers) > 1, ', compilers: ' || compilers,
      '')) AS note, 6 AS indent
FROM temp.compare_plan, temp.compare_sides s JOIN runs r ON r.id = s.run LEFT JOIN temp.compare_compilers USING (side)
WHERE NOT :brief ORDER BY side;
SELECT '' AS note WHERE NOT :brief;

SELECT 0 AS tint, t.name AS b, iif(op = '', 'all', op) AS operation, iif(level = '', 'all', level) AS "in",
  iif(low IS NULL, printf('%.3f [-]', ratio), printf('%.3f [%.3f, %.3f]', ratio, low, high)) AS "b/a [95%]|{>}",
  faster AS "faster|{>}", slower AS "slower|{>}", same AS "same|{>}", unknown AS "~|{>}"
FROM temp.compare_means m JOIN temp.compare_sides t ON t.side = m."to" ORDER BY m.rowid;
SELECT '' AS note FROM temp.compare_counts WHERE "rows" > 0;
SELECT CASE r.verdict WHEN 'faster' THEN 1 WHEN 'slower' THEN 2 WHEN 'unknown' THEN 3 ELSE 0 END AS tint,
  b.name AS "b|{!}", v.op || '/' || v.algorithm || iif(v.dtype = 'f32', '', ' ' || v.dtype)
    || iif(e.hazard, ' (hazard)', '') AS kernel,
  iif(p.axis IS 'isa', '', v.isa) AS "isa|{!}", iif(p.axis IS 'cc', '', v.cc) AS "cc|{!}",
  iif(p.axis IS 'policy', '', v.policy) AS "policy|{!}",
  h."rows" || 'x' || h.n || iif(h.threads > 1, ' t=' || h.threads, '')
    || iif(h.family IN ('normal', ''), '', ' ' || h.family)
    AS "rows x n|{!}",
  x.residency || iif(x.residency = y.residency, '', '/' || y.residency) AS "in|{7!}",
  decimals(r.a_ns, 3) || ' ' || decimals(r.b_ns, 3) AS "ns/element a b|{>5}",
  CASE WHEN r.ratio IS NULL THEN '-' WHEN r.low IS NULL THEN printf('%.3f [-]', r.ratio)
    ELSE printf('%.3f [%.3f, %.3f]', r.ratio, r.low, r.high) END AS "b/a [95%]|{>}",
  CASE WHEN r.detects IS NULL THEN '-' ELSE printf('%.2f', r.detects) END AS "finds|{>8}",
  iif(r.verdict = 'unknown', iif(r.failure = '', '~', r.failure), r.verdict) AS verdict, r.flag AS "flags|{!}",
  error_text(e.max_ulp_a) || ' ' || error_text(e.max_ulp_b) AS "max ulp a b|{>4}",
  iif(e.counted, e.lost_a || ' ' || e.lost_b, '-') AS "lost a b|{>4!}",
  error_text(e.mean_ulp_a) || ' ' || error_text(e.mean_ulp_b) AS "mean ulp a b|{>9}",
  CASE WHEN coalesce(e.cells, 0) = 0 THEN '-' WHEN e.equal = e.cells THEN '='
    ELSE e.equal || '/' || e.cells END AS "bits|{>6}"
FROM temp.compare_rows r JOIN temp.compare_sides b ON b.side = r."to" JOIN temp.compare_cells x ON x.id = r.a
JOIN temp.compare_cells y ON y.id = r.b JOIN variants v ON v.id = x.variant JOIN shapes h ON h.id = x.shape,
  temp.compare_plan p,
  (SELECT :screen AND "rows" > 40 AS cut FROM temp.compare_counts) n
LEFT JOIN temp.compare_accuracy e ON e.kin = r.kin AND e."from" = 0 AND e."to" = r."to"
ORDER BY n.cut AND r.verdict NOT IN ('faster', 'slower') AND r.failure = '', iif(n.cut, -abs(ln(r.ratio)), 0), r."to",
  r.cell LIMIT iif(:screen, 40, -1);
SELECT '... and ' || ("rows" - 40) || ' rows that changed less: use --filter, or a pipe or --json to see all.' AS note
FROM temp.compare_counts WHERE :screen AND "rows" > 40;

CREATE TEMP VIEW compare_errors_alone AS SELECT *, count(*) OVER () AS "all", cells > 0 AND equal = cells AS equals
FROM temp.compare_accuracy WHERE "from" = 0 AND NOT EXISTS(SELECT 1 FROM temp.compare_rows);
SELECT 0 AS tint, t.name AS "b|{!}", v.op || '/' || v.algorithm AS "kernel|{!}", v.dtype AS "dtype|{!}",
  iif(p.axis IS 'isa', '', v.isa) AS "isa|{!}", iif(p.axis IS 'cc', '', v.cc) AS "cc|{!}",
  iif(p.axis IS 'policy', '', v.policy) AS
  "policy|{!}", error_text(e.max_ulp_a) || ' ' || error_text(e.max_ulp_b) AS "max ulp a b|{>}",
  iif(e.counted, e.lost_a || ' ' || e.lost_b, '-') AS "lost a b|{>}",
  error_text(e.mean_ulp_a) || ' ' || error_text(e.mean_ulp_b) AS "mean ulp a b|{>1}",
  CASE WHEN e.cells = 0 THEN '-' WHEN e.equal = e.cells THEN '=' ELSE e.equal || '/' || e.cells END AS "equal bits|{>}"
FROM temp.compare_errors_alone e JOIN temp.compare_sides t ON t.side = e."to" JOIN variants v ON v.id = e.kin,
  temp.compare_plan p
WHERE NOT (:screen AND "all" > 40 AND equals) ORDER BY e.variant, e."to" LIMIT iif(:screen, 40, -1);
SELECT '... and ' || max(0, sum(NOT equals) - 40) || ' rows that differ, ' || sum(equals)
  || ' with equal bits throughout: use --filter, or a pipe or --json to see all.' AS note
FROM temp.compare_errors_alone WHERE :screen AND "all" > 40;

SELECT '' AS note WHERE EXISTS(SELECT 1 FROM temp.compare_classes);
SELECT 0 AS tint, variants AS "variants|{>}", members AS "equal bits (a bar divides)", first AS "such as|{1}"
  FROM temp.compare_classes;

SELECT '' AS note WHERE NOT :brief;
SELECT sided || ' of ' || "rows"
  || ' rows were timed side by side. Ratio: the median of the majority of the processes'' ratios; '
  || 'means are geometric, computed in each process, with intervals over processes. '
  || identical AS note FROM temp.compare_counts WHERE sided AND NOT :brief;
SELECT iif(sided, 'The other', 'These')
  || ' rows were not timed side by side. Ratio: Hodges-Lehmann over the processes'' medians; '
  || 'means are geometric, with intervals as wide as if all cells had the same error.'
    || iif(sided, '', ' ' || identical) AS note FROM temp.compare_counts WHERE sided < "rows" AND NOT :brief;
SELECT printf('faster, slower: significantly by more than %.3g%% (docs/measurement.md, "Comparisons"); same: the '
  || 'whole interval is within that margin; ~: undecided; finds: the slowdown that this cell could detect.',
  100 * margin) AS note
FROM temp.compare_plan WHERE NOT :brief;
SELECT b.name || ' as a whole takes ' || printf('%.3f', exp(shift)) || ' times as long (median of ' || cells
  || ' cells): verdicts are corrected by this factor.' AS note FROM temp.compare_shifts
    JOIN temp.compare_sides b ON b.side = "to" WHERE NOT :brief;
SELECT 'ulp: family normal, inf where results are lost; bits: accuracy cells whose outputs are equal, = is all.' AS note
WHERE NOT :brief;
SELECT t.name || ': ' || iif(max(0, nan_b - nan_a) >= lost_b - lost_a, 'NaN', 'NaN, or wrongly infinite or finite,')
  || ' for '
  || grouped(lost_b - lost_a) || ' results of ' || variant || ' that ' || f.name || ' computes; ' || (variants - 1)
  || ' more variants lose results.' AS note
FROM (SELECT *, count(*) OVER side AS variants, row_number() OVER (PARTITION BY "to" ORDER BY lost_b - lost_a DESC,
  variant) AS place
  FROM temp.compare_accuracy WHERE "from" = 0 AND lost_b > lost_a WINDOW side AS (PARTITION BY "to"))
JOIN temp.compare_sides t ON t.side = "to" JOIN temp.compare_sides f ON f.side = 0 WHERE place = 1 AND NOT :brief
  ORDER BY "to";
SELECT 'The errors of ' || unlike
  || ' accuracy cells are of different measures (docs/method.md, "Error measure") and are not '
  || 'compared; bits are. Measure both sides with one version.' AS note FROM temp.compare_counts
    WHERE unlike AND NOT :brief;
SELECT modes || ' rows have two-modes: some processes took a multiple of the others'' time; time and ratio are the '
  || 'majority''s. ' || tied || ' have no majority and no ratio, and means leave them out.' AS note
  FROM temp.compare_counts WHERE modes AND NOT :brief;
SELECT too_few || ' rows have too few processes for any verdict: bench --processes 5 or more.' AS note
  FROM temp.compare_counts
WHERE too_few AND NOT :brief;
SELECT 'The folders were measured on different grids; the common cells are compared.' AS note FROM temp.compare_counts
WHERE grids_differ AND NOT :brief;
SELECT 'Not compared, from ' || iif(side, 'b', 'a') || ' (' || name || '): ' || cells || ' cells: ' || why || '.'
  AS note FROM temp.compare_beyond JOIN temp.compare_sides USING (side)
WHERE cells AND NOT :brief ORDER BY side, why DESC;
SELECT iif(asked, 'gate ' || gate || ': ' || decided, gate) || ': ' || text || '.' AS note FROM temp.compare_gates,
  temp.compare_plan
WHERE gates <> '' OR decided <> 'holds' AND gate <> 'time';
SELECT changed || ' of ' || "rows" || ' rows compare different machine code.' AS note FROM temp.compare_counts
WHERE changed AND NOT :brief;
