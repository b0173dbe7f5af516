-- SPDX-License-Identifier: MIT
-- What does a wider ISA buy, by operation and level (sql/gains.sql)?
SELECT 0 AS "words|First the fastest advised kernel of the wider ISA over the fastest advised one of the narrower, at
  the same shapes [95%% interval over processes]: what a wider vector buys. Then the same kernel, compiler and policy on
  both, over kernels: least, median and most. A level of memory has the lengths of rows beside it that were timed there:
  where they differ, levels are lengths, too." FROM isa_gains LIMIT 1;

SELECT op AS row_op, coalesce(op, 'all operations') AS operation, coalesce(level, 'all') AS "in", lengths AS "n", step
  AS "over", heat(speed) AS "best over best|{}**%s**", best, shapes, percent AS "% of limit|%P", kernels AS "?kernels",
  same AS "?the same kernel"
FROM isa_words LEFT JOIN groups ON grp = op WHERE level IS NULL OR op IS NOT NULL
ORDER BY wide DESC, op IS NOT NULL, place, level IS NOT NULL, instr('L1 L2 L3 DRAM', level);
