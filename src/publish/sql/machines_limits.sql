-- The limits of each machine, measured in its run: of several sizes of one kind and level the best.
-- kind: the name without the sizes that it was measured on, which differ from machine to machine.
WITH RECURSIVE part(name, rest, kind) AS (
  SELECT DISTINCT name, name || '-', '' FROM limits WHERE name NOT LIKE 'sweep%'
  UNION ALL
  SELECT name, substr(rest, instr(rest, '-') + 1), kind || iif(rest GLOB '[0-9]*', '', iif(kind = '', '', '-') ||
    substr(rest, 1, instr(rest, '-') - 1)) FROM part WHERE rest <> '')
SELECT p.kind AS "limit", coalesce(l.isa, '') AS "ISA", coalesce(l.level, '') AS level, iif(l.unit = 'B', 'KiB', 'G' || l.unit) AS
  unit, s.name AS across, s.side AS place,
  iif(l.unit = 'B', printf('%.0f', max(l.value) / 1024), printf('%.1f', max(l.value) / 1e9)) AS "|%s"
FROM temp.sides s JOIN limits l ON l.blob = s.timing JOIN part p ON p.name = l.name AND p.rest = ''
GROUP BY l.unit, 3, 2, p.kind, s.side
ORDER BY l.unit, replace(l.level, 'D', 'M'), instr('  scalar avx2 avx512', l.isa), p.kind, s.side;
