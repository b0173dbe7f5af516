-- SPDX-License-Identifier: MIT
-- A run (?1) in which log_softmax was a way to call softmax's kernels: such a kernel has their
-- machine code.
INSERT OR IGNORE INTO codes(blob, variant, place, hash, status, arithmetic, declared, witnessed, observed,
  expectation, consistent)
SELECT c.blob, l.id, c.place, c.hash, c.status, c.arithmetic, c.declared, c.witnessed, c.observed,
  c.expectation, c.consistent
FROM files f JOIN codes c ON c.blob = f.blob
JOIN variants v ON v.id = c.variant AND v.op = 'softmax'
JOIN variants l ON l.variant = 'log_' || v.variant
WHERE f.run = ?1 AND l.id IN (
  SELECT x.variant FROM files g JOIN cells x ON x.blob = g.blob WHERE g.run = ?1
  UNION SELECT y.variant FROM files g JOIN errors z ON z.blob = g.blob
  JOIN error_variants y ON y.error = z.id WHERE g.run = ?1);
