-- SPDX-License-Identifier: MIT
-- What follows from all that a trial found? `given` has its document, whose `facts` are rows of list, accuracy, bench,
-- diverge and scan (study/trial.h); the tables of harm.sql stand on its rows of accuracy. Heading, advice and exit code
-- are decided here, once. gives_up: what a build's flags give up, in words; refused: the word of --allow without which
-- it is not advised. The flags of the user's own build are allowed: he wrote them.
CREATE TEMP TABLE listed AS
WITH gift(place, gives, words, word) AS (VALUES (1, flags_give_up('-ffinite-math-only'), 'NaN and infinities', 'lost'),
  (2, flags_give_up('-fassociative-math'), 'the order of additions', NULL),
  (3, flags_give_up('-fno-signed-zeros'), 'the sign of a zero', NULL)),
taken AS (SELECT b.key AS place, b.value AS record, b.value ->> 'yours' AS yours,
  flags_give_up(b.value ->> 'flags') AS gives FROM given, json_each(document, '$.builds') b)
SELECT place, record, record ->> 'id' AS id, record ->> 'cc' AS cc, record ->> 'policy' AS policy, yours,
  (SELECT group_concat(words, ', ') FROM (SELECT words FROM gift g WHERE g.gives & b.gives
    ORDER BY g.place)) AS gives_up,
  (SELECT word FROM gift g WHERE g.gives & b.gives AND word NOT IN (SELECT word FROM allow) AND NOT yours) AS refused,
  coalesce(record ->> 'same_code', record ->> 'id') AS code
FROM taken b;

-- What of the code of the unflagged build's file is gone in a build that regroups additions, where regrouping alone
-- makes errors grow: the file may have other functions.
CREATE TEMP TABLE deleted AS
WITH of AS (SELECT l.*, (SELECT o.record FROM listed o WHERE o.policy = 'off' AND o.cc = l.cc) AS off
  FROM listed l WHERE l.gives_up LIKE '%order of additions%' AND EXISTS(SELECT 1 FROM listed r
    JOIN judgement j ON j.id = r.code
    WHERE r.cc = l.cc AND r.policy = 'reassoc' AND j.worse))
SELECT id, CASE WHEN off ->> 'rounds'
  AND NOT record ->> 'rounds' THEN 'the compiler removed the constant that rounds to an integer from its code'
  WHEN off ->> 'subtractions' > 0 AND record ->> 'subtractions' = 0 THEN
    'the compiler removed all subtractions from its code, and so a compensation (case twosum-vanishes)' END AS what
      FROM of;

-- Edges are single inputs that a function of one element has to know; of a row of nothing else no kernel may be held to
-- anything.
CREATE TEMP TABLE held AS SELECT c.* FROM given, cell c WHERE family <> 'input' OR document ->> '$.facts.unary';

CREATE TEMP TABLE time AS
-- Equal machine code has one time, as clocks may say two: the first, which is beside all others. The limit may be of a
-- later one, as it takes longer than all times.
WITH timed AS (SELECT r.key, r.value AS t, coalesce(l.code, r.value ->> 'variant') AS code,
    r.value ->> 'rows' || 'x' || (r.value ->> 'n') AS shape, r.value ->> 'ns_per_element' AS ns
  FROM given, json_each(document, '$.facts.bench') r LEFT JOIN listed l ON l.id = r.value ->> 'variant'
  WHERE r.value ->> 'status' = 'ok'),
bound AS (SELECT code, shape, t -> 'limit' AS "limit", max((t ->> 'percent_of_limit') * ns) AS least FROM timed
  GROUP BY code, shape),
row AS (SELECT t, code, shape, ns, "limit", least / ns AS percent, min(key)
  FROM timed JOIN bound USING (code, shape) GROUP BY code, shape),
of AS (SELECT id, code, 'build' AS kind FROM listed
  UNION ALL SELECT o.value ->> 'id', o.value ->> 'id', o.value ->> 'kind' FROM given, json_each(document, '$.others') o
  UNION ALL SELECT document ->> '$.copy.id', document ->> '$.copy.id', 'copy' FROM given),
one AS (SELECT of.id, kind, shape, t, ns, "limit",
    iif(document ->> '$.subject.reference' IS NULL, percent, NULL) AS percent FROM given, of JOIN row USING (code)),
-- A function in place is timed with the copy that this needs here.
rest AS (SELECT b.*, iif(b.kind = 'build' AND b.ns > c.ns, b.ns - c.ns, NULL) AS without
  FROM one b LEFT JOIN one c ON c.kind = 'copy' AND c.shape = b.shape)
