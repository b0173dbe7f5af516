-- SPDX-License-Identifier: MIT
-- Records of case studies for a terminal (render/query.h): verdicts; unless brief, what was reported, checked and measured.
SELECT id AS each, record FROM cases ORDER BY id;
SELECT (:record ->> 'name') || ': ' || (:record ->> 'verdict') || coalesce(': ' || nullif(:record ->> 'reason', ''), '')
  || coalesce(', ' || nullif(:record ->> 'status', 'ok'), '') AS note, 0 AS indent;
SELECT :record ->> 'title' AS note, 0 AS indent WHERE NOT :brief;
SELECT column2 || ': ' || nullif(:record ->> column1, '') AS note FROM (VALUES('reported', 'Reported'), ('mechanism', 'Mechanism'),
  ('remedy', 'Remedy'), ('price', 'Price')) WHERE NOT :brief;
SELECT '' AS note WHERE json_array_length(:record, '$.checks') AND NOT :brief;
SELECT iif(json_type(value, '$.holds') = 'true', 1, 2) AS tint, shown(value -> 'what') AS "check",
  shown(value -> 'expected') AS expected, shown(value -> 'measured') AS measured, shown(value -> 'holds') AS holds
FROM json_each(:record, '$.checks') WHERE NOT :brief ORDER BY key;

SELECT key AS each, value AS tab, json_array_length(value, '$.rows') AS "rows" FROM json_each(:record, '$.tables')
WHERE NOT :brief;
SELECT '' AS note;
SELECT (:tab ->> 'caption') || ':' AS note, 0 AS indent;
-- Columns of numbers end at one place.
WITH cell AS (
  SELECT r.key AS line, c.key AS place, c.value ->> 'label' AS label,
    shown(r.value -> ('$."' || (c.value ->> 'key') || '"')) AS text,
    json_type(:tab, '$.rows[0]."' || (c.value ->> 'key') || '"') IN ('integer', 'real') AS is_number
  FROM json_each(:tab, '$.rows') r, json_each(:tab, '$.columns') c WHERE r.key < 60)
SELECT line, printf('%*s', width, label) AS across, place, printf('%*s', width, text) AS "|%s" FROM (
  SELECT *, is_number * max(length(label), max(length(text)) OVER (PARTITION BY place)) AS width FROM cell)
ORDER BY line, place;
SELECT :rows - 60 AS "note|... and %d more rows in the JSON" WHERE :rows > 60;
SELECT 0 AS "end";
SELECT '' AS note WHERE NOT :brief;
SELECT 0 AS "end";
