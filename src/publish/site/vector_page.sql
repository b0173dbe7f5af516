-- SPDX-License-Identifier: MIT
-- The data of vector-math.html (render/rows.h says what names of columns mean): figures as the records have them,
-- "inf" for max and mean where results were lost; policies, compilers, isas: do the bits depend on it; same: the
-- first row of equal code.
SELECT 0 AS bar, bar FROM given;
SELECT 0 AS "rows", v.op, v.algorithm AS library, v.isa, v.cc, v.policy,
  coalesce((SELECT substr(x, 1, instr(x || ',', ',') - 1) FROM (
    SELECT substr(s.libraries, instr(s.libraries, column2)) AS x FROM (VALUES('sleef', 'SLEEF '), ('glibc', 'glibc '),
      ('libmvec', 'glibc '), ('highway', 'Highway '), ('eigen', 'Eigen '), ('xsimd', 'xsimd '))
    WHERE v.algorithm LIKE column1 || '%' AND instr(s.libraries, column2) > 0)), '') AS version,
  v.cycles, v.ns, v.max_ulp AS max, s.at, s.misrounded, iif(x.lost > 0, 9e999, s.mean_ulp) AS mean, x.lost, s.nan,
  s.inf, s.sign, s.flushed, v.depends_on_policy AS policies, v.depends_on_cc AS compilers, v.depends_on_isa AS isas,
  v.same - 1 AS same, v.own, v.hazard, v.wrong, v.candidate, v.front, v.ahead
FROM vectors v JOIN scans s ON s.id = v.scan JOIN whole_scans x ON x.run = v.run AND x.variant = v.variant
  ORDER BY v.place;
