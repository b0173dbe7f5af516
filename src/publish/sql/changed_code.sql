-- SPDX-License-Identifier: MIT
-- Which kernels have other machine code in the newest run of a machine than in the one before?
WITH last AS (SELECT id, machine, codegen, row_number() OVER
  (PARTITION BY machine ORDER BY min(started, added) DESC, id DESC) AS age FROM runs)
SELECT m.name AS machine, v.variant FROM last a JOIN last b ON b.machine = a.machine AND b.age = 2
JOIN machine_names m ON m.id = a.machine JOIN codes x ON x.blob = a.codegen
JOIN codes y ON y.blob = b.codegen AND y.variant = x.variant
JOIN variants v ON v.id = x.variant WHERE a.age = 1 AND x.hash <> y.hash ORDER BY 1, 2;
