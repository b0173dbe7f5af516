-- SPDX-License-Identifier: MIT
-- The advice beside a piece of somebody's build: as JSON, and as a comment with the words that policy.h takes.
SELECT 0 AS "", 1 AS schema, j.cc, j.policy, iif(flags = '', '[]',
  '["' || replace(flags, ' ', '","') || '"]') AS "flags:json",
  why, a.folder AS "from.folder", m.slug AS "from.machine", r."commit" AS "from.commit",
  nullif(r.started, '') AS "from.started", '# ' || j.cc || ' ' || j.policy || ', chosen by ulplab policy from '
    || a.folder || ' ('
    || m.slug || '), ulplab ' || b.version || ' commit ' || iif(r."commit" = '', 'unknown', r."commit") || ', '
    || iif(r.started = '', 'of an unknown date', r.started) || char(10) || '# ' || why || char(10)
      || '# Measured at -O3'
    || iif(safe, '.', '; compile lines only: on a link line it changes the whole process.') || char(10)
    || iif(flags = '', '# No flag: this is what the compiler does under -std=gnu11 where nothing is said;' || char(10)
      || '# under -std=c11 gcc contracts nothing.' || char(10), '') AS comment, flags AS words,
  (SELECT json_group_array(json_object('cc', o.cc, 'policy', o.policy, 'words', o.flags)) FROM recommended_each e
    JOIN judged o USING (place) WHERE o.cc <> j.cc) AS "others:json"
FROM asked a, advice, runs r JOIN machines m ON m.id = r.machine JOIN builds b ON b.id = r.build
LEFT JOIN (SELECT * FROM judged JOIN recommended USING (place)) j;
