-- SPDX-License-Identifier: MIT
-- The policies for people (render/query.h). policy_lines: policies of the same code in every cell are one line, that
-- of the one with the most cells.
CREATE TEMP TABLE policy_lines AS
WITH speed_text AS MATERIALIZED (SELECT cc, policy, kind, figure || reach || ' of ' || cells
    || iif(left_out, ', ' || left_out || ' left out', '') AS text FROM policy_texts WHERE op IS NULL),
line AS (
  SELECT f.*, (SELECT group_concat(policy, ' = ') FROM (SELECT policy FROM judged o WHERE o.place = f.place
      OR (f.code <> '' AND o.cc = f.cc AND o.code = f.code) ORDER BY place)) AS names,
    coalesce((SELECT o.place FROM recommended JOIN judged o USING (place) WHERE f.code <> '' AND o.cc = f.cc
      AND o.code = f.code), f.place) AS spoken
  FROM judged f WHERE f.place = (SELECT place FROM judged o WHERE o.place = f.place OR (f.code <> '' AND o.cc = f.cc
    AND o.code = f.code) ORDER BY o.cells + o.same_code DESC, o.place LIMIT 1))
SELECT iif(l.spoken = (SELECT place FROM recommended), 1, iif(l.objection = '', 0, 3)) AS tint, l.place, l.cc, l.names,
  (SELECT text FROM speed_text s WHERE s.cc = l.cc AND s.policy = l.policy AND s.kind = 'intrinsics') AS intrinsics,
  (SELECT text FROM speed_text s WHERE s.cc = l.cc AND s.policy = l.policy AND s.kind = 'loops') AS loops,
  iif(l.speed IS NULL OR l.policy = 'off', NULL, l.same_code) AS alone,
  coalesce(decimals(l.overall, 3) || ' of ' || l.overall_cells, '-') AS overall,
  coalesce(digits(l.error, 3), '-') AS error,
  coalesce(grouped(l.lost), '-') AS lost, iif(l.measured, l.changed || '/' || l.measured, '-') AS bits,
  iif(s.all_isas, iif(s.isa, 'yes', printf('no %d/%d', s.isas, s.all_isas)), '-') AS isa,
  iif(s.all_ccs, iif(s.over_cc, 'yes', printf('no %d/%d', s.ccs, s.all_ccs)), '-') AS over_cc,
  iif(s.all_tails, iif(s.tail, 'yes', printf('no %d/%d', s.tails, s.all_tails)), '-') AS tail,
  iif(s.all_teams, iif(s.threads, 'yes', printf('no %d/%d', s.teams, s.all_teams)), '-') AS threads,
  iif(EXISTS(SELECT 1 FROM cases), json_array_length(l.cases) || '', '-') AS cases, iif(v.pareto, 'yes', '-') AS front,
  (SELECT verdict FROM verdicts w WHERE w.place = l.spoken) AS verdict,
  iif(l.worst > 1, printf('%s x: %s (%s %s, off %s)', digits(l.worst, 3), l.worst_kernel, error_text(l.worst_error),
    l.unit,
    error_text(l.worst_off)), NULL) AS growth
FROM line l JOIN verdicts v USING (place) LEFT JOIN policy_stable s ON s.cc = l.cc AND s.policy = l.policy
  ORDER BY l.place;
SELECT tint, cc, names AS policy, coalesce(intrinsics, '-') AS "intrinsics [95%]|{>}",
  coalesce(loops, '-') AS "plain loops [95%]|{>}", coalesce(alone, '-') AS "left alone|{>5}", overall
    AS "overall|{>}", error AS "error|{>}", lost AS "lost|{>}",
  bits AS "bits|{>4}", isa AS "isa|{2}", over_cc AS "cc|{2}", tail AS "tail|{5}", threads AS "threads|{5}",
  cases AS "cases|{>6}",
  front AS "front|{1}" FROM policy_lines ORDER BY place;
SELECT '' AS note;
SELECT printf('  %-*s  %s', width, cc || ' ' || names, verdict) AS note, width + 4 AS indent
FROM policy_lines, (SELECT max(length(cc || ' ' || names)) AS width FROM policy_lines) ORDER BY place;
SELECT '  ' || cc || ' ' || names || ': the largest growth of an error is ' || growth || '.' AS note, 4 AS indent
  FROM policy_lines
ORDER BY place;

-- Policies that lose results that off computes, and policies under which kernels exceed the bar that they keep under
-- off.
SELECT '  ' || j.cc || ' ' || j.policy || ': ' || l.text || iif(l.builds > 1, printf('; %d other build%s', l.builds - 1,
  iif(l.builds > 2, 's lose results', ' loses results')), '') || '.' AS note, 4 AS indent
FROM judged j JOIN (SELECT l.cc, l.policy, l.place, count(*) OVER (PARTITION BY l.cc, l.policy) AS builds,
    iif(min(l.nan, l.lost), 'NaN for ' || grouped(min(l.nan, l.lost)), '')
      || iif(l.lost > l.nan, iif(l.nan, ' and ', '')
      || 'wrongly infinite or finite for ' || grouped(l.lost - min(l.nan, l.lost)), '')
    || iif(l.scanned, ' inputs', ' results') || ' of ' || v.op || '/' || v.algorithm
      || iif(v.dtype = 'f32', ' ', ' ' || v.dtype || ' ')
    || v.isa || ' that off computes' AS text
  FROM losses l JOIN named v USING (variant)) l ON l.cc = j.cc AND l.policy = j.policy AND l.place = 1 ORDER BY j.place;

