-- SPDX-License-Identifier: MIT
-- How fast is each policy on each machine, relative to off of the same compiler?
-- side, text: the speed with its interval.
SELECT * FROM (
SELECT cc AS row_cc, cc AS compiler, policy AS "policy|`%s`", (SELECT z.name FROM temp.sides z WHERE z.side = p.side) AS across, p.side AS place,
  iif(policy = 'off', '1', printf('%.3f [%.3f, %.3f]', speed, low, high)) AS "|%s" FROM temp.side_speeds p
ORDER BY cc, instr('off     on      default fast    reassoc fastmath', policy), policy, side)
UNION ALL SELECT NULL, NULL, NULL, name, side, NULL FROM temp.sides WHERE EXISTS(SELECT 1 FROM temp.side_speeds);
