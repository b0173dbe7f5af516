-- SPDX-License-Identifier: MIT
-- Which compiler and policy to ship? Tables about one run, after facts.sql, from the constraints of policy.h:
-- ?1 folder, ?2 max_ulp, ?3 bar_given, ?4 no_broken_cases, ?5 require and ?6 allow, as JSON.
-- asked: max_ulp, the bar; whether it was given, or else holds where any policy keeps it; isa, cc, tail, threads:
-- whose bits must not depend on it; no_broken_cases; no_bits: bits must be those of off; reassociation, lost,
-- subnormals: what a policy may give up; constrained: anything narrows the choice.
CREATE TEMP TABLE asked AS
WITH
given AS (SELECT ?1 AS folder, ?2 AS max_ulp, ?3 AS bar_given, ?4 AS no_broken_cases),
said AS (SELECT 'require ' || value AS wish FROM json_each(?5) UNION ALL SELECT 'allow ' || value FROM json_each(?6))
SELECT g.*, 'require isa-stable' IN said OR invariant AS isa, 'require cc-stable' IN said OR invariant AS cc,
  'require tail-stable' IN said OR invariant AS tail, 'require thread-stable' IN said OR invariant AS threads,
  'allow no-bits' IN said AS no_bits, 'allow reassociation' IN said AS reassociation, 'allow lost' IN said AS lost,
  'allow subnormals' IN said AS subnormals, bar_given OR no_broken_cases OR 'allow no-bits' IN said
    OR json_array_length(?5) > 0 AS constrained
FROM given g, (SELECT 'require invariant' IN said AS invariant);

-- The variants in fp32 that have errors, as 16 bits of storage hide what a policy does. build: a number for compiler
-- and policy; kernel: for operation and algorithm; peer: for what differs in the compiler alone.
-- policy_errors: errors of each `first` (facts.sql). cell: what must be equal for bits to be comparable; place: the
-- same but for the number of elements; error: on family normal.
CREATE TEMP TABLE policy_errors(first INTEGER, record INTEGER, cell INTEGER, bits INTEGER, place INTEGER,
  result INTEGER,
  lost INTEGER, near_zero INTEGER, fallen INTEGER, error REAL, mean_ulp REAL, PRIMARY KEY(first, record)) WITHOUT ROWID;
INSERT INTO policy_errors
SELECT e.first, e.record, hash_of(e.family, e.n, x.elements, coalesce(x.inputs, '')),
  iif(e.bits IS NULL, NULL, hash_of(e.bits)),
  hash_of(e.family, e.n, x.inputs), hash_of(e.family, e.n, x.inputs, e.bits), coalesce(e.lost, e.nan + e.inf),
  e.near_zero,
  e.status NOT IN ('ok', 'interrupted'),
  CASE WHEN e.family <> 'normal' THEN NULL WHEN coalesce(e.lost, e.nan + e.inf) > 0 THEN 9e999
    WHEN e.near_zero THEN x.scaled_error ELSE x.max_ulp END,
  iif(e.family = 'normal' AND NOT e.near_zero, x.mean_ulp, NULL)
FROM first_errors e JOIN errors x ON x.id = e.record WHERE NOT e.library
  AND coalesce(e.status, '') NOT IN ('skipped', 'unbuilt');
CREATE INDEX temp.policy_errors_of_cells ON policy_errors(first, cell, bits);
CREATE TEMP TABLE policy_variants AS
SELECT s.first, v.*, dense_rank() OVER (ORDER BY cc, policy) AS build,
  dense_rank() OVER (ORDER BY op, algorithm) AS kernel,
  dense_rank() OVER (ORDER BY op, algorithm, isa, policy) AS peer
FROM shared s JOIN named v USING (variant)
WHERE NOT v.library AND v.dtype = 'f32' AND s.first IN (SELECT first FROM policy_errors);
CREATE INDEX temp.policy_variants_of_kernels ON policy_variants(build, kernel);

