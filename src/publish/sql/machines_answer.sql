-- SPDX-License-Identifier: MIT
-- What is the answer for each machine? policies: of each compiler the fastest policy that promises something, and its
-- speed over off, and on a page of each operation, which shows where it is chosen; pace: its times over the mean of
-- the machines that ran the same code. Then what AVX-512 buys, best over best.
SELECT iif(policies, 'Policies are compared over the cells that all of them have, ',
  'These runs have no cell in common that a policy '
  || 'changes: **figures of policies do not compare**, each is over its own run; ')
  || iif(isas, 'ISAs over the cells that all have which have the ISA.',
    '**figures of ISAs do not compare**, each is over its own run.')
  AS "words|%m"
FROM temp.comparable WHERE (SELECT count(*) FROM temp.exact_sides) > 1;
WITH best AS (SELECT *, row_number() OVER (PARTITION BY side, cc, op ORDER BY speed DESC) AS place FROM temp.side_speeds
  WHERE kind IS NULL AND promises(policy) AND (op IS NULL OR :html)),
text AS MATERIALIZED (SELECT side, cc, policy, op, kind,
  printf('**%s**%s ~of %d%s~', figure, reach, cells, span) AS text
  FROM temp.policy_texts)
SELECT b.cc AS row_cc, iif(b.op IS NULL, '', '+' || b.op) AS row_op, s.name AS "machine",
  digits(p.pace, 3) AS "?time over the mean", b.cc AS "?compiler",
  b.policy AS "?fastest policy|`%s`",
  (SELECT text FROM text t WHERE t.side = s.side AND t.cc = b.cc AND t.policy = b.policy AND t.op IS b.op
    AND t.kind = 'intrinsics')
    AS "?in intrinsics|%m",
  (SELECT text FROM text t WHERE t.side = s.side AND t.cc = b.cc AND t.policy = b.policy AND t.op IS b.op
    AND t.kind = 'loops')
    AS "?in plain loops|%m",
  b.same_code AS "?cells left alone"
FROM temp.sides s LEFT JOIN best b ON b.side = s.side AND b.place = 1 LEFT JOIN temp.paces p ON p.side = s.side
ORDER BY s.side, b.cc NOT LIKE 'gcc%', b.cc, b.op IS NOT NULL, b.op;
SELECT coalesce((SELECT group_concat(name, ', ') || ': no cells of both.' FROM temp.sides WHERE side NOT IN (
    SELECT side FROM temp.side_isas WHERE wide = 'avx512')),
    '') AS "words|How many times as fast as the fastest AVX2 kernel the fastest AVX-512 kernel is [95%% interval], over
      all levels; below it the same kernel on both: least, median, most. %s"
FROM temp.side_isas WHERE wide = 'avx512' LIMIT 1;
SELECT * FROM (
SELECT coalesce(op, '') AS row_op, coalesce(op, 'all') AS operation,
  (SELECT z.name FROM temp.sides z WHERE z.side = i.side) AS across, i.side AS place, best AS "|**%s** ~%s~", same
FROM temp.side_isas i WHERE level IS NULL AND wide = 'avx512' ORDER BY op IS NOT NULL, op, side)
UNION ALL SELECT NULL, NULL, name, side, NULL, NULL FROM temp.sides
WHERE side IN (SELECT side FROM temp.side_isas WHERE wide = 'avx512');
