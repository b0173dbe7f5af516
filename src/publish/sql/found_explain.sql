-- SPDX-License-Identifier: MIT
-- What variants spend their time on, for people (found.sql): a line for each of many; else the loops of one, or of
-- two and their differences.
CREATE TEMP VIEW many AS SELECT *, record ->> 'rows' * 1.0 * (record ->> 'n') AS elements FROM found_named
WHERE list = 'rows' AND record -> 'loops' IS NULL;
SELECT 'cycles per element, and instructions per vector of elements:' AS note FROM many LIMIT 1;
SELECT iif(status = 'ok', 0, 2) AS tint, id AS variant,
  printf('%.3f', (record ->> 'cycles') / elements) AS "cycles|{>}",
  iif(status = 'ok', (SELECT group_concat(digits(value, 3) || ' ' || key, ', ') FROM json_each(record, '$.counts')),
    status || ': ' || (record ->> 'reason')) AS instructions
FROM many ORDER BY at;

-- Loops with less than 1% of the instructions are left out.
SELECT place AS each, record FROM found WHERE list = 'rows' AND record -> 'loops' IS NOT NULL;
SELECT '' AS note WHERE :each;
SELECT :record ->> 'id' AS note;
SELECT printf('%d x %d, %s: %s ns, %.0f cycles a call, %.3f an element', :record ->> 'rows', :record ->> 'n',
  :record ->> 'family', digits(:record ->> 'ns', 3), :record ->> 'cycles',
  (:record ->> 'cycles') / (:record ->> 'rows') / (:record ->> 'n')) AS note;
SELECT printf('with subnormals flushed to zero it takes %.2f times as long',
  (:record ->> 'cycles_flushed') / (:record ->> 'cycles')) AS note
WHERE :record ->> 'cycles_flushed' < 0.9 * (:record ->> 'cycles');
SELECT printf('%.0f%% of the instructions are in %s%s', 100 * (:record ->> 'library_share'), :record ->> 'library',
  coalesce(', ' || (:record ->> 'function'), '')) AS note WHERE :record ->> 'library' <> '';
SELECT printf('%.0f%% of the instructions have forms that were not measured: their cost is a guess',
  100 * (:record ->> 'unmeasured')) AS note WHERE :record ->> 'unmeasured' > 0.02;
SELECT printf('only the call''s first %d instructions were followed', :record ->> 'steps') AS note
WHERE :record ->> 'cut';
SELECT 0 AS each, value AS loop FROM json_each(:record, '$.loops') WHERE value ->> 'share' >= 0.01;
SELECT '' AS note;
SELECT iif(:loop ->> 'loop', printf('loop, %.0f%% of the instructions, %d passes: ', 100 * (:loop ->> 'share'),
    :loop ->> 'passes'), printf('outside loops, %.0f%% of the instructions: ', 100 * (:loop ->> 'share')))
  || (SELECT group_concat(digits(value, 3) || ' ' || key, ', ') FROM json_each(:loop, '$.counts')) AS note;
SELECT printf('  minimum cycles: vector pipes %.1f, loads %.1f, stores %.1f, general registers %.1f, front end '
  || '%.1f; %.0f bytes loaded, %.0f stored', :loop ->> 'pipes_cycles', :loop ->> 'load_cycles',
  :loop ->> 'store_cycles', :loop ->> 'general_cycles', :loop ->> 'slot_cycles', :loop ->> 'loaded_bytes',
  :loop ->> 'stored_bytes') AS note,
  4 AS indent WHERE :loop ->> 'loop';
SELECT coalesce(value ->> 'pipes', '') AS "pipes", coalesce(decimals(value ->> 'latency', 0), '') AS "latency|{>}",
  value ->> 'code' AS instruction
FROM json_each(:loop, '$.code') WHERE :loop ->> 'loop' AND :loop ->> 'share' >= 0.25
  AND EXISTS(SELECT 1 FROM found WHERE list = 'difference' AND record = 'null');
SELECT 0 AS "end";
SELECT 0 AS "end";

SELECT record AS each FROM found WHERE list = 'difference' AND record <> 'null';
SELECT '' AS note;
SELECT printf('the second takes %.3f times as long as the first', :each ->> 'ratio') AS note;
SELECT 'per vector: ' || (:each ->> 'words') AS note WHERE :each ->> 'words' <> '';
SELECT 'instructions per vector: ' || group_concat(printf('%s %.1f', key, value ->> 0)
  || iif(abs((value ->> 0) - (value ->> 1)) < 0.05, '', printf(' -> %.1f', value ->> 1)), ', ') AS note
FROM json_each(:each, '$.counts');
SELECT 0 AS "end";
SELECT 'both loops: < only the first, > only the second, | changed' AS note FROM found WHERE list = 'lines' LIMIT 1;
SELECT record ->> 0 AS "first", record ->> 1 AS " ", record ->> 2 AS "second" FROM found WHERE list = 'lines'
ORDER BY place;