-- A kernel under one compiler and policy, over its ISAs. judged: the error that the bar judges. isa, cc, tail,
-- threads: are its bits equal over them? NULL where that is not known. fits: no hazard, and meets the constraints;
-- where no accuracy was measured at all, no bar can be held to. counts: figures of its build are over it: where any
-- constraint is given it must fit.
CREATE TEMP TABLE policy_kernels AS
WITH
kernel AS (
  SELECT cc, policy, op, algorithm, max(hazard) AS hazard, max(judged) AS judged, min(variant) AS place FROM summary
  WHERE cc <> 'lib' AND dtype = 'f32' GROUP BY cc, policy, op, algorithm),
-- Builds of a kernel that differ in the ISA, or in the compiler. Those of two firsts share the verdict, over the
-- cells of both.
twin AS MATERIALIZED (
  SELECT v.cc, v.policy, v.op, v.algorithm, w.build = v.build AS isas, min(v.first, w.first) AS a,
  max(v.first, w.first) AS b
  FROM policy_variants v CROSS JOIN policy_variants w ON w.kernel = v.kernel AND (w.build = v.build OR w.peer = v.peer)
    AND w.variant <> v.variant),
alike AS MATERIALIZED (
  SELECT a, b, min(x.bits = y.bits) AS same FROM (SELECT DISTINCT a, b FROM twin)
    CROSS JOIN policy_errors x ON x.first = a
  CROSS JOIN policy_errors y ON y.first = b AND y.cell = x.cell GROUP BY a, b),
over AS (
  SELECT cc, policy, op, algorithm, min(same) FILTER (WHERE isas) AS isa, min(same) FILTER (WHERE NOT isas) AS over_cc
  FROM twin JOIN alike USING (a, b) GROUP BY cc, policy, op, algorithm),
tried AS (
  SELECT v.cc, v.policy, v.op, v.algorithm, min(i.tail) AS tail, min(i.threads) AS threads
  FROM invariances i JOIN named v USING (variant) WHERE v.dtype = 'f32' GROUP BY v.cc, v.policy, v.op, v.algorithm)
SELECT *, fits OR NOT narrowed AS counts FROM (
SELECT k.*, o.isa, o.over_cc, t.tail, t.threads, a.bar_given OR a.isa OR a.cc OR a.tail OR a.threads AS narrowed,
  NOT k.hazard
    AND (a.max_ulp IS NULL OR NOT EXISTS(SELECT 1 FROM error_variants) OR coalesce(k.judged <= a.max_ulp, 0))
    AND (NOT a.isa OR o.isa IS 1) AND (NOT a.cc OR o.over_cc IS 1) AND (NOT a.tail OR t.tail IS 1)
    AND (NOT a.threads OR t.threads IS 1) AS fits
FROM kernel k, asked a LEFT JOIN over o USING (cc, policy, op, algorithm) LEFT JOIN tried t
  USING (cc, policy, op, algorithm));

-- Over the kernels of a policy that fit: are the bits of all equal; of how many, of those of which it is known?
CREATE TEMP TABLE policy_stable AS
SELECT cc, policy, min(isa) AS isa, min(over_cc) AS over_cc, min(tail) AS tail, min(threads) AS threads,
  total(isa) AS isas, count(isa) AS all_isas, total(over_cc) AS ccs, count(over_cc) AS all_ccs, total(tail) AS tails,
  count(tail) AS all_tails, total(threads) AS teams, count(threads) AS all_teams,
  json_group_array(op || '/' || algorithm || '/dtype=f32') AS kernels
FROM (SELECT * FROM policy_kernels WHERE fits ORDER BY place) GROUP BY cc, policy;