SELECT id, kind, shape, shape = document ->> 'main_shape' AS is_main, coalesce(without, ns) AS ns,
  json_patch('{}', json_object('ns_per_element', ns, 'low', (t ->> 'ci_low') / (t ->> 'n'), 'high',
    (t ->> 'ci_high') / (t ->> 'n'), 'percent_of_limit', percent,
    'limit', json("limit"), 'residency', t ->> 'residency', 'flags', t -> 'flags', 'ns_without_copy', without,
    'percent_without_copy', percent * ns / without)) AS record FROM given, rest;

-- What the experiments found wrong: one that ended the function, or a result that differs and is wrong, or stands out
-- of family normal, which their rows are of, as `alone` does below. Rows in place and empty ones are told, not judged:
-- a declaration may forbid them. ended: of what diverge ran, its own experiments or what it does before them.
CREATE TEMP TABLE fault AS
WITH tried AS (
  SELECT l.id, l.code, e.key AS place, e.value ->> 'name' AS name, e.value ->> 'status' AS status,
    e.value ->> 'error' AS error, e.value ->> 'wrong' AS wrong, e.value ->> 'worst_n' AS n
  FROM listed l, json_each(l.record, '$.experiments') e WHERE e.value ->> 'name' NOT IN ('in_place', 'empty')),
usual AS (SELECT id, max(unit) AS unit, coalesce(max(error) FILTER (WHERE family = 'normal'), max(error)) AS error,
  coalesce(max(mean) FILTER (WHERE family = 'normal'), max(mean)) AS mean FROM family GROUP BY id),
ended AS (SELECT l.id, i.value ->> 'status' AS status FROM given, json_each(document, '$.facts.invariance') i
  JOIN listed l ON l.code = i.value ->> 'id'
  WHERE i.value ->> 'status' <> 'ok' AND json_type(l.record, '$.experiments') = 'array'),
every AS (
  SELECT id, 0 AS kind, place, printf('it failed: %s%s (experiment %s)', status, coalesce(', at n = ' || n, ''), name)
    AS text FROM tried WHERE status <> 'ok'
  UNION ALL SELECT id, 1, 0, 'it ended, ' || status || ', where its bits were compared with those of other builds'
  FROM ended
  UNION ALL SELECT id, 2, place, printf('%s, at n = %d (experiment %s)', iif(wrong = 1, '1 result is wrong',
    grouped(wrong) || ' results are wrong'), n, name) FROM tried WHERE wrong > 0
  UNION ALL SELECT t.id, 3, -t.error, printf('a result has an error of %s %s, at n = %d (experiment %s)',
    digits(t.error, 3),
    u.unit, t.n, t.name)
  FROM tried t JOIN usual u ON u.id = t.code WHERE t.error > 16 + max(32 * u.mean, 8 * u.error))
SELECT id, text FROM (SELECT *, row_number() OVER (PARTITION BY id ORDER BY kind, place) AS nth FROM every)
WHERE nth = 1;

-- Builds: how they ended, their errors, and whether they are right on the grid. alone: an error that stands out of its
-- cell, and of what a plain loop has there, or the function on most families; of a function of one element a scan tells
-- that, whose powers of two are finer than families.
CREATE TEMP TABLE build AS
WITH ended AS (
  SELECT id, status, reason, family, n, min(k) FROM (
    SELECT id, status, record ->> 'reason' AS reason, family, n, place AS k FROM cell WHERE status <> 'ok'
    UNION ALL SELECT coalesce(l.code, r.value ->> 'variant'), r.value ->> 'status', r.value ->> 'reason', NULL, NULL,
      1e9 + r.key FROM given, json_each(document, '$.facts.bench') r LEFT JOIN listed l ON l.id = r.value ->> 'variant'
    WHERE r.value ->> 'status' <> 'ok') GROUP BY id),
sums AS (
  SELECT id, max(unit) AS unit, max(error) AS error, sum(mean * elements) / sum(elements) AS mean,
    sum(elements) AS elements,
    sum(compared) AS compared, sum(lost) AS lost, sum(wrong) AS wrong, sum(answered) AS answered,
      sum(flushed) AS flushed
  FROM held WHERE bits IS NOT NULL GROUP BY id),
plain AS (SELECT c.family, c.n, max(c.error) AS error FROM cell c JOIN (SELECT o.value ->> 'id' AS id FROM given,
    json_each(document, '$.others') o WHERE o.value ->> 'kind' = 'plain') USING (id) GROUP BY c.family, c.n),
