-- SPDX-License-Identifier: MIT
-- The document of compare --json (render/rows.h).
SELECT 0 AS "", r.document -> 'machine' AS "machine:json", p.kind AS comparison, p.axis AS axis
FROM temp.compare_plan p, runs r JOIN temp.compare_sides s ON s.run = r.id WHERE side = 0;
SELECT 0 AS sides, s.name, s.folder, s.value, coalesce(r.document ->> '$.machine.slug', '') AS slug,
  coalesce(r.document ->> '$.tool.commit', '') AS "commit", nullif(r.document ->> 'started', '') AS started,
  c.compilers FROM temp.compare_sides s JOIN runs r ON r.id = s.run LEFT JOIN temp.compare_compilers c USING (side)
    ORDER BY side;
SELECT 0 AS "", margin, 'ns_per_element; ratio is time of b over time of a' AS unit,
  grids_differ AS "grids_differ:bool",
  (SELECT json_array(coalesce(sum(cells) FILTER (WHERE side = 0), 0), coalesce(sum(cells) FILTER (WHERE side > 0), 0))
    FROM temp.compare_beyond) AS "alone:json" FROM temp.compare_plan, temp.compare_counts;
SELECT 0 AS beyond, s.name AS side, b.cells, b.why FROM temp.compare_beyond b JOIN temp.compare_sides s USING (side)
WHERE b.cells ORDER BY s.side, b.why DESC;
SELECT 0 AS "", changed AS other_code FROM temp.compare_counts;
SELECT 0 AS shifts, s.name AS side, exp(h.shift) AS ratio, h.cells FROM temp.compare_shifts h
  JOIN temp.compare_sides s ON s.side = h."to";
SELECT 0 AS gates, gate, asked AS "asked:bool", decided, text FROM temp.compare_gates;

SELECT 0 AS "rows", r.cell, f.name AS a_name, t.name AS b_name, r.a_ns AS a, r.b_ns AS b, r.ratio, r.low AS ci_low,
  r.high AS ci_high,
  r.p, r.q, r.detects, r.verdict, r.why, r.sided AS "side_by_side:bool",
  json_array(r.processes_a, r.processes_b) AS "processes:json",
  x.status AS status_a, y.status AS status_b, e.kin AS "accuracy:object",
  iif(e.counted, e.lost_a, NULL) AS "accuracy.lost_a", iif(e.counted, e.lost_b, NULL) AS "accuracy.lost_b",
  e.unlike AS "accuracy.unlike",
  e.variant AS "accuracy.variant", f.name AS "accuracy.a", t.name AS "accuracy.b",
  e.max_ulp_a AS "accuracy.max_ulp_a", e.max_ulp_b AS "accuracy.max_ulp_b",
  e.mean_ulp_a AS "accuracy.mean_ulp_a", e.mean_ulp_b AS "accuracy.mean_ulp_b", e.cells AS "accuracy.cells",
  e.equal AS "accuracy.equal",
  iif(e.cells, e.equal = e.cells, NULL) AS "accuracy.bits_equal:bool",
  iif(r.flag = '', NULL, json_array(r.flag)) AS "flags?:json"
FROM temp.compare_rows r JOIN temp.compare_sides f ON f.side = 0 JOIN temp.compare_sides t ON t.side = r."to"
JOIN temp.compare_cells x ON x.id = r.a JOIN temp.compare_cells y ON y.id = r.b
LEFT JOIN temp.compare_accuracy e ON e.kin = r.kin AND e."from" = 0 AND e."to" = r."to" ORDER BY r."to", r.cell;

SELECT 0 AS geomean, f.name AS a_name, t.name AS b_name, iif(m.op = '', 'all', m.op) AS op,
  iif(m.level = '', 'all', m.level) AS residency, m.ratio, m.low AS ci_low, m.high AS ci_high, m.left_out, m.faster,
  m.slower,
  m.same, m.unknown
FROM temp.compare_means m JOIN temp.compare_sides f ON f.side = 0 JOIN temp.compare_sides t ON t.side = m."to"
  ORDER BY m.rowid;
SELECT 0 AS accuracy, iif(e.counted, e.lost_a, NULL) AS lost_a, iif(e.counted, e.lost_b, NULL) AS lost_b,
  e.unlike AS unlike,
  e.variant AS variant, f.name AS a, t.name AS b, e.max_ulp_a AS max_ulp_a, e.max_ulp_b AS max_ulp_b,
  e.mean_ulp_a AS mean_ulp_a, e.mean_ulp_b AS mean_ulp_b, e.cells AS cells, e.equal AS equal,
  iif(e.cells, e.equal = e.cells, NULL) AS "bits_equal:bool"
FROM temp.compare_accuracy e JOIN temp.compare_sides f ON f.side = e."from" JOIN temp.compare_sides t ON t.side = e."to"
ORDER BY e.variant, e."from", e."to";
SELECT 0 AS classes, members, variants, first FROM temp.compare_classes;
SELECT 0 AS "identical_code{}", pairs, median, p90, p95, p99, side_by_side AS "side_by_side:bool"
FROM temp.identical JOIN temp.compare_sides USING (run) WHERE side = 0;
