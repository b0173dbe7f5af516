-- SPDX-License-Identifier: MIT
-- Where do two CPUs give other bits for the same machine code?
SELECT DISTINCT x.variant, x.machine, y.machine AS other FROM accuracies x
JOIN machine_codes p ON p.run = x.run AND p.variant = x.variant
JOIN accuracies y ON y.variant = x.variant AND y.grid = x.grid AND y.machine > x.machine
JOIN machine_codes q ON q.run = y.run AND q.variant = y.variant AND q.code = p.code
WHERE y.bits <> x.bits ORDER BY 1, 2, 3;
