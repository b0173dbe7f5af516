-- SPDX-License-Identifier: MIT
-- What sinfo says of a fleet's nodes (fleet.sql): lines such as "a,b NODE", "(null) NODE" of one without features, or
-- "PARTITION* NODE", whose * marks the default one. ?1: which of the two; ?2: the most types.
CREATE TEMP TABLE nodes AS
SELECT place, replace(iif(said = '(null)', '-', said), ',', '&') AS features, node FROM (SELECT rowid AS place,
    rtrim(substr(line, 1, instr(line || ' ', ' ') - 1), '*') AS said, substr(line, instr(line || ' ', ' ') + 1) AS node
  FROM lines) WHERE said <> '';
SELECT 2, printf('fleet: %.40s..: more than 511 bytes of features; plan with --nodes-by partition', features)
FROM nodes WHERE length(features) > 511;
-- features_of: one by one; sets: in one order, as theirs tells nothing.
CREATE TEMP TABLE features_of AS SELECT DISTINCT features, value AS feature
FROM (SELECT features FROM nodes UNION SELECT features FROM types),
  json_each('["' || iif(?1 = 'feature', replace(features, '&', '","'), features) || '"]');
CREATE TEMP TABLE sets AS SELECT features, group_concat(feature, '&') AS "set"
FROM (SELECT * FROM features_of ORDER BY features, feature) GROUP BY features;
UPDATE types SET nodes = (SELECT count(*) FROM nodes JOIN sets s USING (features) JOIN sets t USING ("set")
  WHERE t.features = types.features);
-- A type's name can be a file's, and no other type has it: other characters become +, as in zen4+bigmem.
INSERT INTO types(place, name, features, nodes, way)
WITH RECURSIVE
new AS (SELECT features, count(*) AS nodes, min(place) AS first FROM nodes JOIN sets USING (features)
  WHERE "set" NOT IN (SELECT "set" FROM types JOIN sets USING (features)) GROUP BY "set"),
spelt(features, name, rest) AS (
  SELECT features, '', substr(iif(features = '-', 'without-features', features), 1, 50) FROM new UNION ALL
  SELECT features, name || iif(rest GLOB '[-A-Za-z0-9_]*' OR rest GLOB '.*' AND name <> '', substr(rest, 1, 1), '+'),
    substr(rest, 2) FROM spelt WHERE rest <> ''),
named AS (SELECT (SELECT count(*) FROM types) + row_number() OVER (ORDER BY first) - 1 AS place, name, features, nodes,
  row_number() OVER (PARTITION BY name ORDER BY first) > 1 OR name IN (SELECT name FROM types) AS taken
  FROM new JOIN spelt USING (features) WHERE rest = '')
SELECT place, name || iif(taken, '+' || place, ''), features, nodes, ?1 FROM named;
SELECT 2, 'fleet: sinfo lists no node: Slurm is not installed here, or has none configured'
WHERE NOT EXISTS(SELECT 1 FROM types);
SELECT 2, printf('fleet: more than %d types of nodes; plan by partition', ?2) WHERE (SELECT count(*) FROM types) > ?2;