-- flags: what the policy adds to the command line; NULL where nothing says. safe: it does not reassociate, keeps NaN
-- and subnormals, as a litmus observed. gives_up: which of these it does not; refused: those that nobody allowed, as
-- words of --allow. cases: a JSON array, of those whose failure shows under this build. lacks: an operation without a
-- kernel that meets the constraints. Hazards never do; an operation whose kernels are all hazards is not counted. Where
-- nothing was asked, one counts only if another policy keeps a kernel within the bar that this one takes beyond it:
-- kernels that were built under one policy alone say nothing against the others.
CREATE TEMP TABLE policies AS
WITH
build AS (SELECT cc, policy, min(rank) AS rank FROM summary WHERE cc <> 'lib' GROUP BY cc, policy),
-- Earlier runs do not record their policies' flags; these are what the names have always stood for.
earlier(policy, flags) AS (VALUES ('off', '-ffp-contract=off'), ('on', '-ffp-contract=on'),
  ('fast', '-ffp-contract=fast'), ('default', ''), ('fastmath', '-ffast-math'), ('O2', '-ffp-contract=off -O2'),
  ('reassoc', '-fassociative-math -fno-signed-zeros -fno-trapping-math -ffp-contract=off'),
  ('v1', '-ffp-contract=off -march=x86-64 -mno-sse3')),
seen AS (
  SELECT cc, policy, max(observed ->> 'contracts' IS 1) AS contracts,
    max(observed ->> 'honours_nan' IS NOT NULL) AS known, max(observed ->> 'reassociates' IS 1) AS reassociation,
    max(observed ->> 'honours_nan' IS 0 OR observed ->> 'honours_nan_in_expression' IS 0) AS nan,
    max(observed ->> 'honours_subnormals' IS 0) AS subnormals
  FROM (SELECT DISTINCT v.cc, v.policy, c.observed FROM codes c JOIN named v USING (variant)) GROUP BY cc, policy),
flag AS (
  SELECT cc, policy, rank, coalesce((SELECT document -> '$.machine.policies' FROM runs) ->> policy, e.flags) AS flags
  FROM build LEFT JOIN earlier e USING (policy)),
-- Where no litmus said what a policy gives up, its flags do.
given AS (
  SELECT *, reassociation OR lost OR subnormals AS any FROM (
    SELECT f.cc, f.policy, coalesce(s.reassociation, 0) OR coalesce(flags_give_up(flags)
        & flags_give_up('-fassociative-math'), 0) AS reassociation,
      iif(s.known, s.nan, coalesce(flags_give_up(flags) & flags_give_up('-ffinite-math-only'), 0) > 0) AS lost,
      iif(s.known, s.subnormals, EXISTS(SELECT 1 FROM json_each('["' || replace(flags, ' ', '","') || '"]')
        WHERE flag_at_link(value))) AS subnormals
    FROM flag f LEFT JOIN seen s USING (cc, policy))),
words AS (
  SELECT g.cc, g.policy, g.any, ltrim(iif(g.reassociation, ', the order of additions', '') || iif(g.lost, ', NaN', '')
      || iif(g.subnormals, ', subnormal results', ''), ', ') AS gives_up,
    iif(g.any, ltrim(iif(g.reassociation AND NOT a.reassociation, ',reassociation', '')
      || iif(g.lost AND NOT a.lost, ',lost', '') || iif(g.subnormals AND NOT a.subnormals, ',subnormals', ''), ','),
      '') AS refused
  FROM given g, asked a),
broken AS (
  SELECT cc, policy, json_group_array(name) AS names FROM (SELECT DISTINCT c.id, c.name, r.value ->> 'cc' AS cc,
      r.value ->> 'policy' AS policy FROM cases c, json_each(c.record, '$.rows') r
        WHERE json_type(iif(r.type = 'object', r.value, '{}'), '$.broken') = 'true'
    ORDER BY c.id) GROUP BY cc, policy)
SELECT b.*, NOT w.any AS safe, coalesce(s.contracts, 0) AS contracts, coalesce(x.names, '[]') AS cases, w.gives_up,
  w.refused,
  (SELECT k.op FROM policy_kernels k, asked a WHERE k.cc = b.cc AND k.policy = b.policy AND NOT k.hazard
    AND NOT EXISTS(SELECT 1 FROM policy_kernels o WHERE o.cc = k.cc AND o.policy = k.policy AND o.op = k.op AND o.fits)
    AND (a.bar_given OR a.isa OR a.cc OR a.tail OR a.threads
      OR NOT EXISTS(SELECT 1 FROM policy_kernels o WHERE o.cc = k.cc AND o.policy = k.policy AND o.fits)
      OR EXISTS(SELECT 1 FROM policy_kernels o WHERE o.op = k.op AND o.algorithm = k.algorithm AND o.fits))
    ORDER BY k.place LIMIT 1) AS lacks
