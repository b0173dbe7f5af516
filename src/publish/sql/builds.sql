-- SPDX-License-Identifier: MIT
-- Which builds has a trial's small lab, and what stands beside them? `given` has the trial's document, whose `facts`
-- have the variants of `list`, the user's compiler and his flags (study/trial.h). Files that no compiler took have no
-- operation, but their objects' paths tell them; an object of the lab may have kernels of two operations.
CREATE TEMP TABLE builds AS
WITH variant AS (
  SELECT key AS place, value AS v, value ->> 'id' AS id, value ->> 'cc' AS cc, value ->> 'policy' AS policy,
    value ->> 'status' AS status, nullif(value ->> 'code_hash', '') AS hash, value ->> 'algorithm' AS algorithm,
    value ->> 'arithmetic' AS arithmetic, value ->> 'op' = document ->> '$.subject.op' AS of_op,
    value ->> 'object' GLOB '*_yours.o' AS yours, value ->> 'object' GLOB '*_mine.o' AS mine,
    value ->> 'object' GLOB '*_copy.o' AS copies
  FROM given, json_each(document, '$.facts.list')),
-- The flags that somebody would write to build it so: the command up to -c without what the lab adds, each word once,
-- as the policy's stand behind the user's own once more; then the user's own.
word AS (
  SELECT v.place, w.key AS at, w.value AS word, lag(w.value) OVER (PARTITION BY v.place ORDER BY w.key) AS before
  FROM variant v, json_each('[' || replace(json_quote(v ->> 'command'), ' ', '","') || ']') w WHERE yours OR mine),
written AS (
  SELECT place, min(at) AS at, word FROM word w
  WHERE word <> '' AND before IS NOT '-x' AND at < (SELECT min(at) FROM word c WHERE c.place = w.place AND word = '-c')
    AND (NOT word GLOB '-[WwIDMxof]*' AND NOT word GLOB '@*' AND word NOT LIKE '-std=%' AND word <> '-mtune=generic'
      OR flag_is_known(word))
  GROUP BY place, word
  UNION ALL SELECT place, 1e6 + f.key, f.value FROM given, variant, json_each(document, '$.facts.flags') f
  WHERE (yours OR mine) AND f.value LIKE '-%' AND NOT f.value GLOB '-[IDLW]*' AND NOT f.value GLOB '-isystem*'
    AND NOT f.value GLOB '-iquote*' AND NOT f.value GLOB '-include*' AND (yours OR NOT flag_is_known(f.value))),
build AS (
  SELECT v.*, nullif(iif(hash IS NULL, id, first_value(id) OVER (PARTITION BY hash ORDER BY place)), id) AS twin,
    (SELECT group_concat(word, ' ') FROM (SELECT word FROM written w WHERE w.place = v.place ORDER BY at)) AS flags
  FROM variant v WHERE yours OR mine),
base AS (SELECT coalesce(twin, id) AS id FROM given, build WHERE status = 'ok'
  ORDER BY policy = 'off' DESC, policy = 'off' AND cc = document ->> '$.facts.own_cc' DESC, place LIMIT 1),
other AS (SELECT json_object('id', id, 'cc', cc, 'code_hash', hash, 'algorithm', algorithm, 'arithmetic', arithmetic,
    'kind', CASE WHEN algorithm IN ('plain', 'glibc') THEN 'plain' WHEN algorithm = 'before' THEN 'before'
      WHEN arithmetic = 'library' THEN 'library' ELSE 'lab' END) AS record
  FROM (SELECT * FROM variant WHERE of_op AND NOT (yours OR mine OR copies) ORDER BY place))
SELECT json_object(
  'builds', (SELECT json_group_array(json_object('id', id, 'cc', cc, 'policy', policy,
      'yours', json(iif(yours, 'true', 'false')), 'status', status, 'reason', v ->> 'reason', 'flags', flags,
      'code_hash', hash, 'same_code', twin, 'object', v ->> 'object')) FROM (SELECT * FROM build ORDER BY place)),
  'others', (SELECT json_group_array(json(record)) FROM other),
  'copy', json_patch('{}', json_object('id', (SELECT id FROM variant WHERE of_op AND copies ORDER BY place))),
  'facts', json_set(json_remove(document -> 'facts', '$.list'), '$.base', (SELECT id FROM base))) AS fields
FROM given;
