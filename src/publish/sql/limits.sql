-- SPDX-License-Identifier: MIT
-- The bandwidth and throughput of each CPU.
SELECT machine, name, level, isa, max(value) AS value, unit FROM limits_of_machines
WHERE threads = 1 AND name NOT LIKE 'sweep%'
GROUP BY machine, name, level, isa ORDER BY name, machine;