FROM flag b JOIN words w USING (cc, policy) LEFT JOIN seen s USING (cc, policy) LEFT JOIN broken x USING (cc, policy)
ORDER BY b.cc NOT LIKE 'gcc%', b.cc, b.rank, b.policy;

-- What the constraints rule out enters no figure of policies.
UPDATE gain_cells SET of_policies = 0
WHERE (cc, policy, op, algorithm) NOT IN (SELECT cc, policy, op, algorithm FROM policy_kernels WHERE counts);

-- policy_speeds: what each policy buys. same_code_as: the first policy with the same code in every cell that both have.
CREATE TEMP TABLE policy_codes AS
WITH equal AS MATERIALIZED (
  SELECT a.cc, a.policy, b.policy AS other, p.rank FROM gain_cells a JOIN gain_cells b USING (side, op, algorithm, isa,
    cc, shape)
  JOIN policies p ON p.cc = b.cc AND p.policy = b.policy
  WHERE a.of_policies AND b.of_policies
  GROUP BY a.cc, a.policy, b.policy HAVING min(a.policy = b.policy OR coalesce(a.hash = b.hash, 0))),
first AS (SELECT e.cc, e.policy FROM equal e JOIN policies p USING (cc, policy) GROUP BY e.cc,
  e.policy HAVING min(e.rank) = p.rank)
SELECT e.cc, e.policy, coalesce((SELECT o.other FROM equal o JOIN first f ON f.cc = o.cc AND f.policy = o.other
  WHERE o.cc = e.cc AND o.policy = e.policy ORDER BY o.rank LIMIT 1), e.policy) AS same_code_as
FROM equal e GROUP BY e.cc, e.policy;
CREATE TEMP TABLE policy_speeds AS SELECT g.*, c.same_code_as FROM policy_gains g LEFT JOIN policy_codes c USING (cc,
  policy);

-- How many of the fastest kernels write their arithmetic out, so that no policy changes them?
CREATE TEMP VIEW explicit_words AS
SELECT printf('Kernels with explicit arithmetic have the same code under every policy: %d of the %d that are '
  || 'the fastest of their operation (%s).', count(DISTINCT iif(arithmetic = 'explicit', grp, NULL)),
  count(DISTINCT grp),
  group_concat(iif(arithmetic = 'explicit', grp || '/' || algorithm, NULL), ', ')) AS text
FROM (SELECT h.grp, replace(v.algorithm, 'best', 'invariant') AS algorithm, c.arithmetic FROM choices h
  JOIN groups g USING (run, grp) JOIN named v ON v.variant = h.fastest AND v.dtype <> 'f64'
  JOIN runs r ON r.id = h.run LEFT JOIN codes c ON c.blob = r.codegen AND c.variant = v.variant ORDER BY g.place)
HAVING sum(arithmetic = 'explicit');

-- How fast is each build beside each other one? Over the cells that the two have, whatever else was built, without
-- hazards; equal code takes equal time. Each operation weighs the same.
-- speed: of time(over_cc, over_policy) / time(cc, policy), over how many cells.
CREATE TEMP TABLE policy_pairs AS
WITH cell AS MATERIALIZED (SELECT * FROM gain_cells WHERE of_policies AND NOT hazard),
operation AS (
  SELECT p.cc, p.policy, o.cc AS over_cc, o.policy AS over_policy,
  by_process(iif(p.hash = o.hash, o.times, p.times), o.times)
    AS speed, count(*) AS cells
  FROM cell p JOIN cell o USING (op, algorithm, isa, shape) GROUP BY p.cc, p.policy, o.cc, o.policy, p.op)
SELECT cc, policy, over_cc, over_policy, ratio(by_process(speed)) AS speed, sum(cells) AS cells FROM operation
GROUP BY cc, policy, over_cc, over_policy;

