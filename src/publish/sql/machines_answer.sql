-- SPDX-License-Identifier: MIT
-- The answer for each machine. policies: for each compiler the fastest policy that promises something, and its speed
-- over off, on the page also for each operation; pace: the machine's times over the mean of the machines that ran the
-- same code. Then the gain from AVX-512, best over best.
SELECT iif(policies, 'Policies are compared over the cells that all of them have, ',
  'These runs have no common cell that a policy changes: **figures of policies cannot be '
  || 'compared**, each is over its own run; ')
  || iif(isas, 'ISAs over the cells that all machines with the ISA have.',
    '**figures of ISAs cannot be compared**, each is over its own run.')
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
SELECT coalesce((SELECT group_concat(name, ', ') || ': no cells for both.' FROM temp.sides WHERE side NOT IN (
    SELECT side FROM temp.side_isas WHERE wide = 'avx512')),
    '') AS "words|The speed of the fastest AVX-512 kernel relative to the fastest AVX2 kernel [95%% interval], over
      all levels; below it the same kernel on both: minimum, median, maximum. %s"
FROM temp.side_isas WHERE wide = 'avx512' LIMIT 1;
SELECT * FROM (
SELECT coalesce(op, '') AS row_op, coalesce(op, 'all') AS operation,
  (SELECT z.name FROM temp.sides z WHERE z.side = i.side) AS across, i.side AS place, best AS "|**%s** ~%s~", same
FROM temp.side_isas i WHERE level IS NULL AND wide = 'avx512' ORDER BY op IS NOT NULL, op, side)
UNION ALL SELECT NULL, NULL, name, side, NULL, NULL FROM temp.sides
WHERE side IN (SELECT side FROM temp.side_isas WHERE wide = 'avx512');