usual AS (SELECT id, quantile(error, 0.5) AS error FROM family GROUP BY id),
out AS (
  SELECT c.id, json_object('family', c.family, 'n', c.n, 'error', c.error, 'mean', c.mean) AS alone, max(c.error)
    FROM cell c JOIN usual u USING (id) LEFT JOIN plain p USING (family, n)
  WHERE NOT (SELECT document ->> '$.facts.unary' FROM given) AND c.family <> 'input'
    AND c.error > 16 + max(32 * c.mean, 8 * coalesce(p.error, u.error)) GROUP BY c.id),
known AS (
  SELECT l.*, coalesce(e.status, l.record ->> 'status') AS status, coalesce(e.reason, l.record ->> 'reason') AS reason,
    e.family AS failed_family, e.n AS failed_n, s.unit, s.error, s.mean, s.elements, s.compared, s.lost, s.wrong,
      s.answered,
    s.flushed, out.alone, t.ns, h.known AS beside, h.wrong AS lost_here, h.changed, h.harmless, h.why,
    h.worse, f.text AS fault
  FROM listed l LEFT JOIN ended e ON e.id = l.code LEFT JOIN sums s ON s.id = l.code
  LEFT JOIN out ON out.id = l.code LEFT JOIN time t ON t.id = l.id AND t.is_main
  LEFT JOIN judgement h ON h.id = l.code LEFT JOIN fault f ON f.id = l.id)
SELECT known.*, status = 'ok' AS ok,
  coalesce(status = 'ok' AND compared > 0 AND wrong = answered AND alone IS NULL AND fault IS NULL
    AND error <= coalesce((SELECT document ->> '$.subject.steps' FROM given), far), 0) AS right
    FROM known, rule;

CREATE TEMP TABLE own AS SELECT * FROM build ORDER BY yours DESC, ok AND policy = 'default' DESC, place LIMIT 1;

-- The scan of the user's own build. Where every NaN that was tried is answered with a number, that may be meant. One in
-- double has no figures of each power of two.
CREATE TEMP TABLE scan AS
WITH s AS (SELECT s, coalesce(s ->> 'evaluated', s ->> 'tried') AS evaluated
  FROM (SELECT document -> '$.facts.scan' AS s FROM given) WHERE coalesce(s ->> 'evaluated', s ->> 'tried') > 0),
binade AS (SELECT f.value AS "from", m.value AS max, a.value AS mean, l.value AS lost, t.value AS at
  FROM s, json_each(s, '$.binades.from') f JOIN json_each(s, '$.binades.max_ulp') m ON m.key = f.key
  JOIN json_each(s, '$.binades.mean_ulp') a ON a.key = f.key JOIN json_each(s, '$.binades.lost') l ON l.key = f.key
  JOIN json_each(s, '$.binades.at') t ON t.key = f.key),
answered AS (SELECT coalesce(sum(evaluated / 512 - 1), 0) + coalesce((SELECT s ->> '$.nans.answered' FROM s
    WHERE s ->> '$.nans.answered' = s ->> '$.nans.tried'), 0) AS answered FROM s, binade
  WHERE ("from" LIKE '%nan%' OR "from" LIKE '%inf') AND lost >= evaluated / 512 - 1)
SELECT evaluated, coalesce(s ->> 'max_ulp', s ->> 'largest_ulp') AS error, s ->> 'at' AS at, s ->> 'lost' AS lost,
  s ->> 'lost_at' AS lost_at,
  coalesce((s ->> '$.counts.sign') + (s ->> '$.counts.zero'), 0) AS odd, s ->> '$.counts.flushed' AS flushed, answered,
  max(0, (s ->> 'lost') - answered) + coalesce((s ->> '$.counts.sign') + (s ->> '$.counts.zero'), 0) AS wrong,
  (SELECT at FROM binade WHERE max > 16 + 32 * mean ORDER BY max DESC) AS alone, s ->> 'status' <> 'ok' AS broken
FROM s, answered;

CREATE TEMP TABLE verdict AS
WITH seen AS (
  SELECT o.*, coalesce(s.wrong, 0) AS scan_wrong, max(coalesce(s.flushed, 0), coalesce(o.flushed, 0)) AS all_flushed,
    max(coalesce(s.answered, 0), coalesce(o.answered, 0)) AS all_answered,
    coalesce(s.error > (SELECT far FROM rule), 0) AS scan_far,
    s.alone IS NOT NULL AS scan_alone, coalesce(s.broken, 0) AS broken, coalesce(2 * s.wrong > s.evaluated,
      0) AS scan_most
  FROM own o LEFT JOIN scan s ON 1),
