-- SPDX-License-Identifier: MIT
-- Reads ?1, the text of a run's machine.json: the run's facts into temp.said, its machine into machines.
DELETE FROM temp.said;
INSERT INTO said
SELECT NULL, iif(?1 ->> 'stamped' AND ?1 ->> 'run' <> '', coalesce(?1 ->> 'finished', ''), ?1 ->> 'finished'),
  json_set(json_remove(?1 -> 'request', '$.commit', '$.program', '$.adversarial'), '$.peers',
    (SELECT json_group_array(key) FROM
    (SELECT key FROM json_each(?1, '$.request.peers') ORDER BY key))), coalesce(m ->> 'slug', ''), m ->> 'label',
  coalesce(m ->> 'vendor', ''), coalesce(m ->> 'brand', ''), m ->> 'family', m ->> 'model', m ->> 'stepping',
  m -> 'features', m ->> '$.topology.memory_bytes', m ->> '$.topology.cores',
  coalesce((SELECT group_concat(printf('%s %d', value ->> 'level', value ->> 'bytes'), ', ')
    FROM json_each(m, '$.topology.caches') WHERE value ->> 'bytes' > 0), '')
FROM (SELECT ?1 -> 'machine' AS m);
INSERT OR IGNORE INTO machines(slug, label, vendor, brand, family, model, stepping, features, memory_bytes, cores,
  caches)
SELECT slug, label, vendor, brand, family, model, stepping, features, memory_bytes, cores, caches FROM temp.said;
UPDATE said SET machine = (SELECT m.id FROM machines m
  WHERE m.slug = said.slug AND m.brand = said.brand AND m.caches = said.caches AND m.cores IS said.cores);
