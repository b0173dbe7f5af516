-- SPDX-License-Identifier: MIT
-- The gain from a wider ISA, by operation and level (sql/gains.sql).
SELECT 0 AS "words|First the speed of the fastest advised kernel of the wider ISA over that of the narrower, at the
  same shapes [95%% interval over processes]. Then the same kernel, compiler and policy on both: minimum, median and
  maximum over kernels. Each level of memory has the row lengths that were timed there: different levels may have
  different lengths." FROM isa_gains LIMIT 1;

SELECT op AS row_op, coalesce(op, 'all operations') AS operation, coalesce(level, 'all') AS "in", lengths AS "n", step
  AS "over", heat(speed) AS "best over best|{}**%s**", best, shapes, percent AS "% of limit|%P", kernels AS "?kernels",
  same AS "?the same kernel"
FROM isa_words LEFT JOIN groups ON grp = op WHERE level IS NULL OR op IS NOT NULL
ORDER BY wide DESC, op IS NOT NULL, place, level IS NOT NULL, instr('L1 L2 L3 DRAM', level);
