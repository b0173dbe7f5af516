-- SPDX-License-Identifier: MIT
-- What is a trial's small lab to be asked next? Filters of its variants, each OP/ALGORITHM/../cc=CC/policy=P by what
-- tells it from others there, of what fits into the 1,000 bytes of one. builds: of those of one machine code the first;
-- based: with the one that others stand beside; plain: with plain loops, too; all: builds beside the lab's kernels and
-- the copy that a function in place needs; timed: what is timed at all shapes; untried: what no experiment was made of.
-- A build that ended once is asked nothing more.
CREATE TEMP TABLE answered AS SELECT value ->> 'id' AS id, value ->> 'status' AS status, value ->> 'reason' AS reason
FROM given, json_each(document, '$.facts.accuracy');
-- Each query below reads the document, of which these rows are the most.
UPDATE given SET document = json_remove(document, '$.facts.accuracy');
CREATE TEMP TABLE asked AS
WITH build AS (
  SELECT key AS place, value AS record, value ->> 'id' AS id, coalesce(value ->> 'same_code', value ->> 'id') AS code,
    value ->> 'status' = 'ok' AND coalesce(value ->> 'same_code', value ->> 'id') NOT IN
      (SELECT id FROM answered WHERE status <> 'ok') AS sound
  FROM given, json_each(document, '$.builds')),
other AS (SELECT key AS place, value AS record, value ->> 'id' AS id, value ->> 'kind' AS kind
  FROM given, json_each(document, '$.others')),
wanted AS (
  SELECT column1 AS list, place, code AS id
    FROM build, (VALUES ('builds'), ('based'), ('plain'), ('all')) WHERE sound
  UNION ALL SELECT column1, -1, document ->> '$.facts.base' FROM given, (VALUES ('based'), ('plain'))
  UNION ALL SELECT 'plain', 1e6 + place, id FROM other WHERE kind = 'plain'
  UNION ALL SELECT 'all', 1e6 + place, id FROM other
  UNION ALL SELECT 'all', 1e9, document ->> '$.copy.id' FROM given
  UNION ALL SELECT 'timed', n.key, coalesce(code, n.value) FROM given, json_each(document, '$.next.to_time') n
    LEFT JOIN build b ON b.id = n.value
  UNION ALL SELECT 'untried', place, code FROM given, build WHERE sound AND record -> 'experiments' IS NULL
    AND id IN (document ->> 'own', document ->> 'advised')),
variant AS (SELECT list, min(place) AS place, id, substr(id, instr(id, '/') + 1) AS rest FROM wanted
  WHERE id IS NOT NULL GROUP BY list, id),
word AS (SELECT list, place, id, '/' || substr(rest, 1, instr(rest, '/')) || '.*=' ||
  substr(id, instr(id, '/cc=') + 4) || '$' AS word FROM variant),
-- A filter of thirty fits; there are twelve policies' builds, the user's, the copy, and a dozen others.
fitting AS (SELECT * FROM (SELECT *, sum(length(word) + 1) OVER (PARTITION BY list ORDER BY place, id) AS used
  FROM word) WHERE used < 960),
filter AS (SELECT list, 'op=' || substr(min(id), 1, instr(min(id), '/') - 1) || ' ' || group_concat(word, '|') AS filter
  FROM fitting GROUP BY list),
-- Whether the build that stands for the function ended with a fault of memory.
fault AS (SELECT count(*) > 0 AS fault FROM answered WHERE id LIKE '%/yours/%' =
    (SELECT max(id LIKE '%/yours/%') FROM answered)
  AND status = 'sigsegv' AND coalesce(reason, '') NOT LIKE 'the reference of %'),
-- The user's own builds beside those of the earlier version.
pair AS (SELECT b.place, json_object('build', b.place, 'pair', o.id || ',' || b.id,
    'same', json(iif(b.record ->> 'code_hash' = o.record ->> 'code_hash', 'true', 'false'))) AS record
  FROM build b JOIN other o ON o.kind = 'before' AND o.record ->> 'cc' = b.record ->> 'cc'
  WHERE sound AND b.record ->> 'yours')
SELECT json_object('asked', json_object('filters', (SELECT json_group_object(list, filter) FROM filter),
  'fault', json(iif(fault, 'true', 'false')),
  'before', (SELECT json_group_array(json(record)) FROM (SELECT * FROM pair ORDER BY place)))) AS fields FROM fault;
