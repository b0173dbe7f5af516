-- SPDX-License-Identifier: MIT
-- Which advised build is the fastest on each machine, by operation and class of shapes?
-- side, text: the build, ns per element, the share of its limit, its largest error.
SELECT * FROM (
SELECT w.op AS row_op, w.op AS operation, w.class AS "in",
  (SELECT z.name FROM temp.sides z WHERE z.side = w.side) AS across, w.side AS place,
  w.algorithm || ' ' || w.isa || ' ' || w.cc || ' ' || w.policy || printf(' %.3f ns', w.ns) ||
  coalesce(printf(', %.0f%%', w.percent), '') || printf(', %.3g ', w.error) || u.unit AS "|%s"
FROM temp.side_winners w JOIN temp.units u ON u.op = iif(instr(w.op, ' '), substr(w.op, 1, instr(w.op, ' ') - 1), w.op)
ORDER BY w.op, instr('short rows L1 L2 L3 DRAM', w.class), w.side)
UNION ALL SELECT NULL, NULL, NULL, name, side, NULL FROM temp.sides WHERE EXISTS(SELECT 1 FROM temp.side_winners);