-- What does each policy change in errors and bits, kernel by kernel, against off of the same compiler?
-- Over the accuracy cells that the policy and off have: the same kernel, ISA, family and row length; without hazards. A
-- kernel's error is its largest on family normal, in ulp, or u where results come near zero; below 0.5, which a
-- correctly rounded result may have, it counts as 0.5.
-- cc, policy, op: names; op is NULL for all operations together. error: geometric mean over kernels of error(policy)
-- / error(off). worst, worst_kernel, worst_error, worst_off, unit: the largest such ratio, whose it is, and the two
-- errors. kernels, changed: counts, and of these whose bits are not off's. lost, losing: results that off computes
-- and the policy does not, and in how many kernels. broken: kernels that break a promise, in any cell. max_ulp,
-- mean_ulp: over the operations with errors in ulp.
-- same_bits_as: the first policy with the same bits in every kernel that both have.
-- policy_errors_of: kernel by kernel.
CREATE TEMP TABLE policy_errors_of AS
WITH
variant AS MATERIALIZED (
  SELECT v.* FROM policy_variants v JOIN policy_kernels k USING (cc, policy, op, algorithm)
  WHERE k.counts AND v.variant NOT IN (SELECT variant FROM summary WHERE hazard)),
pair AS MATERIALIZED (
  SELECT p.variant, p.cc, p.policy, p.op, p.algorithm, p.isa, p.first, o.first AS off
  FROM variant p JOIN variant o ON o.variant = p.off),
figure AS MATERIALIZED (
  SELECT x.first, x.off, max(p.near_zero) AS near_zero, max(0.5, max(p.error)) AS error,
  max(0.5, max(o.error)) AS off_error,
    sum(p.lost) AS lost, sum(o.lost) AS off_lost, digest(p.result) AS bits, digest(o.result) AS off_bits,
    max(iif(p.near_zero, NULL, p.error)) AS max_ulp, avg(p.mean_ulp) AS mean_ulp
  FROM (SELECT DISTINCT first, off FROM pair) x CROSS JOIN policy_errors p ON p.first = x.first
  CROSS JOIN policy_errors o ON o.first = x.off AND o.place = p.place GROUP BY x.first, x.off)
SELECT p.*, f.near_zero, f.error, f.off_error, f.bits, f.max_ulp, f.mean_ulp,
  iif(f.error = f.off_error, 1, f.error / f.off_error) AS ratio, max(0, f.lost - f.off_lost) AS newly_lost,
  f.bits <> f.off_bits AS changed
FROM pair p JOIN figure f USING (first, off);
CREATE TEMP TABLE policy_changes AS
WITH
fallen AS MATERIALIZED (
  SELECT cc, policy, op, count(*) AS kernels FROM policy_variants JOIN policy_kernels k
    USING (cc, policy, op, algorithm)
  WHERE k.counts AND NOT k.hazard AND first IN (SELECT first FROM policy_errors WHERE fallen) GROUP BY cc, policy, op),
each AS (SELECT op AS of, * FROM policy_errors_of UNION ALL SELECT NULL, * FROM policy_errors_of),
alike AS (
  SELECT cc, policy, other, min(rank) FROM (
    SELECT a.cc, a.policy, b.policy AS other, r.rank FROM policy_errors_of a JOIN policy_errors_of b
      USING (cc, op, algorithm, isa)
    JOIN policies r ON r.cc = b.cc AND r.policy = b.policy GROUP BY a.cc, a.policy, b.policy
      HAVING min(a.bits = b.bits))
  GROUP BY cc, policy),
worst AS (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY of, cc, policy ORDER BY ratio DESC, op, algorithm, isa)
    AS place FROM each) WHERE place = 1)
SELECT e.cc, e.policy, e.of AS op, geomean(e.ratio) AS error, w.ratio AS worst,
  w.op || '/' || w.algorithm || ' ' || w.isa AS worst_kernel, w.error AS worst_error, w.off_error AS worst_off,
  iif(w.near_zero, 'u', 'ulp') AS unit, count(*) AS kernels, sum(e.changed) AS changed, sum(e.newly_lost) AS lost,
  sum(e.newly_lost > 0) AS losing,
  (SELECT coalesce(sum(f.kernels), 0) FROM fallen f WHERE f.cc = e.cc AND f.policy = e.policy AND (e.of IS NULL OR
    f.op = e.of)) AS broken, max(e.max_ulp) AS max_ulp, avg(e.mean_ulp) AS mean_ulp,
  coalesce(b.other, e.policy) AS same_bits_as
