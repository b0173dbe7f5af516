-- SPDX-License-Identifier: MIT
-- The document of duel --json (render/rows.h).
SELECT 0 AS "", r.document -> 'machine' AS "machine:json", s.name AS other_commit, i.p95 AS identical_code_p95
FROM temp.compare_sides s JOIN runs r ON r.id = s.run JOIN temp.identical i ON i.run = s.run WHERE s.side = 0;
SELECT 0 AS "rows", id, family, ns AS ns_per_row, other_ns AS other_ns_per_row, ratio, low, high, p, q, detects,
  processes, off, verdict, same_bits AS "bits_equal:bool", iif(failure = '', 'ok', failure) AS status,
  nullif(reason, '') AS "reason?", iif(flag = 'two-modes', '["two-modes"]', NULL) AS "flags?:json"
FROM temp.duel_rows ORDER BY cell;
SELECT 0 AS "geomean{}", ratio, low, high, left_out FROM temp.compare_means WHERE op = '';
SELECT 0 AS gates, gate, asked AS "asked:bool", decided, text FROM temp.compare_gates;
