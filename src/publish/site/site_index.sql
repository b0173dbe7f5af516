-- SPDX-License-Identifier: MIT
-- The index of a site: the CPUs, and the fastest build of each operation on each.
SELECT 0 AS "heading|CPUs" FROM temp.site_runs LIMIT 1;
SELECT r.slug || '/report.html' AS href, r.cpu AS "CPU", r.started AS measured, coalesce(r.mode, '') AS mode,
  r.version AS "ulplab|%s (%s)", r."commit",
  (SELECT count(*) FROM temp.pages p WHERE p.run = r.place) AS "operations|%d"
FROM temp.site_runs r ORDER BY r.place;
SELECT 0 AS "words|An operation's page shows the CPU's first run that has the operation." FROM temp.site_runs
GROUP BY slug HAVING count(*) > 1 LIMIT 1;

SELECT 0 AS "heading|Operations" FROM temp.pages LIMIT 1;
SELECT 0 AS "words|The fastest build that keeps its promises and the error bar, on one thread, at the shape at which
  most of a run's variants were timed: ns per element and largest error. CPUs were not measured side by side."
FROM temp.pages LIMIT 1;
SELECT 'matrix' AS style, p.op AS operation, p.slug || '/' || p.op || '.html' AS href, r.cpu AS across,
  r.place AS place, iif(p.ns IS NULL, 'nothing advised', printf('%.3f', p.ns)) AS "|**%s** ~%s~",
  iif(p.ns IS NULL, p.variants || ' variants', p.algorithm || ', ' || p.isa || ', ' || p.error || ' ' || p.unit)
FROM temp.pages p JOIN (SELECT slug, min(place) AS place, cpu FROM temp.site_runs GROUP BY slug) r USING (slug)
ORDER BY min(p.place) OVER (PARTITION BY p.op), p.op, r.place;

SELECT 0 AS "heading|All CPUs";
SELECT file AS page, title AS text FROM temp.others ORDER BY rowid;
