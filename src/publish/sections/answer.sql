-- SPDX-License-Identifier: MIT
-- The answer in a few lines: flags, kernels, the gain from wider vectors, the cost of equal bits, the uncertainty.
-- "errors stay the same on average, grow by 18% at most (softmax/online scalar)"
CREATE TEMP TABLE IF NOT EXISTS changes AS
SELECT place, 'errors ' || average || ' on average, ' || iif(worst < 1.005, 'and grow nowhere', most || ' at most ('
  || worst_kernel || ')') AS text
FROM (SELECT place, worst, worst_kernel, CASE WHEN error > 1e300 THEN 'are without bound'
    WHEN error >= 10 THEN 'grow ' || digits(error, 3) || ' times' WHEN abs(error - 1) < 0.005 THEN 'stay the same'
    ELSE iif(error > 1, 'grow', 'shrink') || printf(' by %.0f%%', 100 * abs(error - 1)) END AS average,
  CASE WHEN worst > 1e300 THEN 'are without bound' WHEN worst >= 10 THEN 'grow ' || digits(worst, 3) || ' times'
    ELSE printf('grow by %.0f%%', 100 * abs(worst - 1)) END AS most FROM judged WHERE error IS NOT NULL);
CREATE TEMP TABLE IF NOT EXISTS failures AS -- the case studies that are reproduced under the recommended policy
SELECT iif(cases = '[]', '', '; case studies reproduced under it: ' || json_array_length(cases) || ' ('
  || (SELECT group_concat(value, ', ') FROM json_each(cases)) || ')') AS text FROM judged JOIN recommended
    USING (place);

SELECT j.cc AS "item|**Flags**: `%s -O3 %s`. No policy that keeps its promises is faster%s.", j.flags, f.text
FROM judged j JOIN recommended USING (place), failures f WHERE j.policy = 'off';
SELECT j.cc AS "item|**Flags**: `%s -O3%s%s`%s. Speed relative to `-ffp-contract=off` [95%%]: %s; %d of %d kernels
  have the same code with both. Cost: %s%s.", iif(j.flags = '', '', ' '), j.flags,
  iif(EXISTS(SELECT 1 FROM judged o WHERE o.place <> j.place AND o.cc = j.cc AND o.policy = 'default'
    AND o.code = j.code),
    printf(', the default of %s without that flag', j.cc), ''), w.text,
  j.unchanged, j.unchanged + j.kernels, coalesce((SELECT text FROM changes c WHERE c.place = j.place),
    'errors are unknown'), f.text
FROM judged j JOIN recommended USING (place) LEFT JOIN policy_words w USING (cc, policy), failures f
  WHERE j.policy <> 'off';
SELECT text AS "item|**Not flags**: %s" FROM explicit_words;
SELECT why AS "item|**Flags**: %s." FROM advice WHERE NOT EXISTS(SELECT 1 FROM recommended)
  AND EXISTS(SELECT 1 FROM judged);
-- The fastest policy that is not advised, if it is faster than the recommended one.
SELECT j.cc AS "item|Faster, but not advised: `%s -O3%s%s`, relative to `off` %s. %s%s%s; %s.",
  iif(j.flags = '', '', ' '), j.flags, (SELECT text FROM policy_words w WHERE w.cc = j.cc AND w.policy = j.policy),
    upper(substr(j.objection, 1, 1)), substr(j.objection, 2),
  iif(j.lost > 0, '; up to ' || grouped(j.lost) || ' results of a kernel are lost', ''),
  coalesce((SELECT text FROM changes c WHERE c.place = j.place), '')
FROM judged j JOIN rated x ON x.a = j.place JOIN recommended r ON r.place = x.b WHERE j.objection <> '' AND x.speed > 1
ORDER BY x.speed DESC, j.place LIMIT 1;
-- A run is disturbed if pairs of identical code differ by more than 3% at the 90th percentile.
SELECT text AS "item|**Uncertainty**: %s%s %m",
  (SELECT iif(sum(NOT steady), ' ' || sum(NOT steady) || ' of ' || count(*)
    || ' blocks of cells stayed unsteady.', '') FROM blocks),
  iif(p90 > 0.03, '**This run was disturbed**: repeat it on an idle machine; smaller differences are no evidence '
    || 'about the code.', 'Smaller differences are no evidence about the code.')
FROM identical_words WHERE EXISTS(SELECT 1 FROM cells JOIN named USING (variant) WHERE NOT library);
SELECT 0 AS "words|These results have no times: run `ulplab bench`, then write the report again."
WHERE NOT EXISTS(SELECT 1 FROM cells JOIN named USING (variant) WHERE NOT library);

-- Kernels that are faster but beyond the bar, and operations without a kernel within the bar.
WITH
beyond AS (
  SELECT g.place, s.grp || '/' || s.algorithm || ' (' || error_text(s.judged) || ' ' || s.unit || ')' AS text,
    row_number() OVER (PARTITION BY s.grp ORDER BY s.ns, s.id) AS k
  FROM groups g JOIN choices c USING (run, grp) JOIN summary f ON f.run = g.run AND f.variant = c.fastest
  JOIN summary s ON s.run = g.run AND s.grp = g.grp WHERE s.keeps AND NOT s.advised AND s.high < f.low),
unmet AS (
  SELECT g.place, g.grp FROM groups g WHERE g.grp NOT IN (SELECT grp FROM choices)
    AND g.grp IN (SELECT grp FROM summary WHERE home IS NOT NULL))
