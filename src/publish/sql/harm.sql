-- SPDX-License-Identifier: MIT
-- Is a build as good as an unflagged one of the same source? `given` has a document whose `facts` are: accuracy, rows
-- of `ulplab accuracy --beside ID`; base, that ID; allow, the words of --allow. This is the one rule for flags that
-- give something up, of `try` and of `flags`: a build does no harm if no result is wrong that the base computes; no
-- result changes between a number and NaN, infinity or zero, whatever the oracle says of it, as the source may have
-- meant it; and no family's largest or mean error grows beyond(error, base): over all inputs, and over those alone
-- where the base errs by at most half of the digits, 4096 (2^26 in double), so that no error which both have hides
-- another.
CREATE TEMP TABLE accuracy AS SELECT value AS record FROM given, json_each(document, '$.facts.accuracy');
CREATE TEMP TABLE base AS SELECT document ->> '$.facts.base' AS id FROM given;
CREATE TEMP TABLE allow AS SELECT value AS word FROM given, json_each(document, '$.facts.allow');
-- Each query below reads the document, of which these rows are the most.
UPDATE given SET document = json_remove(document, '$.facts.accuracy');
-- The thresholds for trials: an error beyond `far`, half of the digits, is wrong whatever its cause; a time of at
-- least `equal` times another is no reason to prefer it; `much` times as fast is remarkable.
CREATE TEMP TABLE rule AS SELECT iif(EXISTS(SELECT 1 FROM accuracy WHERE record ->> 'id' LIKE '%/dtype=f64/%'),
  1 << 26, 4096) AS far, 0.98 AS equal, 1.2 AS much;
CREATE TEMP TABLE cell AS
SELECT a.rowid AS place, record ->> 'id' AS id, record ->> 'family' AS family, record ->> 'n' AS n,
  record ->> 'status' AS status,
  iif(record ->> 'near_zero', 'u', 'ulp') AS unit, record ->> 'elements' AS elements, record ->> 'compared' AS compared,
  record ->> 'verdict' AS verdict, record -> 'counts' AS counts,
  record ->> 'lost' AS lost, record ->> 'wrong' AS wrong, record ->> 'answered' AS answered,
  coalesce(record ->> 'flushed', record ->> '$.counts.flushed') AS flushed, record ->> 'error' AS error,
  iif(instr(record ->> 'infinite', '"mean_error"'), 9e999, record ->> 'mean_error') AS mean, record ->> 'bits' AS bits,
  record ->> 'numbers' AS numbers, record ->> '$.beside.id' AS of, record ->> '$.beside.wrong' AS its_wrong,
  (record ->> '$.beside.nan') + (record ->> '$.beside.inf') + (record ->> '$.beside.zero') AS changed,
  record ->> '$.beside.nan' AS changed_nan, record ->> '$.beside.error' AS here, record ->> '$.beside.of_base' AS there,
  record ->> '$.beside.mean' AS here_mean, record ->> '$.beside.mean_of_base' AS there_mean, record
FROM accuracy a;
CREATE INDEX temp.cells_of_builds ON cell(id, family, n);
CREATE TEMP TABLE family AS
SELECT id, family, unit, max(error) AS error, n, sum(mean * elements) / sum(elements) AS mean, max(here) AS here,
  max(there) AS there,
  sum(here_mean * elements) / sum(elements) AS here_mean, sum(there_mean * elements) / sum(elements) AS there_mean
FROM cell WHERE bits IS NOT NULL GROUP BY id, family;
CREATE TEMP TABLE grown AS
WITH pair AS (SELECT f.*, b.error AS of_error, b.mean AS of_mean FROM base JOIN family b ON b.id = base.id
  JOIN family f USING (family)),
both(id, family, n, unit, what, error, of_base) AS (
  SELECT id, family, n, unit, 'largest error', error, of_error FROM pair
  UNION ALL SELECT id, family, n, unit, 'mean error', mean, of_mean FROM pair WHERE of_mean < 9e999 AND mean < 9e999
  UNION ALL SELECT id, family, n, unit, 'largest error (of results accurate without the flags)', here, there FROM pair
  UNION ALL SELECT id, family, n, unit, 'mean error (of results accurate without the flags)', here_mean, there_mean
    FROM pair)
SELECT *, beyond(error, of_base) AS beyond FROM both WHERE error > of_base;
-- Where the error grows most, for a record: it is infinite if results are lost; of two such places the one that loses
-- more comes first.
CREATE TEMP TABLE growth AS
WITH told AS (SELECT *, iif(lost > 0, 9e999, error) AS its FROM cell),
pair AS (SELECT r.*, b.its AS of_base, r.its - b.its AS more
  FROM base JOIN told b ON b.id = base.id JOIN told r USING (family, n))
