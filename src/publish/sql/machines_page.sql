-- SPDX-License-Identifier: MIT
-- The data of the page of several machines: machines, lines, and the speed that AVX-512 adds, by operation.
SELECT 0 AS machines, s.name, s.brand, s."commit", nullif(s.started, '') AS started, s.cores,
  (SELECT group_concat((value ->> 'level') || ' ' || size_text(value ->> 'bytes'), ', ')
    FROM json_each(s.document, '$.machine.topology.caches')) AS caches,
  m.load1, m.dram, m.flops, c.cells, c.compared, p.pace,
  (SELECT gain FROM temp.side_gains g WHERE g.op IS NULL AND g.side = s.side) AS gain
FROM temp.sides s JOIN temp.counts c USING (side) JOIN temp.side_limits m USING (side) LEFT JOIN temp.paces p
  USING (side) ORDER BY s.side;

-- Figures by side: lists, or of many sides codes in hexadecimal digits, of which 0 is none: a time in 1024 codes an
-- octave, to 0.07%; a clock in GHz from 0.7 to 6.6, in 79, to 0.5%; a share in percent, each a code.
WITH figures AS MATERIALIZED (
  SELECT line, json_group_array(round(ns, 5)) AS times, json_group_array(round(cycles, 5)) AS cycles,
    json_group_array(round(percent)) AS shares, json_group_array(round(low, 5)) AS lows,
    json_group_array(round(high, 5)) AS highs, json_group_array(error) AS errors
  FROM (SELECT b.line, c.*, e.error FROM temp.builds b JOIN temp.exact_sides s LEFT JOIN temp.side_cells c
    ON c.line = b.line AND c.side = s.side LEFT JOIN temp.side_errors e ON e.variant = b.variant AND e.side = s.side
    WHERE b.sides > 1 ORDER BY b.line, s.side) GROUP BY line
  UNION ALL SELECT line, json_quote(group_concat(printf('%04x', coalesce(max(1, min(65535, time)), 0)), '')),
    json_quote(group_concat(printf('%02x', coalesce(max(1, min(255, clock)), 0)), '')),
    json_quote(group_concat(printf('%02x', coalesce(max(1, min(255, share)), 0)), '')), NULL, NULL, NULL
  FROM (SELECT b.line, CAST(32768.5 + 1024 * log2(c.ns) AS INTEGER) AS time,
      CAST(40.5 + 79 * log2(c.cycles / c.ns) AS INTEGER) AS clock, CAST(1.5 + c.percent AS INTEGER) AS share
    FROM temp.exact x, temp.builds b JOIN temp.sides s LEFT JOIN temp.line_cells c ON c.line = b.line
      AND c.side = s.side WHERE NOT x.exact AND b.sides > 1 AND b.line = b.race ORDER BY b.line, s.side) GROUP BY line)
SELECT 0 AS lines, b.op, b.algorithm, b.dtype, b.isa, b.cc, b.policy, b.level, b.family, b.n, b.threads, b.sides,
  b.builds, b.race, b.place, b.hazard, b.wrong, b.low + 0 AS low, b.high + 0 AS high, u.unit, y.bytes,
  w.text AS policies, f.times AS "times:json", f.cycles AS "cycles:json", f.shares AS "shares:json",
  f.lows AS "lows:json", f.highs AS "highs:json", replace(f.errors, 'Inf', '"inf"') AS "errors:json"
FROM temp.builds b JOIN temp.units u ON u.op = b.function LEFT JOIN temp.bytes y USING (variant)
LEFT JOIN temp.race_winners w ON w.race = b.line LEFT JOIN figures f USING (line), temp.exact x
WHERE b.sides > 1 AND (x.exact OR b.line = b.race) ORDER BY b.op, b.algorithm, b.isa, b.key, b.level, b.line;

SELECT 0 AS gains, op, json_group_array(gain) AS "gains:json" FROM (SELECT o.op, g.gain
  FROM (SELECT DISTINCT op FROM temp.side_gains WHERE op IS NOT NULL) o JOIN temp.sides s
  LEFT JOIN temp.side_gains g ON g.op = o.op AND g.side = s.side ORDER BY o.op, s.side) GROUP BY op ORDER BY op;

-- What is drawn: by operation and level, NULL for all, what AVX-512 buys on each machine.
SELECT 0 AS bars, op, level, side, speed + 0 AS speed, low + 0 AS low, high + 0 AS high, lengths, same
  FROM temp.side_isas
WHERE wide = 'avx512' AND speed IS NOT NULL ORDER BY op IS NOT NULL, op, level IS NOT NULL, instr('L1 L2 L3 DRAM',
  level), side;