FROM each e JOIN worst w ON w.cc = e.cc AND w.policy = e.policy AND w.of IS e.of
LEFT JOIN alike b ON b.cc = e.cc AND b.policy = e.policy
GROUP BY e.cc, e.policy, e.of;

-- Operations that were timed under a policy and have no errors there; anywhere: they have some under another one.
CREATE TEMP TABLE policy_gaps AS
SELECT DISTINCT cc, policy, op, EXISTS(SELECT 1 FROM policy_variants v WHERE v.op = g.op) AS anywhere FROM gain_cells g
WHERE of_policies AND NOT hazard AND NOT EXISTS(SELECT 1 FROM policy_variants v
  WHERE v.op = g.op AND v.cc = g.cc AND v.policy = g.policy);
-- What ended a kernel while it was timed, the first of each policy.
CREATE TEMP TABLE policy_deaths AS
SELECT v.cc, v.policy, printf('%s/%s %s failed while it was timed (%s)', v.op, v.algorithm, v.isa, d.status) AS text,
  min(variant) FROM runs r JOIN cells c ON c.blob = r.timing JOIN cell_details d USING (blob, variant, shape)
JOIN named v USING (variant) JOIN policy_kernels k USING (cc, policy, op, algorithm)
WHERE v.dtype = 'f32' AND k.counts AND NOT k.hazard AND d.status NOT IN ('ok', 'skipped', 'unbuilt', 'interrupted')
GROUP BY v.cc, v.policy;

-- The decision. Two builds are compared over what both have. Speeds, and mean errors, within 2% of each other count
-- as equal; of two policies that lose results the one that loses fewer is more accurate. pareto: nothing is faster
-- and as accurate, or as fast and better; policies of the same code are the same thing, and none is better. lost: the
-- results that the build which loses most loses.
CREATE TEMP TABLE judged AS
SELECT row_number() OVER (ORDER BY p.cc NOT LIKE 'gcc%', p.cc, p.rank, p.policy) AS place, p.*, s.speed, s.low, s.high,
  coalesce(s.cells, 0) AS cells, coalesce(s.same_code, 0) AS same_code, coalesce(s.kernels, 0) AS kernels,
  coalesce(s.unchanged, 0) AS unchanged, coalesce(s.operations, 0) AS operations, coalesce(s.left_out, 0) AS left_out,
  coalesce(s.same_code_as, '') AS code, o.overall, o.cells AS overall_cells, c.error, c.worst, c.worst_kernel,
  c.worst_error, c.worst_off,
  coalesce(c.unit, '') AS unit, coalesce(c.kernels, 0) AS measured, coalesce(c.changed, 0) AS changed,
  coalesce(c.lost, 0) AS newly_lost, coalesce(c.losing, 0) AS losing, coalesce(c.broken, 0) AS broken, c.max_ulp,
  c.mean_ulp,
  c.same_bits_as, coalesce(l.lost, iif(c.error IS NULL, NULL, 0)) AS lost,
  coalesce((SELECT caution FROM cautions k WHERE k.policy = p.policy), 5) AS caution,
  CASE WHEN p.refused <> '' THEN 'it promises nothing: it gives up ' || p.gives_up || ' (--allow ' || p.refused || ')'
    WHEN p.flags IS NULL THEN 'its flags are not recorded: the run is of an earlier version'
    WHEN NOT EXISTS(SELECT 1 FROM policy_errors) THEN 'its errors were not measured'
    WHEN g.op IS NOT NULL THEN 'the errors of ' || g.op || ' were not measured under it'
    WHEN p.lacks IS NOT NULL THEN 'no kernel of ' || p.lacks || ' meets the constraints under it'
    WHEN NOT EXISTS(SELECT 1 FROM policy_pairs q WHERE q.cc = p.cc AND q.policy = p.policy) THEN 'it was not timed'
    WHEN d.text IS NOT NULL THEN d.text
    WHEN c.broken > 0 THEN c.broken || ' kernels break a promise under it'
    WHEN NOT p.safe AND c.lost > 0 AND NOT a.lost THEN 'it loses results that off computes (--allow lost)'
    WHEN a.no_bits AND c.changed IS NULL THEN 'its bits were not compared with those of off'
    WHEN a.no_bits AND c.changed > 0 THEN printf('%d of %d kernels have other bits than under off', c.changed,
      c.kernels)
    WHEN a.no_broken_cases AND p.cases <> '[]' THEN json_array_length(p.cases) || ' case studies break under it'
      ELSE '' END
    AS objection
