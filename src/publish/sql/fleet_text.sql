-- SPDX-License-Identifier: MIT
-- The types of a fleet and their states, for people (fleet.sql).
SELECT state = 'done' AS tint, name AS type, nodes AS "nodes|{>1}", state, iif(last = '', '-', last) AS last FROM types
ORDER BY place;
