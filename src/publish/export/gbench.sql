-- SPDX-License-Identifier: MIT
-- google-benchmark's document (render/rows.h), without what a folder does not have: consumers take a field that is
-- present for a number. context: where and by which build the times were measured. benchmarks: a row per cell and
-- process, in nanoseconds of one call over all rows of the cell. Its name has the family where that is not the usual
-- one: names tell cells apart. A cell that failed has one row with error_occurred and, as google-benchmark writes it,
-- no iterations and a time of 0: a null would crash compare.py. One that was skipped stays out; one without processes
-- has one row.
SELECT 0 AS "context{}", iif(r.started = '', 'unknown', r.started) AS date, m.slug AS host_name, 'ulplab' AS executable,
  (SELECT json_group_array(json_object('type', iif(value ->> 'level' = 'L1', 'Data', 'Unified'), 'level',
      CAST(substr(value ->> 'level', 2, 1) AS INTEGER), 'size', value -> 'bytes', 'num_sharing', value -> 'shared_by'))
    FROM json_each(r.document, '$.machine.topology.caches')
    WHERE value ->> 'level' LIKE 'L%' AND value ->> 'bytes' > 0) AS "caches:json",
  '[]' AS "load_avg:json", b.version AS library_version, 'release' AS library_build_type, 1 AS json_schema_version,
  r.document ->> '$.machine.topology.processors' AS "num_cpus?",
  CAST(r.document ->> '$.machine.clocks.tsc_mhz' AS INTEGER) AS "mhz_per_cpu?", b."commit" AS ulplab_commit,
  m.brand AS "cpu_brand?", coalesce(m.label, '') AS label
FROM runs r JOIN machines m ON m.id = r.machine JOIN builds b ON b.id = r.build;
WITH
cell AS (
  SELECT v.variant || '/rows=' || s."rows" || '/n=' || s.n || '/threads=' || s.threads ||
      iif(s.family IN ('', 'normal'), '', '/family=' || s.family) AS name,
    row_number() OVER (ORDER BY v.cc = 'lib', c.place) - 1 AS family_index, c.ns * s.n AS ns,
    max(s."rows", 1) AS "rows",
    s.threads, c.cycles, c.percent, iif(json_array_length(d.medians_ns) > 0, d.medians_ns, NULL) AS medians_ns
  FROM cells c JOIN variants v ON v.id = c.variant JOIN shapes s ON s.id = c.shape
  JOIN cell_details d USING (blob, variant, shape))
SELECT 0 AS benchmarks, name, family_index, 0 AS per_family_instance_index, name AS run_name, 'iteration' AS run_type,
  json_array_length(coalesce(medians_ns, '[0]')) AS repetitions, key AS repetition_index, threads, 1 AS iterations,
  value * "rows" AS real_time, value * "rows" AS cpu_time, 'ns' AS time_unit, cycles AS "cycles_per_element?",
  percent AS "percent_of_limit?"
FROM cell JOIN json_each(coalesce(medians_ns, json_array(ns))) WHERE ns > 0 AND value > 0 ORDER BY family_index, key;
WITH failed AS (
  SELECT v.variant || '/rows=' || s."rows" || '/n=' || s.n || '/threads=' || s.threads ||
    iif(s.family IN ('', 'normal'), '', '/family=' || s.family) AS name, s.threads, c.place, d.status,
    d.status || iif(coalesce(d.reason, '') = '', '', ': ' || d.reason) AS message
  FROM cells c JOIN variants v ON v.id = c.variant JOIN shapes s ON s.id = c.shape JOIN cell_details d
    USING (blob, variant, shape)
  WHERE d.status NOT IN ('ok', 'skipped'))
SELECT 0 AS benchmarks, name, name AS run_name, 'iteration' AS run_type, 1 AS repetitions, 0 AS repetition_index,
  threads, 1 AS "error_occurred:bool", message AS error_message, 0 AS iterations, 0.0 AS real_time, 0.0 AS cpu_time,
  'ns' AS time_unit
FROM failed ORDER BY place;
