-- SPDX-License-Identifier: MIT
-- A fleet (cmd/fleet.c). lines: what a command printed, or a file holds. types: a line of FOLDER/types each: the type's
-- name, which can be a file's; its nodes' features, joined by &, or their partition, - for none; how many nodes; which
-- of the two tells types apart; its state, and the last line of its state file.
CREATE TABLE lines(line TEXT);
CREATE TABLE types(place INTEGER PRIMARY KEY, name TEXT, features TEXT, nodes INTEGER, way TEXT,
  state TEXT DEFAULT 'missing', last TEXT DEFAULT '');
CREATE TABLE submitted(submitted INTEGER);
CREATE VIEW type_lines AS SELECT printf('%s' || char(9) || '%s' || char(9) || '%d' || char(9) || '%s' || char(10), name,
  features, nodes, way) AS line FROM types ORDER BY place;
-- The exit code of `collect`, and the reason.
CREATE TEMP VIEW gate AS
SELECT 3 AS code, printf('fleet: %d of %d types are missing: %s is %s (%s); ''ulplab fleet submit'' submits '
    || 'these', count(*), (SELECT count(*) FROM types), name, state, iif(last = '', 'it never ran', last)) AS text,
  min(place)
FROM types WHERE state <> 'done' HAVING count(*);
