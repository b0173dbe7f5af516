-- SPDX-License-Identifier: MIT
-- The statements by which an archive of an earlier version makes room for the tables of today, which are filled from
-- its records again: what is kept are the records, and which run has which.
SELECT group_concat(sql, '; ') FROM (
  SELECT printf('DROP VIEW "%w"', name) AS sql FROM sqlite_master WHERE type = 'view'
  UNION ALL SELECT printf('DROP TABLE "%w"', name) FROM sqlite_master
  WHERE type = 'table' AND name NOT IN ('blobs', 'builds', 'runs', 'files') AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
  UNION ALL SELECT 'ALTER TABLE runs ADD COLUMN ' || column1
  FROM (VALUES('timing INTEGER REFERENCES blobs'), ('folder TEXT'), ('document TEXT'), ('finished TEXT'),
    ('request TEXT'))
  WHERE substr(column1, 1, instr(column1, ' ') - 1) NOT IN (SELECT name FROM pragma_table_info('runs')));
