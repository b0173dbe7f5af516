-- SPDX-License-Identifier: MIT
-- Adds a run to the index of a site. ?1: the document of site_run.sql; ?2: the CPU's name.
SELECT 4, 'site: a run''s machine has no name that a folder can have; measure it again with this version'
WHERE ?1 ->> '$.run.slug' IS NULL;
INSERT INTO temp.site_runs SELECT NULL, ?1 ->> '$.run.slug', ?2, ?1 ->> '$.run.started', ?1 ->> '$.run.version',
  ?1 ->> '$.run.commit', ?1 ->> '$.run.mode';
INSERT OR IGNORE INTO temp.pages SELECT NULL, (SELECT max(place) FROM temp.site_runs), ?1 ->> '$.run.slug',
  value ->> 'op', value ->> 'variants', value ->> 'algorithm', value ->> 'isa', value ->> 'cc', value ->> 'policy',
  value ->> 'ns', value ->> 'low', value ->> 'high', value ->> 'percent', value ->> 'error', value ->> 'unit'
FROM json_each(?1, '$.pages');
