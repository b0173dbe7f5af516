-- What does an ISA buy on each machine, by operation and, over all of them, by level of memory?
-- side, text: speed of the wider over the narrower with its interval, over how many cells, and the share of its limit
-- that the wider one reaches.
SELECT iif(wide = 'avx512', 'AVX-512 / AVX2', 'AVX2 / scalar') AS step, coalesce(op, 'all'), coalesce(level, 'all'), side,
  iif(low IS NULL, printf('%.2f', speed), printf('%.2f [%.2f, %.2f]', speed, low, high)) || printf(' of %d', cells) ||
    coalesce(printf(', %.0f%%', percent), '') AS text
FROM temp.side_isas WHERE speed IS NOT NULL AND (level IS NULL OR op IS NULL OR wide = 'avx512')
ORDER BY wide DESC, op IS NOT NULL, op, instr('L1 L2 L3 DRAM', level), side;
