-- SPDX-License-Identifier: MIT
-- The time of the fastest variant at each shape, and the shortest time that the machine's limits allow.
SELECT 0 AS "words|The fastest variant at each shape, on one thread. Its limit is the largest of the times for its
  instructions on the ports that execute them (for its FLOPs, if the kernel does not count instructions), and for its
  compulsory bytes at the bandwidth measured with the same number of bytes. ""binds"" names this limit, ""counted"" is
  the count per element that it was computed from; ""per vector"" is the kernel's own count of instructions in all
  passes, and the lanes of a vector." FROM field WHERE lab IS NOT NULL LIMIT 1;

SELECT l.grp AS row_op, l.grp AS operation, f.isa AS "ISA", l."rows" AS "rows x n|%dx%d", l.n, l.residency AS "in",
  l.algorithm AS "kernel|`%s` %s `%s`", l.cc, l.policy, l.ns AS "ns/element|%.3f ~[%.3f, %.3f]~", l.low, l.high,
  l.percent AS "% of limit|%P", coalesce(l.no_limit, nullif(l.limit_name, '')) AS binds, l.counted,
  l.vector AS "per vector"
FROM field f JOIN timed l ON l.cell = f.lab ORDER BY f.rowid;
