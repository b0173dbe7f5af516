-- SPDX-License-Identifier: MIT
-- Builds of one compiler, policy or ISA that are read as those of another. temp.maps(axis, old, new): in this order.
-- renamed: the variant that the records of `variant` in this file are read as. A file that has records of that one,
-- too, keeps its names, and of several variants that would be one, one is renamed.
CREATE TEMP TABLE renamed(blob INTEGER, variant INTEGER, name INTEGER, PRIMARY KEY(blob, variant)) WITHOUT ROWID;
CREATE TEMP TABLE rename_to(variant INTEGER PRIMARY KEY, name INTEGER);
INSERT INTO rename_to
WITH RECURSIVE step(variant, maps, id) AS (
  SELECT id, 0, variant || '/' FROM variants
  UNION ALL SELECT s.variant, m.rowid, replace(s.id, printf('/%s=%s/', axis, old), printf('/%s=%s/', axis, new))
  FROM step s JOIN temp.maps m ON m.rowid = s.maps + 1)
SELECT s.variant, v.id FROM step s JOIN variants v ON v.variant || '/' = s.id
WHERE s.maps = (SELECT count(*) FROM temp.maps) AND v.id <> s.variant;
SELECT 2, printf('--map %s=%s:%s: no build of %s has one of %s beside it; ''ulplab sql'' lists variants', axis, old,
  new, old, new)
FROM temp.maps m WHERE NOT EXISTS(SELECT 1 FROM temp.rename_to t JOIN variants v ON v.id = t.variant
  WHERE instr(v.variant || '/', printf('/%s=%s/', m.axis, m.old)));
WITH concerned AS MATERIALIZED (SELECT variant AS id FROM temp.rename_to UNION SELECT name FROM temp.rename_to),
has AS MATERIALIZED (
  SELECT blob, variant FROM scans WHERE variant IN concerned UNION
  SELECT blob, variant FROM cells WHERE variant IN concerned UNION SELECT blob, variant FROM codes
    WHERE variant IN concerned
  UNION SELECT e.blob, ev.variant FROM error_variants ev CROSS JOIN errors e ON e.id = ev.error
    WHERE ev.variant IN concerned)
INSERT INTO renamed
SELECT blob, max(variant), name FROM has JOIN temp.rename_to USING (variant)
WHERE NOT EXISTS(SELECT 1 FROM has h WHERE h.blob = has.blob AND h.variant = name) GROUP BY blob, name;
