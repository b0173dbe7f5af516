-- Are a kernel's bits equal over ISAs, and over compilers?
-- over: isa, or cc: beside other compilers' builds for one ISA. equal: in every cell of accuracy that two builds have.
WITH cell AS MATERIALIZED (
  SELECT v.op, v.algorithm, v.dtype, v.isa, v.cc, v.policy, e.bits,
    hash_of(e.n, e.family, e.elements, coalesce(e.inputs, '')) AS cell
  FROM errors e JOIN error_variants ev ON ev.error = e.id JOIN variants v ON v.id = ev.variant
  WHERE e.bits IS NOT NULL AND v.cc <> 'lib')
SELECT 'isa' AS over, cc, policy, op, algorithm, dtype, max(kinds) = 1 AS equal FROM (
  SELECT *, count(*) AS builds, count(DISTINCT bits) AS kinds FROM cell GROUP BY op, algorithm, dtype, cc, policy, cell)
WHERE builds > 1 GROUP BY cc, policy, op, algorithm, dtype
UNION ALL
SELECT 'cc', cc, policy, op, algorithm, dtype, min(alike = builds) FROM (
  SELECT *, count(*) OVER (PARTITION BY op, algorithm, dtype, isa, policy, cell, bits) AS alike,
    count(*) OVER (PARTITION BY op, algorithm, dtype, isa, policy, cell) AS builds FROM cell)
WHERE builds > 1 GROUP BY cc, policy, op, algorithm, dtype;
