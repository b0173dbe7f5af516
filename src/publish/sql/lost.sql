-- SPDX-License-Identifier: MIT
-- Which results does a policy lose that `off` computes (a NaN or an infinity for a number, or the
-- reverse), and on which inputs?
-- lost: the most of one length of row. Kernels that are wrong by design on some inputs are left out.
SELECT x.machine, x.op, x.algorithm, x.isa, x.cc, x.policy, x.family, max(x.lost) AS lost
FROM measured_errors x JOIN measured_errors y ON y.run = x.run AND y.op = x.op
  AND y.algorithm = x.algorithm AND y.dtype = x.dtype AND y.isa = x.isa AND y.cc = x.cc
  AND y.policy = 'off' AND y.family = x.family AND y.n = x.n
WHERE x.policy <> 'off' AND x.lost > 0 AND y.lost = 0 AND x.hazard = 0
GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY lost DESC, 2, 3, 4, 5, 6, 7;
