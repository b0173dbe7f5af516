-- Which advised build is the fastest on each machine, by operation and class of shapes?
-- side, text: the build, ns per element, the share of its limit, its largest error.
SELECT w.op, w.class, w.side, w.algorithm || ' ' || w.isa || ' ' || w.cc || ' ' || w.policy || printf(' %.3f ns', w.ns) ||
  coalesce(printf(', %.0f%%', w.percent), '') || printf(', %.3g ', w.error) || u.unit AS text
FROM temp.side_winners w JOIN temp.units u ON u.op = iif(instr(w.op, ' '), substr(w.op, 1, instr(w.op, ' ') - 1), w.op)
ORDER BY w.op, instr('short rows L1 L2 L3 DRAM', w.class), w.side;
