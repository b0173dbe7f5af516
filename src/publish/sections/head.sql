-- SPDX-License-Identifier: MIT
-- The machine, program and compilers of the results, and whether the run is complete.
SELECT m.slug AS "words|Machine `%s`%s; ulplab %s (%s); compilers: %s.", iif(m.label = '', '', ' (' || m.label || ')'),
  b.version, b."commit", (SELECT group_concat(key || ' (' || value || ')', ' ')
    FROM json_each(r.document, '$.machine.compilers'))
FROM runs r JOIN machines m ON m.id = r.machine JOIN builds b ON b.id = r.build;
SELECT 0 AS "words|**This run did not end**: measurements are missing below; `ulplab run --resume`, with the same
  `--out`, continues it."
FROM runs WHERE document ->> 'stamped' AND document ->> 'run' <> '' AND coalesce(document ->> 'finished', '') = '';
