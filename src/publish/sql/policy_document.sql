-- SPDX-License-Identifier: MIT
-- The document of policy --json (render/rows.h).
SELECT 0 AS "", document -> '$.machine' AS "machine:json", max_ulp AS bar,
  coalesce((SELECT group_concat(op, ', ') FROM (
    SELECT op FROM policy_changes JOIN judged USING (cc, policy) WHERE op IS NOT NULL AND policy_changes.unit = 'ulp'
    AND policy = 'off' AND cc = (SELECT cc FROM judged ORDER BY place LIMIT 1) ORDER BY op)), '') AS ulp_over,
  EXISTS(SELECT 1 FROM cases) AS "cases_measured:bool", (SELECT why FROM advice) AS why,
  i.pairs AS "identical_code.pairs",
  i.median AS "identical_code.median", i.p90 AS "identical_code.p90", i.p95 AS "identical_code.p95",
  i.p99 AS "identical_code.p99", i.side_by_side AS "identical_code.side_by_side:bool", asked.folder
FROM runs r, asked JOIN identical i ON i.run = r.id;
SELECT 0 AS losses, v.id, l.lost, l.nan, l.inf, iif(l.scanned, 'scan', 'accuracy') AS over
FROM losses l JOIN named v USING (variant) ORDER BY l.cc, l.policy, l.place;
SELECT 0 AS flushes, v.id, l.flushed, iif(l.scanned, 'scan', 'accuracy') AS over
FROM flushes l JOIN named v USING (variant) ORDER BY l.cc, l.policy, l.place;
SELECT 0 AS policies, j.cc, j.policy, j.flags, j.speed,
  iif(j.low IS NULL, NULL, json_array(j.low, j.high)) AS "speed_interval:json", j.cells, j.left_out,
  j.overall AS speed_overall, j.overall_cells AS speed_overall_cells, j.max_ulp, j.mean_ulp,
  j.cases AS "cases_broken:json", s.isa AS "stable.isa:bool",
  s.over_cc AS "stable.cc:bool", s.tail AS "stable.tail:bool", s.threads AS "stable.threads:bool",
  json_array(CAST(coalesce(s.isas, 0) AS INTEGER), coalesce(s.all_isas, 0)) AS "stable_kernels.isa:json",
  json_array(CAST(coalesce(s.ccs, 0) AS INTEGER), coalesce(s.all_ccs, 0)) AS "stable_kernels.cc:json",
  json_array(CAST(coalesce(s.tails, 0) AS INTEGER), coalesce(s.all_tails, 0)) AS "stable_kernels.tail:json",
  json_array(CAST(coalesce(s.teams, 0) AS INTEGER), coalesce(s.all_teams, 0)) AS "stable_kernels.threads:json",
  j.error AS "error.ratio", j.worst AS "error.worst", coalesce(j.worst_kernel, '') AS "error.kernel",
  j.worst_error AS "error.its",
  j.worst_off AS "error.off", j.unit AS "error.unit", j.measured AS "error.kernels", j.changed AS "error.changed",
  j.losing AS "error.losing", j.same_code, j.kernels AS kernels_changed, j.unchanged AS kernels_unchanged, j.operations,
  (SELECT json_group_array(json_object('code', k.name, 'speed', g.speed, 'low', g.low, 'high', g.high, 'least',
    g.least, 'most', g.most,
      'cells', g.cells,
      'same_code', g.same_code, 'kernels', g.kernels, 'operations', g.operations)) FROM policy_gains g
        JOIN code_kinds k USING (kind)
    WHERE g.op IS NULL AND g.cc = j.cc AND g.policy = j.policy) AS "by_code:json",
  j.lost, coalesce(s.kernels, '[]') AS "kernels:json", j.broken AS wrong, j.contracts AS "contracts:bool",
  j.safe AS "safe:bool",
  nullif(j.same_bits_as, j.policy) AS same_bits_as, nullif(nullif(j.code, ''), j.policy) AS same_code_as,
  v.pareto AS "pareto:bool", j.objection = '' AS "allowed:bool", j.objection, v.verdict
FROM judged j JOIN verdicts v USING (place) LEFT JOIN policy_stable s USING (cc, policy) ORDER BY j.place;
SELECT 0 AS types, cc, policy, code, dtype, speed, low, high, cells FROM type_gains ORDER BY cc, policy, code, dtype;
SELECT 0 AS "recommended{}", cc, policy, flags, (SELECT why FROM advice) AS why FROM judged JOIN recommended
  USING (place);