headed AS (
  SELECT *, CASE WHEN status = 'unbuilt' THEN 'Not built'
    WHEN status = 'skipped' OR reason LIKE 'the reference of % ended so, not the kernel' THEN 'Nothing to compare'
    WHEN NOT ok OR broken THEN 'Wrong'
    WHEN coalesce(compared, 0) = 0 AND coalesce(wrong, 0) = coalesce(answered, 0) THEN 'Nothing to compare'
    WHEN scan_most OR 2 * (wrong - answered) > elements THEN 'Wrong'
    WHEN NOT right OR scan_wrong > 0 OR scan_far OR scan_alone THEN 'Wrong on some inputs'
    WHEN unanswered THEN 'Right as far as it was measured'
    WHEN all_answered > 0 THEN 'Right but for NaN among its inputs' WHEN all_flushed > 0
      THEN 'Right but for subnormal results'
    ELSE 'Right' END AS heading
  FROM seen, (SELECT json_array_length(document, '$.unanswered') > 0 AS unanswered FROM given))
SELECT *, heading NOT LIKE 'Right%' AS falls, heading = 'Right as far as it was measured' AS partial FROM headed;

-- What may be advised: it does no harm beside the unflagged build and gives up no more than was allowed. Where there is
-- nothing to stand beside, the user's own build alone.
CREATE TEMP TABLE fit AS SELECT b.*, b.id = own.id AS own FROM build b, own
WHERE b.ok AND b.fault IS NULL AND b.refused IS NULL AND (b.harmless OR b.id = own.id AND NOT coalesce(b.beside, 0));

-- The fastest of them; less than 2% are no reason to leave the user's own, or to give something up. Of a function that
-- is wrong, a build that is right on all that was tried, if its own is not; else one that is faster and in nothing
-- worse. Where only the scan knows, there is nothing to tell them by.
CREATE TEMP TABLE advice AS
WITH good AS (
  SELECT f.* FROM fit f, verdict v, rule WHERE f.ns > 0 AND (NOT v.falls OR (f.right AND NOT v.right)
    OR (v.heading = 'Wrong on some inputs' AND NOT v.right AND f.ns < equal * v.ns AND f.error <= v.error
      AND f.wrong <= v.wrong AND coalesce(f.mean <= v.mean, 1)
      AND NOT EXISTS(SELECT 1 FROM fit g WHERE g.right AND g.ns > 0 AND NOT v.right)))),
mine AS (SELECT * FROM good WHERE own),
kept AS (SELECT good.* FROM good, rule WHERE gives_up IS NULL AND ns < coalesce(equal * (SELECT ns FROM mine), 9e999)
  ORDER BY ns LIMIT 1),
first AS (SELECT * FROM kept UNION ALL SELECT * FROM mine WHERE NOT EXISTS(SELECT 1 FROM kept)),
giving AS (SELECT good.* FROM good, rule WHERE gives_up IS NOT NULL AND ns <
    coalesce(equal * (SELECT ns FROM first), 9e999)
  ORDER BY ns LIMIT 1),
best AS (SELECT * FROM giving UNION ALL SELECT * FROM first WHERE NOT EXISTS(SELECT 1 FROM giving))
SELECT b.*, CASE WHEN NOT v.falls THEN 'Ship' WHEN b.right AND NOT v.right THEN 'Right instead'
  ELSE 'Least bad' END AS word
FROM best b, verdict v;

-- The fastest build that is faster than the best and was not advised; how fast the fastest of each kind beside it is.
CREATE TEMP TABLE best AS SELECT b.id, b.ns FROM build b, verdict v
WHERE b.id = coalesce((SELECT id FROM advice), v.id) AND b.ns > 0;
CREATE TEMP TABLE passed AS SELECT b.id FROM build b, best, rule, verdict v
WHERE b.ok AND b.id <> v.id AND (b.harmless IS NOT 1 OR b.refused IS NOT NULL) AND b.ns < equal * best.ns
ORDER BY b.ns LIMIT 1;
CREATE TEMP TABLE rival AS SELECT kind, t.id, min(t.ns) AS ns, CASE WHEN best.ns > much * min(t.ns) THEN 'much faster'
  WHEN min(t.ns) < equal * best.ns THEN 'faster' WHEN best.ns < equal * min(t.ns) THEN 'slower'
  ELSE 'as fast' END AS speed
