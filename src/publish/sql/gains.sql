-- SPDX-License-Identifier: MIT
-- The gain from a policy over off, and from a wider ISA over a narrower one. These are the only definitions, for one
-- run and for several side by side: fill gain_cells, and query the views. gain_cells: the lab's cells of one thread
-- on family normal. arithmetic: codes.arithmetic; hazard: wrong by design on some inputs; advised: within the bar.
-- of_policies, of_isas: whether the cell enters the figures of policies, and of ISAs. code_kinds: code that a policy
-- can change: loops in which compilers may contract expressions, and multiplications and additions in intrinsics.
CREATE TEMP TABLE gain_cells(side INTEGER, variant INTEGER, op TEXT, algorithm TEXT, isa TEXT, cc TEXT, policy TEXT,
  arithmetic TEXT, shape INTEGER, n INTEGER, level TEXT, percent REAL, ns REAL, times TEXT, t BLOB, hash TEXT,
  hazard INTEGER, advised INTEGER, of_policies INTEGER, of_isas INTEGER);
CREATE INDEX temp.gain_cells_of_kernels ON gain_cells(side, op, algorithm, cc, shape);
CREATE TEMP TABLE code_kinds(kind TEXT PRIMARY KEY, place INTEGER, name TEXT);
INSERT INTO code_kinds VALUES('intrinsics', 1, 'intrinsics'), ('loops', 2, 'plain loops');

-- Over the cells whose machine code this policy changes, whatever other policies were built; without hazards.
-- op NULL: all operations, each of which weighs the same; kind NULL: both kinds. speed, low, high: of time(off) over
-- time(policy), formed in each process; 1 where it changes nothing. cells: that these are over; same_code: cells that
-- it leaves alone. kernels, unchanged: the same of kernels on one ISA. left_out: of `cells` those whose processes are
-- divided (two modes). least, most: over its kernels, all ISAs together: the choice of kernels moves a mean more than
-- their times.
CREATE TEMP VIEW policy_gains AS
WITH pair AS MATERIALIZED (
  SELECT p.side, p.cc, p.policy, p.op, p.algorithm, CASE WHEN p.algorithm = 'plain' THEN 'loops'
    WHEN p.arithmetic IN ('explicit', 'library') THEN p.arithmetic ELSE 'intrinsics' END AS kind, p.algorithm || ' '
    || p.isa AS kernel, p.times, o.times AS off_times, p.policy = 'off' OR coalesce(p.hash = o.hash, 0) AS same
  FROM temp.gain_cells p JOIN temp.gain_cells o ON o.side = p.side AND o.op = p.op AND o.algorithm = p.algorithm
    AND o.cc = p.cc AND o.shape = p.shape AND o.isa = p.isa AND o.policy = 'off'
  WHERE p.of_policies AND o.of_policies AND NOT p.hazard AND NOT o.hazard),
operation AS MATERIALIZED (
  SELECT side, cc, policy, op, iif(whole, NULL, kind) AS kind, by_process(times, off_times) FILTER (WHERE NOT same)
    AS speed, sum(NOT same) AS cells, sum(same) AS same_code, count(DISTINCT iif(same, NULL, kernel)) AS kernels,
    count(DISTINCT iif(same, kernel, NULL)) AS unchanged, sum(NOT same AND ratio(times, off_times) IS NULL) AS left_out
  FROM pair, (SELECT 0 AS whole UNION ALL SELECT 1) GROUP BY side, cc, policy, op, 5),
figure AS (
  SELECT *, min(cells, 1) AS operations FROM operation UNION ALL
  SELECT side, cc, policy, NULL, kind, by_process(speed), sum(cells), sum(same_code), sum(kernels), sum(unchanged),
    sum(left_out), count(speed) FROM operation GROUP BY side, cc, policy, kind),
kernel AS MATERIALIZED (
  SELECT side, cc, policy, op, kind, ratio(by_process(times, off_times)) AS speed FROM pair WHERE NOT same
  GROUP BY side, cc, policy, op, kind, algorithm),
spread AS (
  SELECT side, cc, policy, iif(of_op, op, NULL) AS op, iif(of_kind, kind, NULL) AS kind, min(speed) AS least,
  max(speed) AS most
  FROM kernel, (SELECT 0 AS of_op UNION ALL SELECT 1), (SELECT 0 AS of_kind UNION ALL SELECT 1) GROUP BY side, cc,
  policy, 4, 5)
SELECT f.side, f.cc, f.policy, f.op, f.kind, iif(cells, ratio(speed), 1.0) AS speed,
  iif(cells, ratio_low(speed), 1.0) AS low,
  iif(cells, ratio_high(speed), 1.0) AS high, cells, same_code, kernels, unchanged, left_out, operations, s.least,
  s.most
FROM figure f LEFT JOIN spread s ON s.side = f.side AND s.cc = f.cc AND s.policy = f.policy AND s.op IS f.op
  AND s.kind IS f.kind;
