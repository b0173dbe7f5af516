-- SPDX-License-Identifier: MIT
-- The rows of a comparison as people read them, those that changed most first where ?1 is not 0.
SELECT b.name AS "b", v.op || '/' || v.algorithm || iif(e.hazard, ' (hazard)', '') AS kernel,
  iif(p.axis IS 'isa', '*', v.isa) AS isa, iif(p.axis IS 'cc', '*', v.cc) AS cc, iif(p.axis IS 'policy', '*', v.policy) AS policy,
  h."rows" || 'x' || h.n || iif(h.threads > 1, ' t=' || h.threads, '') || iif(h.family IN ('normal', ''), '', ' ' || h.family)
    AS "rows x n",
  x.residency || iif(x.residency = y.residency, '', '/' || y.residency) AS "in",
  decimals(r.a_ns, 3) || ' ' || decimals(r.b_ns, 3) AS "ns/element a b",
  CASE WHEN r.ratio IS NULL THEN '-' WHEN r.low IS NULL THEN printf('%.3f [-]', r.ratio)
    ELSE printf('%.3f [%.3f, %.3f]', r.ratio, r.low, r.high) END AS "b/a [95%]",
  CASE WHEN r.q IS NULL THEN '-' WHEN r.q < 0.001 THEN '<0.001' ELSE printf('%.3f', r.q) END AS q,
  iif(r.verdict = 'unknown', '~', r.verdict) AS verdict, r.flag AS flags,
  error_text(e.max_ulp_a) || ' ' || error_text(e.max_ulp_b) AS "max ulp a b",
  iif(e.counted, e.lost_a || ' ' || e.lost_b, '-') AS "lost a b",
  error_text(e.mean_ulp_a) || ' ' || error_text(e.mean_ulp_b) AS "mean ulp a b",
  CASE WHEN coalesce(e.cells, 0) = 0 THEN '-' WHEN e.equal = e.cells THEN '=' ELSE e.equal || '/' || e.cells END AS bits
FROM temp.compare_rows r JOIN temp.compare_sides b ON b.side = r."to" JOIN temp.compare_cells x ON x.id = r.a
JOIN temp.compare_cells y ON y.id = r.b JOIN variants v ON v.id = x.variant JOIN shapes h ON h.id = x.shape, temp.compare_plan p
LEFT JOIN temp.compare_accuracy e ON e.kin = r.kin AND e."from" = 0 AND e."to" = r."to"
ORDER BY iif(?1, r.verdict NOT IN ('faster', 'slower'), 0), iif(?1, -abs(ln(r.ratio)), 0), r."to", r.cell;
