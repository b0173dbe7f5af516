-- SPDX-License-Identifier: MIT
-- The speed of each policy relative to off, of an archive for runs that are named (lab.db:latest).
-- Over cells that off and the policy have, of kernels whose machine code the policy changes and
-- that are not wrong by design (hazards); each operation weighs the same.
-- speed, low, high: time under off over time under the policy, formed in each process, with its
-- interval of 95%. cells: that it is over. same_code: cells left out, whose code is the same.
WITH pair AS MATERIALIZED (
    SELECT f.id AS run, v.cc, v.policy, v.op, coalesce(p.low_ns, p.medians_ns) AS ns,
      coalesce(o.low_ns, o.medians_ns) AS off_ns,
      coalesce(x.hash = y.hash, 0) AS same
    FROM runs f JOIN cell_details p ON p.blob = f.timing AND p.status = 'ok'
    JOIN variants v ON v.id = p.variant AND v.policy <> 'off' AND v.cc <> 'lib'
    JOIN shapes s ON s.id = p.shape AND s.threads = 1 AND s.family = 'normal'
    JOIN variants w ON w.variant = replace(v.variant, '/policy=' || v.policy, '/policy=off')
    JOIN cell_details o ON o.blob = p.blob AND o.variant = w.id AND o.shape = p.shape
      AND o.status = 'ok'
    LEFT JOIN codes x ON x.blob = f.codegen AND x.variant = v.id
    LEFT JOIN codes y ON y.blob = f.codegen AND y.variant = w.id
    WHERE NOT EXISTS (SELECT 1 FROM error_sums e WHERE e.blob = f.accuracy AND e.variant = v.id
      AND e.hazard)),
  operation AS (
    SELECT run, cc, policy, by_process(ns, off_ns) FILTER (WHERE NOT same) AS speeds,
      sum(NOT same) AS cells, sum(same) AS same FROM pair GROUP BY run, cc, policy, op)
SELECT m.name AS machine, cc, policy, ratio(by_process(speeds)) AS speed,
  ratio_low(by_process(speeds)) AS low, ratio_high(by_process(speeds)) AS high,
  sum(cells) AS cells, sum(same) AS same_code
FROM operation o JOIN runs f ON f.id = o.run JOIN machine_names m ON m.id = f.machine
GROUP BY o.run, cc, policy ORDER BY 1, 2, speed DESC;
