-- SPDX-License-Identifier: MIT
-- The speed of each policy relative to off, of folders and of runs that are named (lab.db:latest): what
-- `ulplab policy` and reports say (src/publish/sql/gains.sql). Over cells of fp32 that off and the policy have,
-- of kernels whose machine code the policy changes and that are not wrong by design (hazards); each
-- operation weighs the same.
-- speed, low, high: time under off over time under the policy, formed in each process, with its
-- interval of 95%. cells: that it is over. same_code: cells left out, whose code is the same.
SELECT m.name AS machine, g.cc, g.policy, g.speed, g.low, g.high, g.cells, g.same_code
FROM policy_gains g JOIN runs r ON r.id = g.side JOIN machine_names m ON m.id = r.machine
WHERE g.op IS NULL AND g.kind IS NULL AND g.policy <> 'off' ORDER BY 1, r.id, 2, speed DESC;