SELECT printf('  %s %s: %s subnormal results of %s that off computes are 0%s.', l.cc, l.policy, grouped(flushed),
  v.id, iif(builds > 1,
  printf('; likewise for %d more builds', builds - 1), '')) AS note, 4 AS indent
FROM flushes l JOIN named v USING (variant) JOIN judged j ON j.cc = l.cc AND j.policy = l.policy WHERE l.place = 1
  ORDER BY j.place;

SELECT '  ' || j.cc || ' ' || j.policy || ': ' || b.count
  || iif(b.count > 1, ' kernels that off keeps within the bar are',
    ' kernel that off keeps within the bar is') || ' beyond it, ' || b.op || '/' || b.algorithm || ' the farthest ('
  || error_text(b.judged) || ' ' || b.unit || ').' AS note, 4 AS indent
FROM judged j JOIN (SELECT k.cc, k.policy, k.op, k.algorithm, k.judged, u.unit, count(*) OVER kin AS count,
    row_number() OVER (kin ORDER BY k.judged DESC, k.place) AS k
  FROM policy_kernels k JOIN policy_kernels o ON o.cc = k.cc AND o.policy = 'off' AND o.op = k.op
    AND o.algorithm = k.algorithm
  JOIN asked a ON o.judged <= a.max_ulp AND k.judged > a.max_ulp JOIN units u ON u.op = k.op
  WINDOW kin AS (PARTITION BY k.cc, k.policy)) b ON b.cc = j.cc AND b.policy = j.policy AND b.k = 1 ORDER BY j.place;

-- The cells that the columns are computed over.
SELECT '' AS note WHERE NOT :brief;
SELECT 'intrinsics, plain loops: speed over off of the same compiler [95%, over processes], and the number of cells: '
  || 'those whose machine code the policy changes, without hazards; each operation has the same weight. Intrinsics: '
  || 'multiplications and additions in intrinsics; plain loops: code in which the compiler may contract expressions. '
  || 'left alone: cells with the code of off. overall: over off of the first compiler, and the number of cells: all '
  || 'that both have, including those left alone. Lines with different cells cannot be compared; verdicts compare two '
  || 'builds over their common cells. ' || text AS note
    FROM identical_words WHERE NOT :brief;
SELECT text AS note FROM explicit_words WHERE NOT :brief;
SELECT 'Kernels that do not meet the constraints are left out.' AS note FROM asked
WHERE (bar_given OR isa OR cc OR tail OR threads OR no_broken_cases) AND NOT :brief;
SELECT 'error: of each kernel on family normal over that under off, geometric mean; hazards are left out. bits: '
  || 'kernels whose results are not those of off.' AS note WHERE NOT :brief;
SELECT 'lost: results that off computes and the policy does not, for its worst build.' AS note WHERE NOT :brief;
SELECT 'isa, cc, tail, threads: whether the bits of every kernel are independent of these; no 3/17: only those of 3 '
  || 'kernels in 17.' AS note
WHERE NOT :brief;
SELECT 'front: no other policy is at least as fast and as accurate.' || iif(EXISTS(SELECT 1 FROM cases), '',
  ' cases: not measured.') AS note WHERE NOT :brief;
SELECT 'A policy is allowed where every operation has a kernel within the bar of ' || digits(max_ulp, 3)
  || ' ulp, or u where '
  || 'results come near zero (--max-ulp), over every input where a scan has them all, else over all families.' AS note
FROM asked WHERE max_ulp IS NOT NULL AND NOT :brief;

-- The gain in double.
SELECT '' AS note WHERE EXISTS(SELECT 1 FROM type_gains WHERE dtype = 'f64');
SELECT cc, policy, code, fp32 AS "fp32: speed over off|{>}", double AS "double|{>}" FROM type_lines;
SELECT 'fp32, double: over the kernels that exist in both types, at the shape that all operations have, and the '
  || 'cells whose machine code the policy changes in that type. The lines above, and what is recommended, are of '
  || 'fp32.' AS note
WHERE EXISTS(SELECT 1 FROM type_gains WHERE dtype = 'f64') AND NOT :brief;

SELECT '' AS note;
SELECT iif(EXISTS(SELECT 1 FROM recommended), 'Recommended: ', '') || why || '.' AS note, 0 AS indent FROM advice;
SELECT 'With the kernels that meet the constraints:' || (SELECT group_concat(' ' || op || '/' || algorithm, '')
  FROM policy_kernels k WHERE k.cc = j.cc AND k.policy = j.policy AND fits) AS note
FROM asked, judged j JOIN recommended USING (place) WHERE constrained;
SELECT 'Flags: ' || iif(flags = '', 'none to add', flags) AS note, 0 AS indent FROM judged JOIN recommended
  USING (place)
WHERE NOT :brief;
