-- SPDX-License-Identifier: MIT
-- The document of archive show --json (render/rows.h).
SELECT 0 AS "", 1 AS schema;
SELECT 0 AS "run{}", c.run, c.machine, c."commit", nullif(c.started, '') AS started, c.mode, c.cells, c.bytes,
  c.cut AS "cut:bool", m.brand AS machine_brand, b.version, b.compilers, r.kernel, r.microcode, r.libraries, r.added,
  (SELECT count(*) FROM error_sums a WHERE a.blob = r.accuracy) AS errors,
  (SELECT count(*) FROM codes k WHERE k.blob = r.codegen) AS codes,
  (SELECT json_group_array(json_object('name', name, 'bytes', size)) FROM (SELECT f.name, x.size FROM files f
    JOIN blobs x ON x.id = f.blob WHERE f.run = r.id ORDER BY f.name)) AS "files:json"
FROM temp.chosen_runs c JOIN runs r USING (id) JOIN machines m ON m.id = r.machine JOIN builds b ON b.id = r.build;
