-- SPDX-License-Identifier: MIT
-- google-benchmark's `context`: where and by which build the times were measured.
SELECT iif(r.started = '', 'unknown', r.started) AS date, m.slug AS host_name, 'ulplab' AS executable,
  (SELECT json_group_array(json_object('type', iif(value ->> 'level' = 'L1', 'Data', 'Unified'), 'level',
      CAST(substr(value ->> 'level', 2, 1) AS INTEGER), 'size', value -> 'bytes', 'num_sharing', value -> 'shared_by'))
    FROM json_each(r.document, '$.machine.topology.caches')
    WHERE value ->> 'level' LIKE 'L%' AND value ->> 'bytes' > 0) AS "caches:json",
  '[]' AS "load_avg:json", b.version AS library_version, 'release' AS library_build_type, 1 AS json_schema_version,
  r.document ->> '$.machine.topology.processors' AS num_cpus,
  CAST(r.document ->> '$.machine.clocks.tsc_mhz' AS INTEGER) AS mhz_per_cpu, b."commit" AS ulplab_commit,
  m.brand AS cpu_brand, coalesce(m.label, '') AS label
FROM runs r JOIN machines m ON m.id = r.machine JOIN builds b ON b.id = r.build;
