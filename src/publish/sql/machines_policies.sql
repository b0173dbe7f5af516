-- How fast is each policy on each machine, relative to off of the same compiler?
-- side, text: the speed with its interval.
SELECT cc, policy, side, iif(policy = 'off', '1', printf('%.3f [%.3f, %.3f]', speed, low, high)) AS text FROM temp.side_speeds
ORDER BY cc, instr('off     on      default fast    reassoc fastmath', policy), policy, side;
