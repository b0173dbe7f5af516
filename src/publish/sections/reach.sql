-- SPDX-License-Identifier: MIT
-- How near do the fastest variants come to what the machine allows, shape by shape?
SELECT 0 AS "words|Per shape, operation and ISA the fastest variant that is advised, on one thread: the least time that
  the machine allows as %% of its own. p: the ports that its instructions need bind, m: the bytes that it has to read
  and write at the bandwidth of where they are. Which limit exactly, and the instructions per vector behind it, stand in
  the tables of the single shapes." FROM timed WHERE percent IS NOT NULL AND NOT library LIMIT 1;

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
