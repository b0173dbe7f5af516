-- SPDX-License-Identifier: MIT
-- The cost of double, and the gain of policies in double compared with fp32 (sql/types.sql).
SELECT h."rows" AS "words|The kernels that exist in both types, at %d rows of %d. A double has twice the bytes, and a
  vector holds half as many elements, so a factor of 2 is expected. ulp and u are those of the type. Under each
  policy: the geometric mean of its speed over `off` [95%%], over cells whose machine code the policy changes in that
  type.", h.n FROM home h WHERE EXISTS(SELECT 1 FROM typed WHERE dtype = 'f64');

WITH best AS (SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY run, op, algorithm, dtype, isa
    ORDER BY ns, variant) AS k FROM typed WHERE policy = 'off' AND ns > 0) WHERE k = 1)
SELECT d.op AS operation, d.algorithm AS "kernel|`%s`%s", iif(d.hazard, ' (hazard)', ''), d.isa AS "ISA",
  f.ns AS "fp32: ns/element|%.3f", d.ns AS "double: ns/element|%.3f", digits(d.ns / f.ns, 3) AS "double / fp32",
  digits(f.error, 3) || ' ' || f.unit AS "fp32: max error", digits(d.error, 3) || ' ' || d.unit AS "double: max error"
FROM best d LEFT JOIN best f ON f.run = d.run AND f.op = d.op AND f.algorithm = d.algorithm AND f.isa = d.isa
  AND f.dtype = 'f32'
LEFT JOIN groups g ON g.grp = d.op WHERE d.dtype = 'f64' ORDER BY g.place, d.op, d.isa, d.ns;

SELECT cc AS compiler, policy, code, fp32, double FROM type_lines;