FROM policies p, asked a LEFT JOIN policy_speeds s ON s.cc = p.cc AND s.policy = p.policy AND s.op IS NULL
  AND s.kind IS NULL
LEFT JOIN (SELECT cc, policy, speed AS overall, cells FROM policy_pairs WHERE over_policy = 'off' AND over_cc = (
  SELECT cc FROM policies ORDER BY cc NOT LIKE 'gcc%', cc LIMIT 1)) o ON o.cc = p.cc AND o.policy = p.policy
LEFT JOIN policy_changes c ON c.cc = p.cc AND c.policy = p.policy AND c.op IS NULL
LEFT JOIN losses l ON l.cc = p.cc AND l.policy = p.policy AND l.place = 1
LEFT JOIN policy_deaths d ON d.cc = p.cc AND d.policy = p.policy
LEFT JOIN (SELECT cc, policy, min(op) AS op FROM policy_gaps WHERE anywhere GROUP BY cc, policy) g
  ON g.cc = p.cc AND g.policy = p.policy;

-- speed: of a over b. errors: is a clearly more accurate than b (-1), less (1), neither (0)? dominates: a is a reason
-- not to take b.
CREATE TEMP TABLE rated AS
WITH error AS MATERIALIZED (
  SELECT a.cc, a.policy, b.cc AS over_cc, b.policy AS over_policy, geomean(a.ratio) AS error, geomean(b.ratio) AS other,
    sum(a.newly_lost) AS lost, sum(b.newly_lost) AS other_lost
  FROM policy_errors_of a JOIN policy_errors_of b USING (op, algorithm, isa) GROUP BY a.cc, a.policy, b.cc, b.policy)
SELECT a.place AS a, b.place AS b, a.code <> '' AND a.code = b.code AND a.cc = b.cc AS same_thing, p.speed, CASE
    WHEN e.lost <> other_lost THEN iif(e.lost < other_lost, -1, 1)
    WHEN e.error * 1.02 < other THEN -1 WHEN other * 1.02 < e.error THEN 1 ELSE 0 END AS errors
FROM judged a JOIN judged b
LEFT JOIN policy_pairs p ON p.cc = a.cc AND p.policy = a.policy AND p.over_cc = b.cc AND p.over_policy = b.policy
LEFT JOIN error e ON e.cc = a.cc AND e.policy = a.policy AND e.over_cc = b.cc AND e.over_policy = b.policy;
CREATE TEMP TABLE dominated AS
SELECT a, b, speed > 1.02 AS faster, errors FROM rated
WHERE NOT same_thing AND speed >= 1 AND errors <= 0 AND (speed > 1.02 OR errors < 0);

-- The most conservative of the policies that are as fast as the fastest that is allowed: that fall least behind any
-- other. `default` comes last of those that promise something, because another compiler or another -std gives it
-- another meaning; of one policy by several compilers the more accurate, or else the first.
CREATE TEMP TABLE recommended AS
WITH behind AS MATERIALIZED (
  SELECT r.a AS place, min(r.speed) AS speed FROM rated r JOIN judged a ON a.place = r.a JOIN judged b ON b.place = r.b
  WHERE a.objection = '' AND b.objection = '' GROUP BY r.a),