FROM time t, rule LEFT JOIN best WHERE is_main AND kind IN ('plain', 'lab', 'library') GROUP BY kind;

-- The document's fields that follow. Rows of accuracy and invariance stand for all builds of one machine code.
CREATE TEMP TABLE judged AS
WITH
worst AS (SELECT id, record -> 'max_at' AS max_at, family, n, max(record ->> 'max_ulp') AS max_ulp FROM held
  GROUP BY id),
wrong AS (SELECT id, record -> 'wrong_at' AS at, family, n,
    min(iif(wrong > answered, place, iif(wrong > 0, place + 1e6, 1e9))) FROM held GROUP BY id),
-- The first result that differs beside the unflagged build, and the first NaN of other sign or payload.
located AS (SELECT id, place, record -> '$.beside.at' AS at, record -> '$.beside.payload_at' AS payload_at,
  record ->> '$.beside.payloads' AS payloads, json_object('family', family, 'n', n) AS which FROM held),
beside_at AS (SELECT id, sum(payloads) AS payloads,
  (SELECT json_patch(at, which) FROM located a WHERE a.id = l.id AND json_type(at) = 'object'
    ORDER BY place) AS beside_at,
  (SELECT json_patch(payload_at, which) FROM located a WHERE a.id = l.id AND json_type(payload_at) = 'object'
    ORDER BY place) AS payload_at FROM located l GROUP BY id),
counts AS (
  SELECT id, json_group_object(key, n) AS counts FROM (SELECT c.id, k.key, sum(k.value) AS n FROM held c,
    json_each(c.record, '$.counts') k WHERE c.wrong > 0 OR c.flushed > 0 GROUP BY c.id, k.key) GROUP BY id),
lost_in AS (SELECT id, json_group_object(family, wrong) AS lost_in FROM (
  SELECT id, family, sum(wrong) AS wrong FROM held WHERE wrong > 0 GROUP BY id, family) GROUP BY id),
means AS (
  SELECT id, iif(sum(lost) > 0, NULL, sum((record ->> 'mean_ulp') * elements) / sum(elements)) AS mean_ulp,
    max(iif(unit = 'u', error, record ->> 'scaled_error')) AS scaled, max(unit = 'u') AS near_zero FROM held
  WHERE bits IS NOT NULL GROUP BY id),
signs AS (SELECT id, group_concat(bits) AS bits, group_concat(numbers) AS numbers,
    digest(hash_of(family, n, elements, numbers)) AS results,
    digest(hash_of(family, n, record ->> 'grid')) AS inputs, min(place) AS first
  FROM (SELECT * FROM cell WHERE id IN (SELECT code FROM listed) ORDER BY id, family, n) WHERE bits IS NOT NULL
    GROUP BY id),
results_of AS (SELECT id, json_group_object(family, hash) AS results_of FROM (
  SELECT id, family, substr(digest(hash_of(n, elements, numbers)), 1, 8) AS hash FROM cell WHERE bits IS NOT NULL
    GROUP BY id, family) GROUP BY id),
number AS (
  SELECT id, dense_rank() OVER (ORDER BY b) AS bits, dense_rank() OVER (ORDER BY n) AS numbers, results, inputs FROM (
    SELECT l.id, results, inputs, min(l.place) OVER (PARTITION BY bits) AS b,
      min(l.place) OVER (PARTITION BY numbers) AS n
    FROM signs JOIN listed l ON l.code = signs.id)),
times AS (SELECT id, json_group_object(shape, json(record)) AS times FROM time GROUP BY id),
places AS (
  SELECT i.value ->> 'id' AS id, json_object('run', i.value -> 'run', 'threads', i.value -> 'threads', 'row_position',
    i.value -> 'row_position', 'batch', i.value -> 'batch', 'tail', i.value -> 'tail') AS answers
  FROM given, json_each(document, '$.facts.invariance') i WHERE i.value ->> 'status' = 'ok'),
-- Rows that overflow are told here, and judged nowhere.
families AS (SELECT id, json_group_object(family, error) AS families FROM (
  SELECT id, family, max(max(coalesce(record ->> iif(unit = 'u', 'scaled_error', 'max_ulp'), error),
    coalesce(error, 0)))
    AS error FROM cell WHERE family <> 'input' GROUP BY id, family) WHERE error IS NOT NULL GROUP BY id),
