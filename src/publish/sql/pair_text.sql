-- SPDX-License-Identifier: MIT
-- Two variants that were timed in turns, for people (found.sql): b over a.
SELECT iif(record ->> 'ratio' IS NULL, printf('%s against %s: no ratio: no majority of the processes agrees',
  record ->> 'b', record ->> 'a'),
  printf('%s takes %.4f [%.4f, %.4f] times as long as %s: %s (%s, %d processes)', record ->> 'b', record ->> 'ratio',
    record ->> 'low', record ->> 'high', record ->> 'a', record ->> 'verdict', record ->> 'block',
    record ->> 'processes')) AS note FROM found WHERE list = 'pair';
SELECT printf('two-modes: %d of %d processes are off the majority', record ->> 'off', record ->> 'processes') AS note
FROM found WHERE list = 'pair' AND record -> 'flags' IS NOT NULL;
SELECT '  ' || (r.record ->> 'variant') || ': ' || (
  SELECT group_concat(digits(value ->> 'ns_per_row', 4) || ' ns x' || (value ->> 'processes'), ', ')
  FROM json_each(r.record, '$.modes')) AS note
FROM found r JOIN found p ON p.list = 'pair' AND p.record -> 'flags' IS NOT NULL
WHERE r.list = 'rows' AND r.record ->> 'modes' IS NOT NULL ORDER BY r.place;
