-- SPDX-License-Identifier: MIT
-- The limits of each machine, measured in its run: of several sizes of one kind and level the best.
-- kind: the name without the sizes that it was measured on, which differ from machine to machine.
WITH RECURSIVE part(name, rest, kind) AS (
  SELECT DISTINCT name, name || '-', '' FROM limits WHERE name NOT LIKE 'sweep%'
  UNION ALL
  SELECT name, substr(rest, instr(rest, '-') + 1), kind || iif(rest GLOB '[0-9]*', '', iif(kind = '', '', '-') ||
    substr(rest, 1, instr(rest, '-') - 1)) FROM part WHERE rest <> ''),
value AS (
  SELECT p.kind, coalesce(l.isa, '') AS isa, coalesce(l.level, '') AS level, l.unit, s.side, iif(l.unit = 'B',
    printf('%.0f', max(l.value) / 1024), printf('%.1f', max(l.value) / 1e9)) AS text
  FROM temp.sides s JOIN limits l ON l.blob = s.timing JOIN part p ON p.name = l.name AND p.rest = ''
  GROUP BY l.unit, 3, 2, p.kind, s.side)
SELECT k.kind AS "limit", nullif(k.isa, '') AS "ISA", nullif(k.level, '') AS level,
  iif(k.unit = 'B', 'KiB', 'G' || k.unit) AS unit,
  s.name AS across, s.side AS place, v.text AS "|%s"
FROM (SELECT DISTINCT kind, isa, level, unit FROM value) k JOIN temp.sides s LEFT JOIN value v
  USING (kind, isa, level, unit, side)
ORDER BY k.unit, replace(k.level, 'D', 'M'), instr('  scalar avx2 avx512', k.isa), k.kind, s.side;