SELECT bar AS "words|**Kernels**: the fastest kernel that keeps all its promises and has errors of at most %.3g ulp
  (`--max-ulp`), or u (2^-24 times the inputs' size) where results come near zero, over all families%s. %% of limit:
  of this core's limit. %s%s", lengths.text,
  coalesce('Faster, but beyond the bar: ' || (SELECT group_concat(text, ', ') FROM (SELECT text FROM beyond WHERE k = 1
    ORDER BY place)) || '.', 'No kernel beyond this bar is faster.'),
  coalesce(' No kernel is within it: ' || (SELECT group_concat(grp, ', ') FROM (SELECT grp FROM unmet ORDER BY place))
    || '.', '')
FROM given, lengths WHERE EXISTS(SELECT 1 FROM cells JOIN named USING (variant) WHERE NOT library);

-- The fastest kernel of an operation, by class of shapes. One line for each operation that models use, in this order,
-- and one more for each class in which another kernel wins; the next section has the other operations.
WITH
asked(op, place) AS (VALUES('softmax', 1), ('log_softmax', 2), ('logsumexp', 3), ('moments', 4), ('layernorm', 5),
  ('rmsnorm', 6), ('exp', 7), ('log', 8)),
winner AS MATERIALIZED (
  SELECT grp AS op, class, variant, replace(algorithm, 'best', 'invariant') AS name, built_for AS isa, ns FROM picks
  WHERE isa = '' AND class <> 'home'),
-- A class in which the winner of L1 was not timed at every shape cannot show whether that winner is the fastest
-- there.
told AS (
  SELECT w.* FROM winner w LEFT JOIN winner first ON first.op = w.op AND first.class = 'L1'
  WHERE first.op IS NULL OR EXISTS(SELECT 1 FROM entrants x WHERE x.grp = w.op AND x.isa = '' AND x.class = w.class
    AND x.built_for = first.isa AND replace(x.algorithm, 'best', 'invariant') = first.name)),
kernel AS (
  SELECT t.*, v.cc, v.policy, asked.place AS line, instr('L1 L2 L3 DRAM short rows', class) AS at,
    (SELECT avg(percent) FROM contenders c JOIN timed USING (cell)
      WHERE c.grp = t.op AND c.isa = '' AND c.class = t.class AND c.variant = t.variant) AS percent
  FROM told t JOIN named v USING (variant) JOIN asked USING (op)),
line AS (SELECT *, lag(op) OVER w IS NOT op AS first, lag(name) OVER w AS last, lag(isa) OVER w AS last_isa
  FROM kernel WINDOW w AS (ORDER BY line, at))
SELECT op AS row_op, iif(first, op, '') AS operation, iif(class = 'DRAM', 'memory', class) AS "rows in",
  name AS "kernel, ISA, built by|`%s` %s %s `%s`", isa, cc, policy,
  decimals(ns, 3) AS "ns/element", percent AS "% of limit|%P", error_text(e.error) AS "max error|%s %s", u.unit
FROM line l LEFT JOIN normal_errors e USING (variant) JOIN units u USING (op)
WHERE first OR name <> last OR isa <> last_isa ORDER BY line, at;

-- The gain from wider vectors: the fastest advised kernel of each ISA, then the same kernel on both.
SELECT iif(wide = 'avx512', 'AVX-512', 'AVX2')
  AS "item|**Width**: the fastest %s kernel is %s times as fast as the fastest in %s, over %d shapes; %s: minimum,
    median and maximum over kernels.", best, iif(narrow = 'avx2', 'AVX2', 'scalar code'), shapes, same
FROM isa_words WHERE op IS NULL AND level IS NULL ORDER BY wide DESC LIMIT 1;

-- The cost of equal bits. The kernels `invariant` give the same bits on every ISA, with every compiler and policy. At
-- each shape and ISA: the time of their fastest build over that of the fastest other advised kernel; fp32, one
-- thread, family normal. Each operation has the same weight.
WITH
best AS (
  SELECT * FROM (SELECT t.op, t.isa, t.shape, t.algorithm IN ('invariant', 'best', 'correct') AS invariant,
    t.times AS ns, row_number() OVER (PARTITION BY t.op, t.isa, t.shape, t.algorithm IN ('invariant', 'best', 'correct')
        ORDER BY t.ns) AS place
    FROM timed t JOIN summary s USING (run, variant) WHERE s.advised AND t.dtype = 'f32' AND NOT t.library
      AND t.isa <> 'scalar' AND t.threads = 1 AND t.family = 'normal') WHERE place = 1),
operation AS (
  SELECT i.op, count(*) AS contests, sum(ratio(o.ns, i.ns) <= 1) AS won, by_process(o.ns, i.ns) AS cost
  FROM best i JOIN best o USING (op, isa, shape) WHERE i.invariant AND NOT o.invariant GROUP BY i.op)
SELECT printf('%.2f [%.2f, %.2f]', ratio(by_process(cost)), ratio_low(by_process(cost)), ratio_high(by_process(cost)))
  AS "item|**Equal bits** on every ISA, with every compiler and policy: the kernels `invariant` take %s of the time of
    the fastest other kernel, and are no slower at %d of %d shapes.", sum(won), sum(contests) FROM operation
    HAVING count(*) > 0;
