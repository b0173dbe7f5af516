-- SPDX-License-Identifier: MIT
-- What does an ISA buy on each machine, by operation and, over all of them, by level of memory?
-- side, text: speed of the wider over the narrower with its interval, over how many cells, and the share of its limit
-- that the wider one reaches.
SELECT * FROM (
SELECT iif(wide = 'avx512', 'AVX-512 / AVX2', 'AVX2 / scalar') AS step, coalesce(op, 'all') AS operation, coalesce(level, 'all') AS "in",
  (SELECT z.name FROM temp.sides z WHERE z.side = i.side) AS across, i.side AS place,
  iif(low IS NULL, printf('%.2f', speed), printf('%.2f [%.2f, %.2f]', speed, low, high)) || printf(' of %d', cells) ||
    coalesce(printf(', %.0f%%', percent), '') AS "|%s"
FROM temp.side_isas i WHERE speed IS NOT NULL AND (level IS NULL OR op IS NULL OR wide = 'avx512')
ORDER BY wide DESC, op IS NOT NULL, op, instr('L1 L2 L3 DRAM', level), side)
UNION ALL SELECT NULL, NULL, NULL, name, side, NULL FROM temp.sides WHERE EXISTS(SELECT 1 FROM temp.side_isas);
