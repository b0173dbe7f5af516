-- SPDX-License-Identifier: MIT
-- How fast is each policy on each machine, relative to off of the same compiler?
-- side, text: the speed with its interval over how many cells, of each kind of code that a policy can change.
SELECT 'These runs have no cell in common that a policy changes: figures of different machines do not compare.' AS words
FROM temp.comparable WHERE NOT policies AND (SELECT count(*) FROM temp.exact_sides) > 1;
SELECT * FROM (
SELECT cc AS row_cc, cc AS compiler, policy AS "policy|`%s`", k.name AS code, (SELECT z.name FROM temp.sides z
  WHERE z.side = p.side) AS across,
  p.side AS place, iif(cells, printf('%.3f', speed) || coalesce(printf(' [%.3f, %.3f]', low, high), '') || ' of '
    || cells, 'the code of off')
  AS "|%s" FROM temp.side_speeds p JOIN temp.code_kinds k USING (kind) WHERE op IS NULL AND policy <> 'off'
ORDER BY cc, instr('off     on      default fast    reassoc fastmath', policy), policy, k.place, side)
UNION ALL SELECT NULL, NULL, NULL, NULL, name, side, NULL FROM temp.sides WHERE EXISTS(SELECT 1 FROM temp.side_speeds);
