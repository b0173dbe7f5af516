-- The machines by pace, from both ends where they are many.
-- pace: the geometric mean of the times over all machines' mean. gain: speed of AVX-512 over AVX2. Limits of one thread.
WITH placed AS (SELECT *, row_number() OVER (ORDER BY pace IS NULL, pace, side) AS place, count(*) OVER () AS sides
  FROM temp.sides LEFT JOIN temp.paces USING (side))
SELECT p.name, p.brand, p.pace, (SELECT gains ->> ('$[' || p.side || ']') FROM temp.side_gains WHERE op IS NULL),
  (SELECT max(value) / 1e9 FROM limits WHERE blob = p.timing AND threads = 1 AND level = 'DRAM' AND name LIKE 'load-%'),
  (SELECT max(value) / 1e9 FROM limits WHERE blob = p.timing AND threads = 1 AND unit = 'FLOP/s'),
  printf('%d of %d', c.compared, c.cells)
FROM placed p JOIN temp.counts c USING (side) WHERE place <= 10 OR place > sides - 10 ORDER BY place;
