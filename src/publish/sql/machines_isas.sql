-- SPDX-License-Identifier: MIT
-- What does an ISA buy on each machine, by operation and level of memory, which of some runs is one of lengths?
SELECT 'These runs have no common cells for an ISA: figures of different machines cannot be compared.' AS words
FROM temp.comparable WHERE NOT isas AND (SELECT count(*) FROM temp.exact_sides) > 1;
SELECT * FROM (
SELECT coalesce(op, '') AS row_op, step, coalesce(op, 'all') AS operation, coalesce(level, 'all') AS "in", lengths
  AS "n", (SELECT z.name FROM temp.sides z WHERE z.side = i.side) AS across, i.side AS place,
  best AS "|**%s** of %d%m ~%s~", shapes, coalesce(printf(', %.0f%%', percent), ''), same
FROM temp.side_isas i WHERE speed IS NOT NULL AND (level IS NULL OR op IS NULL OR wide = 'avx512')
ORDER BY wide DESC, op IS NOT NULL, op, level IS NOT NULL, instr('L1 L2 L3 DRAM', level), least_n, most_n, side)
UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, name, side, NULL, NULL, NULL, NULL FROM temp.sides
WHERE EXISTS(SELECT 1 FROM temp.side_isas);