SELECT * FROM (
  SELECT id, its AS error, of_base, unit, json_patch(json_object('family', family, 'n', n, 'lost', lost),
    iif(json_type(record, '$.max_at') = 'object', record -> 'max_at', '{}')) AS worst,
    row_number() OVER (PARTITION BY id ORDER BY more DESC, lost DESC, place) AS rank FROM pair WHERE more > 0)
WHERE rank = 1;
CREATE TEMP TABLE harm AS
WITH of_base AS (SELECT cell.* FROM base JOIN cell USING (id))
SELECT c.id, min(c.bits IS NOT NULL AND b.bits IS NOT NULL AND (c.of IS b.id OR c.id = b.id))
    AND count(*) = (SELECT count(*) FROM of_base) AS known,
  coalesce(sum(c.its_wrong), 0) AS wrong, coalesce(sum(c.changed), 0) AS changed,
  coalesce(sum(c.changed_nan), 0) AS changed_nan,
  sum(max(0, coalesce(c.flushed, 0) - coalesce(b.flushed, 0))) AS flushed, max(c.bits IS NOT b.bits) AS bits,
  max(c.verdict IS 'broken' AND b.verdict IS NOT 'broken') AS broken,
  max(c.family = 'input' AND (c.counts IS NOT b.counts OR c.lost IS NOT b.lost)) AS specials
FROM cell c LEFT JOIN of_base b USING (family, n) GROUP BY c.id;
-- The harm of a build: each kind with the word of --allow that permits it; `no-bits` demands equal bits.
CREATE TEMP TABLE reason AS
WITH worst AS (SELECT *, max(beyond) FROM grown GROUP BY id),
every(id, place, word, text) AS (
  SELECT id, 1, 'lost', iif(wrong = 1, '1 result is wrong that is right without the flags',
    grouped(wrong) || ' results are wrong that are right without the flags') FROM harm WHERE wrong > 0
  UNION ALL SELECT id, 2, 'lost', grouped(changed) || iif(changed = 1, ' result changes between a number and ',
    ' results change between a number and ') ||
    iif(changed_nan > 0, 'NaN', 'an infinity or a zero') FROM harm WHERE changed > 0
  UNION ALL SELECT id, 3, 'lost', 'it breaks a promise of the kernel''s file' FROM harm WHERE broken
  UNION ALL SELECT id, 4, 'errors', 'the ' || what || ' grows from ' || digits(of_base, 3) || ' to ' || digits(error, 3)
    || ' ' || unit || ' on family ' || family FROM worst WHERE beyond > 1
  UNION ALL SELECT id, 5, 'no-bits', 'it has other bits' FROM harm WHERE bits)
SELECT e.*, iif(word = 'no-bits', allow.word IS NOT NULL, allow.word IS NULL) AS refused
FROM every e JOIN harm USING (id) LEFT JOIN allow USING (word) WHERE known ORDER BY id, place;
CREATE TEMP TABLE judgement AS
SELECT h.*, EXISTS(SELECT 1 FROM reason r WHERE r.id = h.id AND word = 'errors') AS worse,
  known AND NOT EXISTS(SELECT 1 FROM reason r WHERE r.id = h.id AND word <> 'no-bits') AS harmless,
  iif(known, (SELECT group_concat(text, '; ') FROM reason r WHERE r.id = h.id AND word <> 'no-bits'),
    'there is no unflagged build to compare it with') AS why,
  known AND NOT EXISTS(SELECT 1 FROM reason r WHERE r.id = h.id AND refused) AS allowed,
  (SELECT group_concat(text, '; ') FROM reason r WHERE r.id = h.id AND refused) AS refusal, g.error, g.of_base,
  coalesce(g.unit, 'ulp') AS unit, g.worst
FROM harm h LEFT JOIN growth g USING (id);
-- The fields of a record of flags.jsonl that say what flags do (docs/contract.md, "flag"); '': of a build that could
-- not be measured.
CREATE TEMP VIEW effect AS
WITH truth("is", word) AS (VALUES (0, json('false')), (1, json('true')))
SELECT b.id, json_object('bits', json(bits.word), 'specials', json(specials.word), 'broken', json(broken.word),
  'lost', wrong, 'changed', changed, 'flushed', flushed, 'worse', json(worse.word), 'allowed', json(allowed.word),
  'why', iif(j.id IS NULL, 'its errors could not be measured', refusal), 'unit', coalesce(unit, 'ulp'),
  'worst', json(worst), 'error', nullif(error, 9e999), 'error_of_base', nullif(of_base, 9e999),
  'infinite', json(iif(error = 9e999, '["error"]', NULL))) AS fields
FROM (SELECT DISTINCT id FROM cell UNION SELECT '') b LEFT JOIN judgement j ON j.id = b.id AND known
  LEFT JOIN truth bits ON bits."is" = j.bits LEFT JOIN truth specials ON specials."is" = j.specials
  LEFT JOIN truth broken ON broken."is" = j.broken LEFT JOIN truth worse ON worse."is" = j.worse
  JOIN truth allowed ON allowed."is" = coalesce(j.allowed, 0);
