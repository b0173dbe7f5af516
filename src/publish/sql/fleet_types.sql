-- SPDX-License-Identifier: MIT
-- The types of a fleet, of the lines of its file (fleet.sql).
INSERT INTO types(place, name, features, nodes, way)
SELECT row_number() OVER (ORDER BY at) - 1, part ->> 0, part ->> 1, part ->> 2, part ->> 3
FROM (SELECT rowid AS at, '["' || replace(line, char(9), '","') || '"]' AS part FROM lines)
WHERE iif(json_valid(part), part ->> 3, NULL) IS NOT NULL;
