-- SPDX-License-Identifier: MIT
-- How fast is each policy on each machine, relative to off of the same compiler?
-- side, text: the speed with its interval over how many cells, of each kind of code that a policy can change.
SELECT 'These runs have no common cell that a policy changes: figures of different machines cannot be compared.'
  AS words
FROM temp.comparable WHERE NOT policies AND (SELECT count(*) FROM temp.exact_sides) > 1;
SELECT * FROM (
SELECT cc AS row_cc, cc AS compiler, policy AS "policy|`%s`", name AS code,
  (SELECT z.name FROM temp.sides z WHERE z.side = p.side) AS across, p.side AS place,
  figure || reach || ' of ' || cells || span AS "|%s"
FROM temp.policy_texts p WHERE op IS NULL AND policy <> 'off'
ORDER BY cc, instr('off     on      default fast    reassoc fastmath', policy), policy, p.place, p.side)
UNION ALL SELECT NULL, NULL, NULL, NULL, name, side, NULL FROM temp.sides WHERE EXISTS(SELECT 1 FROM temp.side_speeds);
