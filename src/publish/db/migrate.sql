-- SPDX-License-Identifier: MIT
-- Statements that prepare an archive of an earlier version for today's tables, which are then filled from its records
-- again. Only the records, and the runs that they belong to, are kept.
SELECT group_concat(sql, '; ') FROM (
  SELECT printf('DROP VIEW "%w"', name) AS sql FROM sqlite_master WHERE type = 'view'
  UNION ALL SELECT printf('DROP TABLE "%w"', name) FROM sqlite_master
  WHERE type = 'table' AND name NOT IN ('blobs', 'builds', 'runs', 'files') AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
  UNION ALL SELECT 'ALTER TABLE runs ADD COLUMN ' || column1
  FROM (VALUES('timing INTEGER REFERENCES blobs'), ('folder TEXT'), ('document TEXT'), ('finished TEXT'),
    ('request TEXT'))
  WHERE substr(column1, 1, instr(column1, ' ') - 1) NOT IN (SELECT name FROM pragma_table_info('runs')));
