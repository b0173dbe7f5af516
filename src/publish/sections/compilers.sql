-- SPDX-License-Identifier: MIT
-- What the compilers did: a row per measured compiler and policy. scalar, avx2, ..: kernels with fused multiply-adds
-- in their machine code, among those whose arithmetic the policy decides; NULL if no kernel of that ISA was measured.
-- contracts, ..: the behaviour of the policy's litmus kernel, for AVX2 if there is one. expected: yes, or the number
-- of kernels with unexpected code.
SELECT 0 AS "words|The number of kernels with fused multiply-adds in their machine code (by disassembly, with any /
  all) among those whose arithmetic the policy decides, by ISA; and the transformations that a litmus test detected."
  FROM codes JOIN named USING (variant)
WHERE NOT library LIMIT 1;

WITH measured AS MATERIALIZED (SELECT * FROM named WHERE NOT library AND variant IN (
    SELECT variant FROM shared UNION SELECT variant FROM cells)),
  code AS MATERIALIZED (
    SELECT v.cc, v.policy, v.rank, v.isa, c.place, c.fma > 0 AS fused, c.arithmetic = 'policy' AS decided, c.observed,
      c.consistent = 0 AS odd FROM codes c JOIN named v USING (variant)),
  counted AS (
    SELECT cc, policy, isa, printf('%d / %d', sum(fused AND decided), sum(decided)) AS text FROM code
    WHERE isa IN (SELECT isa FROM measured) GROUP BY cc, policy, isa),
  seen AS (
    SELECT cc, policy, rank, sum(coalesce(odd, 0)) AS odd, coalesce(
      (SELECT x.observed FROM code x WHERE x.cc = c.cc AND x.policy = c.policy AND x.isa = 'avx2'
        ORDER BY x.place DESC LIMIT 1),
      (SELECT x.observed FROM code x WHERE x.cc = c.cc AND x.policy = c.policy ORDER BY x.place LIMIT 1)) AS observed
    FROM code c GROUP BY cc, policy)
SELECT s.cc AS row_cc, s.cc AS compiler, s.policy AS "policy|`%s`",
  max(n.text) FILTER (WHERE n.isa = 'scalar') AS "?scalar", max(n.text) FILTER (WHERE n.isa = 'avx2') AS "?avx2",
  max(n.text) FILTER (WHERE n.isa = 'avx512') AS "?avx512",
  max(n.text) FILTER (WHERE n.isa = 'avx512fp16') AS "?avx512fp16",
  max(n.text) FILTER (WHERE n.isa = 'avx512vbmi') AS "?avx512vbmi",
  CASE observed ->> 'contracts' WHEN 1 THEN 'yes' WHEN 0 THEN 'no' END AS "?contracts",
  CASE observed ->> 'reassociates' WHEN 1 THEN 'yes' WHEN 0 THEN 'no' END AS "?reassociates",
  CASE observed ->> 'honours_nan' WHEN 1 THEN 'yes' WHEN 0 THEN 'no' END AS "?honours NaN",
  CASE observed ->> 'honours_subnormals' WHEN 1 THEN 'yes' WHEN 0 THEN 'no' END AS "?honours subnormals",
  iif(odd, 'd3', '') AS "as expected|{}%s", iif(odd, 'no: ' || odd || ' in codegen.jsonl', 'yes')
FROM seen s LEFT JOIN counted n ON n.cc = s.cc AND n.policy = s.policy
WHERE s.cc IN (SELECT cc FROM measured) AND s.policy IN (SELECT policy FROM measured) GROUP BY s.cc, s.policy
ORDER BY (SELECT min(m.variant) FROM measured m WHERE m.cc = s.cc), s.rank,
  (SELECT min(m.variant) FROM measured m WHERE m.policy = s.policy);