-- As words: a figure, and a sentence on each policy of a compiler.
CREATE TEMP VIEW policy_texts AS
SELECT *, printf('%.3f', speed) AS figure, coalesce(printf(' [%.3f, %.3f]', low, high), '') AS reach,
  iif(kernels > 1, printf(', %.2f to %.2f', least, most), '') AS span
FROM temp.policy_gains JOIN temp.code_kinds USING (kind) WHERE cells;
CREATE TEMP VIEW policy_words AS
SELECT side, cc, policy, group_concat(text, ', ') AS text FROM (
  SELECT side, cc, policy, printf('%s%s in %s (%d kernels%s)', figure, reach, name, kernels, span) AS text
  FROM temp.policy_texts WHERE op IS NULL ORDER BY place)
GROUP BY side, cc, policy;

-- At each shape the fastest advised build of the wider ISA beside the fastest advised one of the narrower: best over
-- best. Then the same kernel on both, by the same compiler under the same policy: its spread over kernels.
-- op NULL: all operations, each of which weighs the same; level NULL: all levels. speed, low, high: of time(narrow)
-- over time(wide). shapes: that it is over, with the least and the most n; percent: of its limit that the wider one
-- reaches, on average. least, median, most: of the same kernel's speed, kernels: of how many; least_kernel,
-- most_kernel: whose.
CREATE TEMP VIEW isa_gains AS
WITH step(wide, narrow) AS (VALUES('avx512', 'avx2'), ('avx2', 'scalar')),
scope AS (SELECT 0 AS whole UNION ALL SELECT 1),
best AS MATERIALIZED (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY side, op, shape, isa ORDER BY ns, variant) AS k
    FROM temp.gain_cells WHERE advised AND of_isas) WHERE k = 1),
operation AS MATERIALIZED (
  SELECT w.side, s.wide, s.narrow, w.op, iif(whole, NULL, w.level) AS level, by_process(w.times, n.times) AS speed,
    count(*) AS shapes, min(w.n) AS least_n, max(w.n) AS most_n, avg(w.percent) AS percent
  FROM step s JOIN best w ON w.isa = s.wide JOIN best n ON n.side = w.side AND n.op = w.op AND n.shape = w.shape
    AND n.isa = s.narrow, scope
  GROUP BY w.side, s.wide, w.op, 5),
figure AS (
  SELECT * FROM operation UNION ALL
  SELECT side, wide, narrow, NULL, level, by_process(speed), sum(shapes), min(least_n), max(most_n), avg(percent)
  FROM operation GROUP BY side, wide, level),
kernel AS MATERIALIZED (
  SELECT w.side, s.wide, w.op, iif(whole, NULL, w.level) AS level, w.algorithm, ratio(by_process(w.times, n.times))
    AS speed
  FROM step s JOIN temp.gain_cells w ON w.isa = s.wide AND w.of_isas AND NOT w.hazard
  JOIN temp.gain_cells n ON n.side = w.side AND n.op = w.op AND n.algorithm = w.algorithm AND n.cc = w.cc
    AND n.shape = w.shape AND n.policy = w.policy AND n.isa = s.narrow AND n.of_isas, scope
  GROUP BY w.side, s.wide, w.op, 4, w.algorithm),
ranked AS (
  SELECT *, row_number() OVER (up) AS up, row_number() OVER (PARTITION BY side, wide, op, level ORDER BY speed DESC)
    AS down
  FROM (SELECT side, wide, op, level, algorithm AS name, speed FROM kernel
    UNION ALL SELECT side, wide, NULL, level, op || '/' || algorithm, speed FROM kernel) WHERE speed IS NOT NULL
  WINDOW up AS (PARTITION BY side, wide, op, level ORDER BY speed)),
spread AS (
  SELECT side, wide, op, level, count(*) AS kernels, min(speed) AS least, quantile(speed, 0.5) AS median, max(speed)
    AS most, max(name) FILTER (WHERE up = 1) AS least_kernel, max(name) FILTER (WHERE down = 1) AS most_kernel
  FROM ranked GROUP BY side, wide, op, level)
SELECT f.side, f.wide, f.narrow, f.op, f.level, ratio(f.speed) AS speed, ratio_low(f.speed) AS low, ratio_high(f.speed)
  AS high, f.shapes, f.least_n, f.most_n, f.percent, s.kernels, s.least, s.median, s.most, s.least_kernel, s.most_kernel
FROM figure f LEFT JOIN spread s ON s.side = f.side AND s.wide = f.wide AND s.op IS f.op AND s.level IS f.level;
-- The same as text. step: the two ISAs; lengths: of the rows at this level; best, same: the two figures.
CREATE TEMP VIEW isa_words AS
SELECT *, iif(wide = 'avx512', 'AVX-512 / AVX2', 'AVX2 / scalar') AS step,
  least_n || iif(least_n < most_n, ' to ' || most_n, '') AS lengths,
  printf('%.2f', speed) || coalesce(printf(' [%.2f, %.2f]', low, high), '') AS best,
  iif(kernels = 1, printf('same kernel %.2f (%s)', median, least_kernel),
    printf('same kernel %.2f (%s), %.2f, %.2f (%s)', least, least_kernel, median, most,
    most_kernel)) AS same FROM temp.isa_gains;