full AS (
  SELECT json_group_array(json(json_patch(b.record, json_object('status', b.status, 'reason', coalesce(substr(b.reason,
    1, ifnull(nullif(instr(b.reason, '; write a line into it'), 0) - 1, 9999)), ''),
    'failed_family', b.failed_family, 'failed_n', b.failed_n, 'max_ulp', w.max_ulp, 'max_at', json(w.max_at),
    'worst_family', iif(w.max_ulp IS NULL, NULL, w.family), 'worst_n', iif(w.max_ulp IS NULL, NULL, w.n), 'error',
      b.error,
    'mean_error', iif(b.mean < 9e999, b.mean, NULL), 'unit', b.unit, 'mean_ulp', m.mean_ulp,
    'infinite', iif(b.lost > 0, json(iif(b.mean = 9e999, '["mean_ulp", "mean_error"]', '["mean_ulp"]')), NULL),
      'scaled_error', m.scaled,
    'near_zero', iif(m.near_zero IS NULL, NULL, json(iif(m.near_zero, 'true', 'false'))), 'families', json(f.families),
    'elements', b.elements, 'compared', b.compared, 'lost', b.lost, 'wrong', b.wrong, 'answered', b.answered,
    'wrong_at', iif(b.wrong > 0, json_patch(json(g.at), json_object('family', g.family, 'n', g.n)), NULL),
    'lost_in', json(i.lost_in), 'counts', json(c.counts), 'gives_up', b.gives_up, 'refused', b.refused,
    'lost_here', coalesce(b.lost_here, 0), 'changed', b.changed,
    'harm', iif(b.harmless, NULL, b.why), 'fault', b.fault,
    'deleted', iif(b.worse, d.what, NULL), 'beside_at', json(s.beside_at), 'payloads', s.payloads,
    'payload_at', json(s.payload_at), 'alone', json(b.alone), 'bits', n.bits, 'numbers', n.numbers,
    'results', n.results, 'inputs', n.inputs, 'results_of', json(r.results_of), 'times', json(t.times),
    'invariance', json(p.answers))))) AS builds
  FROM (SELECT * FROM build ORDER BY place) b LEFT JOIN worst w ON w.id = code LEFT JOIN wrong g ON g.id = code
  LEFT JOIN counts c ON c.id = code LEFT JOIN lost_in i ON i.id = code LEFT JOIN means m ON m.id = code
  LEFT JOIN number n ON n.id = b.id LEFT JOIN times t ON t.id = b.id LEFT JOIN places p ON p.id = code
  LEFT JOIN families f ON f.id = code LEFT JOIN results_of r ON r.id = code
  LEFT JOIN deleted d ON d.id = b.id LEFT JOIN beside_at s ON s.id = code),
others AS (SELECT json_group_array(json(json_patch(o.value, json_object('times', json(t.times))))) AS others
  FROM given, json_each(document, '$.others') o LEFT JOIN times t ON t.id = o.value ->> 'id')
SELECT json_object('builds', json(f.builds), 'others', json(o.others),
  'copy', json_patch(document -> 'copy', json_object('times', (SELECT json(times) FROM times
    WHERE id = document ->> '$.copy.id'))),
  'own', v.id, 'advised', (SELECT id FROM advice), 'verdict', json_object('heading', v.heading, 'falls',
    json(iif(v.falls, 'true', 'false')), 'partial', json(iif(v.partial, 'true', 'false')),
    'advice', (SELECT word FROM advice), 'error', v.error, 'unit', v.unit,
    'wrong', max(coalesce(v.wrong - v.answered, 0), v.scan_wrong), 'answered', v.all_answered, 'flushed', v.all_flushed,
    'alone', (SELECT alone FROM scan),
    'far', json(iif(v.error > (SELECT far FROM rule), 'true', 'false')), 'passed_over', (SELECT id FROM passed),
    'beside', json((SELECT json_group_object(kind, speed) FROM rival WHERE EXISTS(SELECT 1 FROM best))),
    'fit', json((SELECT json_group_array(id) FROM fit))),
  'next', json_object('own', json_object('ns', v.ns, 'ok', json(iif(v.ok, 'true', 'false')), 'error', v.error,
    'text', printf('largest error %s %s (%s %s)', digits(v.error, 3), v.unit, v.cc, v.policy)),
    'to_time', json((SELECT json_group_array(id) FROM (SELECT v.id AS id
    UNION SELECT document ->> '$.copy.id'
    UNION SELECT id FROM advice UNION SELECT id FROM rival) WHERE id IS NOT NULL)))) AS fields
FROM given, full f, others o, verdict v;
