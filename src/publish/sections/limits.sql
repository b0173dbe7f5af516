-- SPDX-License-Identifier: MIT
-- How long does the fastest variant take at each shape, beside the least time that the machine allows it?
SELECT 0 AS "words|The fastest variant at each shape, on one thread: its limit is the largest of the times that its
  instructions need on the ports that execute them (where the kernel counts them, else its FLOPs), and its compulsory
  bytes at the bandwidth measured on as many bytes; ""binds"" names the one, ""counted"" is what it was computed from,
  per element; ""per vector"" the kernel's own count of its instructions, all passes together, and the lanes of a
  vector." FROM field WHERE lab IS NOT NULL LIMIT 1;

SELECT l.grp AS row_op, l.grp AS operation, f.isa AS "ISA", l."rows" AS "rows x n|%dx%d", l.n, l.residency AS "in",
  l.algorithm AS "kernel|`%s` %s `%s`", l.cc, l.policy, l.ns AS "ns/element|%.3f ~[%.3f, %.3f]~", l.low, l.high,
  l.percent AS "% of limit|%P", coalesce(l.no_limit, nullif(l.limit_name, '')) AS binds, l.counted,
  l.vector AS "per vector"
FROM field f JOIN timed l ON l.cell = f.lab ORDER BY f.rowid;
