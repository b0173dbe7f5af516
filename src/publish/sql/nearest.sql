-- SPDX-License-Identifier: MIT
-- Which cells are nearest to their limit?
SELECT machine, variant, "rows", n, residency, round(percent) AS percent FROM timings
WHERE threads = 1 ORDER BY percent DESC, machine, variant, "rows", n, run LIMIT 20;
