-- SPDX-License-Identifier: MIT
-- A run's entry in the index of a site: its machine, and the fastest candidate of each operation. Names are those of
-- files.
SELECT 0 AS "run{}", m.slug, coalesce(nullif(r.started, ''), 'unknown') AS started, b.version, b."commit", r.mode
FROM runs r JOIN machines m ON m.id = r.machine JOIN builds b ON b.id = r.build
WHERE m.slug <> '' AND length(m.slug) < 60 AND m.slug NOT GLOB '*[^a-z0-9-]*';
SELECT 0 AS pages, s.op, count(*) AS variants, f.algorithm, f.isa, f.cc, f.policy, f.ns, f.low, f.high, f.percent,
  error_text(f.error) AS error, f.unit
FROM summary s JOIN groups g USING (run, grp) LEFT JOIN choices c ON c.run = s.run AND c.grp = s.op
LEFT JOIN summary f ON f.run = s.run AND f.variant = c.fastest
WHERE s.op <> '' AND length(s.op) < 60 AND s.op NOT GLOB '*[^A-Za-z0-9_-]*' AND s.op NOT IN ('report', 'vector-math')
GROUP BY s.op ORDER BY min(g.place);
