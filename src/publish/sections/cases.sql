-- SPDX-License-Identifier: MIT
-- The case studies: the report, the results of this CPU, and the records' tables and charts. :document is 0 for
-- `ulplab case run`.
SELECT 0 AS "words|Numerical failures that others reported, reproduced by the lab's kernels on this CPU. `ulplab case
  run NAME` runs one." FROM cases WHERE :document LIMIT 1;
SELECT coalesce(name, '') AS "case|{text}%s", coalesce(verdict, '') AS "verdict|{text}%s",
  coalesce(record ->> 'mechanism', '') AS "mechanism|{text}%s", coalesce(record ->> 'remedy', '') AS "remedy|{text}%s",
  coalesce(price, '') AS "its price|{text}%s" FROM cases WHERE :document ORDER BY id;

SELECT id AS each, name, verdict, status, record, row_number() OVER (ORDER BY id) - 1 AS i FROM cases ORDER BY id;
SELECT coalesce(:name, '') || ': ' || coalesce(:verdict, '')
  || iif(:brief, coalesce(': ' || nullif(:record ->> 'reason', ''), '')
  || coalesce(', ' || nullif(:status, 'ok'), ''), '') AS heading;
SELECT 0 AS each WHERE NOT :brief;
SELECT :status AS "words|Status: **%s**" WHERE :status <> 'ok' AND :status <> '';
SELECT column2 AS "note|%m%s", :record ->> column1 FROM (VALUES('summary', ''), ('title', ''), ('reason', '**Why:** '),
  ('reported', '**Reported:** '), ('mechanism', '**Mechanism:** '), ('remedy', '**Remedy:** '),
  ('price', '**Its price:** '),
  ('why', '**Why:** ')) WHERE (:record ->> column1) <> '';
SELECT '' AS note WHERE NOT :document AND json_array_length(:record, '$.checks');
SELECT c.key AS line, iif(c.value ->> 'holds', 1, 2) AS tint, n.column2 AS across, n.column3 AS place,
  iif(json_type(c.value, '$.' || n.column1) = 'text', 'text', '') AS "|{}%s", shown(c.value -> ('$.' || n.column1))
FROM json_each(:record, '$.checks') c, (VALUES('what', 'check', 1), ('expected', 'expected', 2),
  ('measured', 'measured here', 3), ('holds', 'holds', 4)) n WHERE c.type = 'object' AND c.key < 60 ORDER BY c.key,
  n.column3;
-- The expected and measured values of a record without checks.
SELECT column2 AS "words|**%s:** %s", shown(:record -> column1)
FROM (VALUES('expected', 'Expected'), ('measured', 'Measured'))
WHERE coalesce(json_array_length(:record, '$.checks'), 0) = 0
  AND coalesce(:record -> column1, 'null') NOT IN ('null', '{}');
-- For a record without tables and curves its rows are drawn.
SELECT 'case-' || :i AS chart, :name AS label WHERE coalesce(json_array_length(:record, '$.curves'), 0)
  + coalesce(json_array_length(:record, '$.tables'), 0) = 0;
SELECT 'case-' || :i || '-' || key AS chart, coalesce(value ->> 'title', '') AS label
  FROM json_each(:record, '$.curves') WHERE type = 'object';

SELECT key AS each, value AS tab, value ->> 'caption' AS caption, json_array_length(value, '$.rows') AS "rows"
FROM json_each(:record, '$.tables') WHERE type = 'object' AND json_array_length(value, '$.rows');
SELECT '' AS note WHERE NOT :document;
SELECT :caption || ':' AS words;
SELECT r.key AS line, c.value ->> 'label' AS across, c.key AS place,
  iif(json_type(r.value, '$."' || (c.value ->> 'key') || '"') = 'text', 'text', '') AS "|{}%s",
  shown(r.value -> ('$."' || (c.value ->> 'key') || '"'))
FROM json_each(:tab, '$.rows') r, json_each(:tab, '$.columns') c
  WHERE r.type = 'object' AND c.type = 'object' AND r.key < 60 AND c.key < 24 ORDER BY r.key, c.key;
SELECT :rows AS "words|60 of %d rows; all are in cases.jsonl." WHERE :rows > 60;
SELECT 0 AS "end";
-- A record without tables: its rows with all their fields.
SELECT r.key AS line, f.key AS across, min(r.key * 100 + f.id) OVER (PARTITION BY f.key) AS place,
  iif(f.type = 'text', 'text', '') AS "|{}%s", shown(r.value -> ('$."' || f.key || '"'))
FROM json_each(:record, '$.rows') r, json_each(iif(r.type = 'object', r.value, '{}')) f
WHERE :document AND coalesce(json_array_length(:record, '$.tables'), 0) = 0 AND r.key < 60 ORDER BY r.key, f.id;
SELECT json_array_length(:record, '$.rows') AS "words|60 of %d rows; all are in cases.jsonl."
WHERE :document AND coalesce(json_array_length(:record, '$.tables'), 0) = 0
  AND json_array_length(:record, '$.rows') > 60;
SELECT '' AS note WHERE NOT :document;
SELECT 0 AS "end";
SELECT 0 AS "end";
