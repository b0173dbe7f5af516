-- SPDX-License-Identifier: MIT
-- The sides of a comparison. temp.compare_plan(kind, axis, margin): axis is NULL, or isa, cc, policy.
-- compare_kin: variants that are one but for the axis have one kin, and its name ("policy=*"); value: of the axis.
-- compare_code: the machine code of a variant in a run, of libraries the version.
-- compare_values: all values of the axis, the usual ones first and in the usual order, by run. Libraries have none.
CREATE TEMP TABLE compare_sides(side INTEGER PRIMARY KEY, run INTEGER, value TEXT, name TEXT, folder TEXT);
CREATE TEMP TABLE compare_kin(variant INTEGER PRIMARY KEY, kin INTEGER, name TEXT, value TEXT);
INSERT INTO compare_kin SELECT id, min(id) OVER (PARTITION BY name), name, value FROM (
  SELECT v.id, coalesce(replace(v.variant, '/' || p.axis || '=' || x.value, '/' || p.axis || '=*'), v.variant) AS name, x.value
  FROM variants v, temp.compare_plan p JOIN (SELECT id, CASE axis WHEN 'isa' THEN isa WHEN 'cc' THEN cc WHEN 'policy' THEN policy
    END AS value FROM variants, temp.compare_plan) x ON x.id = v.id
  WHERE p.axis IS NULL OR v.cc <> 'lib');
CREATE INDEX temp.compare_kin_of ON compare_kin(kin);
CREATE TEMP TABLE compare_code(run INTEGER, variant INTEGER, code TEXT, library INTEGER, PRIMARY KEY(run, variant)) WITHOUT ROWID;
INSERT OR REPLACE INTO compare_code
SELECT r.id, c.variant, c.hash, 0 FROM runs r JOIN codes c ON c.blob = r.codegen WHERE c.hash IS NOT NULL
UNION ALL SELECT r.id, v.id, r.document -> '$.request.peers' ->> substr(v.algorithm, 6), 1 FROM runs r, variants v
WHERE v.algorithm LIKE 'peer-%';
CREATE TEMP TABLE compare_values AS
SELECT run, value FROM (
  SELECT r.id AS run, k.value, c.place FROM runs r JOIN cells c ON c.blob = r.timing JOIN temp.compare_kin k USING (variant)
  UNION ALL SELECT e.run, k.value, 1e9 + e.record FROM temp.erred e JOIN temp.compare_kin k USING (variant))
WHERE value IS NOT NULL GROUP BY run, value
ORDER BY run, coalesce(nullif(instr('scalar  avx2    avx512  off     on      default fast    reassoc fastmath', value), 0), 99),
  min(place);
