-- SPDX-License-Identifier: MIT
-- The data of the page of several machines: machines, lines, and the speed that AVX-512 adds, by operation.
SELECT 0 AS machines, s.name, s.brand, s."commit", nullif(s.started, '') AS started, s.cores,
  (SELECT group_concat((value ->> 'level') || ' ' || iif(value ->> 'bytes' >= 1048576, ((value ->> 'bytes') / 1048576) || ' MiB',
    ((value ->> 'bytes') / 1024) || ' KiB'), ', ') FROM json_each(s.document, '$.machine.topology.caches')) AS caches,
  (SELECT max(value) / 1e9 FROM limits WHERE blob = s.timing AND threads = 1 AND level = 'L1' AND name LIKE 'load-%') AS load1,
  (SELECT max(value) / 1e9 FROM limits WHERE blob = s.timing AND threads = 1 AND level = 'DRAM' AND name LIKE 'load-%') AS dram,
  (SELECT max(value) / 1e9 FROM limits WHERE blob = s.timing AND threads = 1 AND unit = 'FLOP/s') AS flops,
  c.cells, c.compared, p.pace, (SELECT gains ->> ('$[' || s.side || ']') FROM temp.side_gains WHERE op IS NULL) AS gain
FROM temp.sides s JOIN temp.counts c USING (side) LEFT JOIN temp.paces p USING (side) ORDER BY s.side;

SELECT 0 AS lines, b.op, b.algorithm, b.dtype, b.isa, b.cc, b.policy, b.level, b.family, b.n, b.threads, b.sides, b.builds,
  b.race, b.place, b.hazard, b.wrong, b.low + 0 AS low, b.high + 0 AS high, u.unit, y.bytes,
  (SELECT winners(o.policy, k.cells) FROM temp.builds o JOIN temp.lines k USING (line) WHERE o.race = b.line AND o.promises) AS policies,
  packed(l.cells, iif(x.exact, 'exact', 'time')) AS times, packed(l.cells, 'share') AS shares,
  packed(l.cells, iif(x.exact, 'cycles', 'clock')) AS cycles,
  (SELECT packed_by(side, low) FROM temp.side_cells c WHERE c.line = b.line) AS lows,
  (SELECT packed_by(side, high) FROM temp.side_cells c WHERE c.line = b.line) AS highs,
  (SELECT packed_by(side, error) FROM temp.side_errors e WHERE e.variant = b.variant) AS errors
FROM temp.builds b JOIN temp.lines l USING (line) JOIN temp.units u ON u.op = b.function LEFT JOIN temp.bytes y USING (variant),
  temp.exact x WHERE b.sides > 1 AND (x.exact OR b.line = b.race) ORDER BY b.op, b.algorithm, b.isa, b.key, b.level, b.line;

SELECT 0 AS gains, op, gains AS "gains:json" FROM temp.side_gains WHERE op IS NOT NULL ORDER BY op;
