-- SPDX-License-Identifier: MIT
-- How near the fastest variants come to the machine's limits, shape by shape.
SELECT 0 AS "words|For the fastest advised variant per shape, operation and ISA, on one thread: the shortest time that
  the machine's limits allow, as %% of the measured time. p: limited by the ports for its instructions, m: by the
  bandwidth for the bytes that it has to read and write. The tables of single shapes name the exact limit, and the
  instructions per vector." FROM timed WHERE percent IS NOT NULL AND NOT library LIMIT 1;

WITH cell AS (
  SELECT l.*, f.isa AS at, f.rowid AS place, row_number() OVER (PARTITION BY f."rows", f.n ORDER BY f.rowid) AS k
  FROM field f JOIN timed l ON l.cell = f.lab WHERE l.percent IS NOT NULL)
SELECT c."rows" AS "rows x n|%dx%d", c.n, first.residency AS "in", c.grp || ' ' || c.at AS across,
  dense_rank() OVER (ORDER BY c.grp, c.at) AS place,
  CASE WHEN c.percent >= 85 THEN 'heat h3' WHEN c.percent >= 65 THEN 'heat h2' WHEN c.percent >= 50 THEN 'heat h1'
    ELSE 'heat h0' END AS "|{}%.0f %s", c.percent, iif(c.limit_name LIKE 'load-%' OR c.limit_name LIKE 'copy-%', 'm',
      'p')
FROM cell c JOIN cell first ON first.k = 1 AND first."rows" = c."rows" AND first.n = c.n
ORDER BY c."rows" * c.n, c.n, c.place;
