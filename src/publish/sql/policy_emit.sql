-- SPDX-License-Identifier: MIT
-- The advice of `policy --emit json` (render/rows.h).
SELECT 0 AS "", 1 AS schema, j.cc, j.policy, iif(flags = '', '[]',
  '["' || replace(flags, ' ', '","') || '"]') AS "flags:json",
  why, a.folder AS "from.folder", m.slug AS "from.machine", r."commit" AS "from.commit",
  nullif(r.started, '') AS "from.started",
  (SELECT json_group_array(json_object('cc', o.cc, 'policy', o.policy, 'words', o.flags)) FROM recommended_each e
    JOIN judged o USING (place) WHERE o.cc <> j.cc) AS "others:json"
FROM asked a, advice, runs r JOIN machines m ON m.id = r.machine JOIN judged j JOIN recommended USING (place);
