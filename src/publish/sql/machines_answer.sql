-- SPDX-License-Identifier: MIT
-- What is the answer for each machine, in a line, over its own run?
-- machine, brand; wide: speed of AVX-512 over AVX2; policies: of each compiler the fastest policy that promises
-- something, and its speed over off; pace: its times over the mean of the machines that ran the same code.
WITH best AS (SELECT *, row_number() OVER (PARTITION BY side, cc ORDER BY speed DESC) AS place FROM temp.side_speeds
  WHERE promises(policy))
SELECT s.name AS "machine", CASE s.slug WHEN s.name THEN NULL ELSE s.slug END AS "?slug|`%s`", s.brand AS "CPU",
  coalesce((SELECT printf('%.2f [%.2f, %.2f]', speed, low, high) FROM temp.side_isas i
      WHERE i.side = s.side AND i.wide = 'avx512' AND i.op IS NULL AND i.level IS NULL),
    iif(instr(s.document -> '$.machine.features', 'avx512f'), NULL, 'has no AVX-512')) AS "?AVX-512 / AVX2",
  (SELECT group_concat(printf('%s %s %.3f [%.3f, %.3f]', cc, policy, speed, low, high), '; ') FROM best b
    WHERE b.side = s.side AND b.place = 1) AS "?fastest policy", digits(p.pace, 3) AS "?time over the mean"
FROM temp.sides s LEFT JOIN temp.paces p USING (side) ORDER BY s.side;
