-- SPDX-License-Identifier: MIT
-- The machines and their runs. apart: the difference of two timings of identical code, 95%. compared: cells that are
-- compared with another machine's. code, library, alone: cells that are not, because of other machine code, another
-- version of a library, or because only this machine timed them.
SELECT 'These runs tried different inputs (a --quick run tries fewer): the largest errors of equal code differ because '
  || 'of the inputs, not the CPU.' AS words
WHERE 1 < (SELECT count(DISTINCT coalesce(e.grid, '') || ' ' || coalesce(e.elements, '')) FROM temp.sides s
  JOIN errors e ON e.id = (SELECT min(id) FROM errors f WHERE f.blob = s.accuracy));
SELECT s.name AS "machine|`%s`", nullif(s.slug, s.name) AS "?slug|`%s`", s.brand AS "CPU",
  nullif(s."commit", '') AS "?commit|`%s`",
  coalesce(nullif(replace(substr(s.started, 1, 16), 'T', ' '), ''), 'unknown') AS run,
  s.cores || iif(s.document ->> '$.machine.hypervisor', ' of a virtual machine', '') AS "?cores",
  (SELECT group_concat((value ->> 'level') || ' ' || size_text(value ->> 'bytes')
    || iif(value ->> 'shared_by' > 1, ' of ' || (value ->> 'shared_by'), ''), ', ')
   FROM json_each(s.document, '$.machine.topology.caches')) AS "?caches",
  printf('%.2g%%', 100 * i.apart) AS "?identical code apart (95%)", printf('%d of %d', c.compared, c.cells) AS
  "cells that compare", c.code AS "?beyond: other machine code|%d", c.library AS "?another library|%d",
  c.alone AS "?only timed here|%d"
FROM temp.sides s JOIN temp.counts c USING (side) LEFT JOIN temp.identical i USING (side) ORDER BY s.side;
