-- SPDX-License-Identifier: MIT
-- The machine: the doctor's findings, what it is, the limits that were measured.
SELECT 0 AS "heading|Is it fit to measure? (ulplab doctor)" FROM runs LIMIT 1;
SELECT coalesce(f.value ->> 'check', '') AS "check",
  iif(f.value ->> 'severity' IN ('ok', 'note', 'warn', 'fail'), f.value ->> 'severity', '') AS "severity|{}%s",
  coalesce(f.value ->> 'severity', ''), shown(f.value -> 'value') AS "value|{text}%s",
  coalesce(f.value ->> 'remedy', '') AS "remedy|{text}%s" FROM runs, json_each(document, '$.findings') f
    WHERE f.type = 'object';

SELECT 0 AS "heading|What it is" FROM runs LIMIT 1;
SELECT iif(i.key IS NULL, o.key, o.key || ' ' || i.key) AS fact,
  iif(i.key IS NULL, shown(document -> ('$.machine.' || o.key)), shown(o.value -> ('$."' || i.key || '"')))
    AS "value|{text}%s"
FROM runs, json_each(document, '$.machine') o
LEFT JOIN json_each(iif(o.type = 'object', o.value, '{}')) i WHERE o.type <> 'object' OR i.key IS NOT NULL
ORDER BY o.id, i.id;

SELECT 0 AS "heading|Limits, measured in the same run" FROM runs LIMIT 1;
SELECT coalesce(name, '') AS "limit", coalesce(isa, '') AS "ISA", coalesce(level, '') AS level, value AS "value|%.4g",
  coalesce(unit, '') AS unit FROM limits ORDER BY id;
