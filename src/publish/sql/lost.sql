-- SPDX-License-Identifier: MIT
-- Which results does a policy lose that `off` computes (a NaN or an infinity for a number, or the
-- reverse), and on which inputs?
-- lost: the most of one length of row. Kernels that are wrong by design on some inputs are left out.
SELECT machine, op, algorithm, isa, cc, policy, family, max(lost) AS lost
FROM measured_errors WHERE policy <> 'off' AND lost > 0 AND hazard = 0
  AND (run, op, algorithm, dtype, isa, cc, family, n) IN (SELECT run, op, algorithm, dtype, isa, cc, family, n
    FROM measured_errors WHERE policy = 'off' AND lost = 0)
GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY lost DESC, 2, 3, 4, 5, 6, 7;
