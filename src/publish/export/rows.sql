-- SPDX-License-Identifier: MIT
-- The records of errors, then of times, with those of libraries last in both; each begins with the axes of its
-- variant. Records of an earlier version are converted: today's names, flags, and for a cell in two modes the figures
-- of the majority.
SELECT 0 AS "rows", m.slug AS machine, b."commit" AS "commit", v.op, v.algorithm, v.dtype, v.isa, v.cc, v.policy,
  u.run, nullif(u.started, '') AS started, (SELECT value FROM json_each(b.compilers)
    WHERE key = v.cc) AS compiler_version,
  CASE WHEN d.modes IS NOT NULL AND r.record -> '$.modes' IS NULL THEN json_set(r.record, '$.ns_per_row', c.ns * s.n,
    '$.ns_per_element', c.ns, '$.ci_low', c.low * s.n, '$.ci_high', c.high * s.n, '$.cycles_per_element', c.cycles,
    '$.percent_of_limit', c.percent, '$.spread', c.spread, '$.gb_per_s', d.gb_per_s, '$.flops_per_s', d.flops_per_s,
    '$.modes', json(d.modes), '$.flags', json(d.flags))
  WHEN json_array_length(d.flags) > json_array_length(r.record, '$.flags')
    THEN json_set(r.record, '$.flags', json(d.flags), '$.limit', d.limit_name, '$.percent_of_limit', c.percent)
      ELSE r.record END AS "record:json"
FROM (
  SELECT rowid AS k, blob, variant, place, timed, json_remove(json_replace(record, '$.variant', named, '$.id',
    named || replace(substr(tail, instr(tail || '/', '/')), '/log=1', '')), '$.also', '$.log') AS record
  FROM (SELECT r.rowid, r.*, v.variant AS named, substr(r.id, instr(r.id, '/policy=') + length('/policy=')) AS tail
    FROM records r JOIN variants v ON v.id = r.variant)) r
JOIN variants v ON v.id = r.variant, runs u JOIN machines m ON m.id = u.machine JOIN builds b ON b.id = u.build
LEFT JOIN cells c ON r.timed AND c.blob = r.blob AND c.variant = r.variant AND c.place = r.place
LEFT JOIN cell_details d ON d.blob = c.blob AND d.variant = c.variant AND d.shape = c.shape
LEFT JOIN shapes s ON s.id = c.shape
WHERE iif(r.timed, c.place IS NOT NULL, r.variant IN (SELECT variant FROM error_variants))
ORDER BY r.timed, v.cc = 'lib', r.k;
