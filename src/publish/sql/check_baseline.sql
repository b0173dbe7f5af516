-- SPDX-License-Identifier: MIT
-- The baseline that `ulplab check --update` writes (render/rows.h).
SELECT 0 AS "", 1 AS schema, json_group_object(name, json(builds)) AS "functions:json" FROM (SELECT name,
  json_group_object(cc, json_object('flags', flags, 'error', error, 'unit', unit, 'wrong', wrong, 'flushed', flushed,
    'elements', elements, 'inputs', inputs, 'results', results,
    'results_of', json(results_of), 'fault', fault)) AS builds
  FROM (SELECT * FROM checked WHERE status = 'ok' AND whole ORDER BY place, cc) GROUP BY place);