fit AS (SELECT j.* FROM judged j JOIN behind b USING (place) WHERE b.speed * 1.02 >= (SELECT max(speed) FROM behind))
SELECT f.place FROM fit f ORDER BY f.caution, EXISTS(SELECT 1 FROM fit o JOIN rated r ON r.a = o.place AND r.b = f.place
  WHERE o.caution = f.caution AND r.errors < 0), f.place LIMIT 1;
-- The same of each compiler alone.
CREATE TEMP TABLE recommended_each AS
WITH fit AS (SELECT *, max(overall) OVER (PARTITION BY cc) AS fastest FROM judged WHERE objection = ''),
of AS (SELECT place, row_number() OVER (PARTITION BY cc ORDER BY caution, place) AS k FROM fit
  WHERE overall * 1.02 >= fastest)
SELECT place FROM of WHERE k = 1;
CREATE TEMP TABLE verdicts AS
WITH better AS (
  SELECT d.*, j.cc, j.policy, row_number() OVER (PARTITION BY d.b
    ORDER BY j.place <> coalesce((SELECT place FROM recommended),
      0), j.cc <> w.cc, iif(j.cc = w.cc, -j.place, j.place)) AS k
  FROM dominated d JOIN judged j ON j.place = d.a JOIN judged w ON w.place = d.b WHERE j.objection = '')
SELECT j.place, NOT EXISTS(SELECT 1 FROM dominated d WHERE d.b = j.place) AND j.overall IS NOT NULL
  AND j.error IS NOT NULL
  AS pareto, CASE WHEN j.place = r.place THEN 'recommended' WHEN j.objection <> '' THEN 'not allowed: ' || j.objection
    WHEN b.a IS NOT NULL THEN b.cc || ' ' || b.policy || iif(b.faster AND b.errors < 0, ' is faster and more accurate',
      iif(b.faster, ' is faster and as accurate', ' is more accurate and as fast'))
    WHEN x.same_thing THEN 'the same code as the recommended policy'
    WHEN x.errors < 0 THEN printf('more accurate, at %.3f of the recommended speed', x.speed)
    ELSE 'as good: neither clearly faster nor more accurate than the recommended policy' END AS verdict
FROM judged j LEFT JOIN recommended r
LEFT JOIN rated x ON x.a = j.place AND x.b = r.place LEFT JOIN better b ON b.b = j.place AND b.k = 1;

-- why: of what is recommended, or why nothing is.
CREATE TEMP TABLE advice AS
SELECT (SELECT j.cc || ' `' || j.policy
  || '`: within 2% of the fastest allowed policy, and the most conservative of these; '
    || coalesce('speed over its `off` ' || w.text, iif(j.same_code, 'its code is that of `off`',
      'no cell compares it with `off`'))
    || iif(j.error IS NULL, '', ', ' || digits(j.error, 3) || ' x its errors (at most '
      || digits(j.worst, 3) || ' x, ' || j.worst_kernel || ')') || iif(j.safe, '', '; it gives up ' || j.gives_up)
  FROM judged j JOIN recommended USING (place) LEFT JOIN policy_words w USING (cc, policy)) AS why;
UPDATE advice SET why = 'no policy is allowed; the verdicts of ''ulplab policy'' say why' WHERE why IS NULL;
UPDATE advice SET why = why || '; the errors of ' || ops || ' were measured under no policy'
FROM (SELECT group_concat(op, ', ') AS ops FROM (SELECT DISTINCT op FROM policy_gaps WHERE NOT anywhere ORDER BY op))
WHERE ops IS NOT NULL;
SELECT 2, 'policy: no row of a compiler; run ''ulplab run'' first' WHERE NOT EXISTS(SELECT 1 FROM judged);
SELECT 1, 'policy: ' || coalesce(folder || ': ', '') 
  || '--no-broken-cases: no case study was run; ''ulplab run'' runs them'
FROM asked WHERE no_broken_cases AND NOT EXISTS(SELECT 1 FROM cases);
CREATE TEMP VIEW gate AS SELECT 1 AS code, 'policy: ' || coalesce(folder || ': ', '')
  || 'no policy meets the constraints; the verdicts say why, loosen them' AS text
FROM asked WHERE constrained AND NOT EXISTS(SELECT 1 FROM recommended);
