-- SPDX-License-Identifier: MIT
-- A run's row, from its machine.json, of which machine.sql ran before. ?1 its text, ?2 the run's identity if the text
-- has none, ?3 a hash of all its files, ?4 their bytes, ?5 the folder, ?6: 1 in memory, where one run may be loaded
-- twice, 0 in an archive's file.

INSERT OR IGNORE INTO builds(version, "commit", program, compilers)
SELECT coalesce(?1 ->> '$.tool.version', ''), coalesce(?1 ->> '$.tool.commit', ''),
  coalesce(?1 ->> '$.request.program', ''), (SELECT json_group_object(key, value) FROM (
    SELECT key, value FROM json_each(?1, '$.machine.compilers') WHERE key IS NOT NULL ORDER BY key));

INSERT INTO runs(run, machine, build, "commit", started, added, mode, seed, kernel, microcode, libraries, content,
  bytes, folder, document, finished, request)
SELECT i.run || iif(?6 AND EXISTS(SELECT 1 FROM runs r WHERE r.run = i.run), '+' || (SELECT count(*) FROM runs), ''),
  s.machine, b.id, b."commit", coalesce(?1 ->> 'started', ''), strftime('%Y-%m-%dT%H:%M:%SZ', 'now'),
  ?1 ->> '$.request.mode', ?1 ->> '$.request.seed', ?1 ->> '$.machine.kernel', ?1 ->> '$.machine.microcode',
  (SELECT json_group_object(key, value) FROM (SELECT key, value FROM json_each(json_patch(
    coalesce(?1 -> '$.machine.libraries', '{}'), coalesce(?1 -> '$.request.peers', '{}'))) ORDER BY key)),
  ?3, ?4, iif(?6, ?5, NULL), iif(?6, ?1, NULL), s.finished, s.request
FROM temp.said s, builds b, (SELECT coalesce(substr(nullif(?1 ->> 'run', ''), 1, 16), ?2) AS run) i
WHERE b.version = coalesce(?1 ->> '$.tool.version', '')
  AND b."commit" = coalesce(?1 ->> '$.tool.commit', '') AND b.program = coalesce(?1 ->> '$.request.program', '')
  AND b.compilers = (SELECT json_group_object(key, value) FROM (
    SELECT key, value FROM json_each(?1, '$.machine.compilers') WHERE key IS NOT NULL ORDER BY key));
