-- SPDX-License-Identifier: MIT
-- One operation (temp.asked_op) on one CPU: kernels, shapes, libraries, errors, every input, flags, bits, what fell.
SELECT r.started AS "words|Measured %s (%s), from one run. For each kernel and ISA it shows the fastest advised build,
  else the fastest; at %d row%s of %d elements, one thread. Dashes: not measured.",
  coalesce(r.mode, 'mode unknown'), h."rows", iif(h."rows" = 1, '', 's'), h.n
FROM runs r LEFT JOIN home h ON h.run = r.id;
SELECT 0 AS "heading|Kernels";
SELECT s.algorithm AS "kernel|`%s`%s", iif(s.hazard, ' (hazard)', ''), nullif(s.dtype, 'f32') AS "?type",
  s.isa AS "ISA", s.cc AS "built by|%s `%s`", s.policy, s.ns AS "ns/element|%.3f ~[%.3f, %.3f]~", s.low, s.high,
  s.percent AS "% of limit|%P", error_text(s.error) AS "max error, normal|%s %s", s.unit,
  error_text(s.judged) AS "max error, all|%s %s", s.unit, s.lost AS "?lost|%d",
  iif(s.broken, 'fail', iif(s.advised, 'ok', '')) AS "verdict|{}%s",
  CASE WHEN s.broken THEN 'breaks a promise' WHEN s.advised THEN 'advised' WHEN NOT s.keeps THEN 'not advised'
    WHEN s.judged IS NULL THEN 'error not known' ELSE 'beyond the bar' END, s.builds AS "builds|%d"
FROM (SELECT *, count(*) OVER kernel AS builds, row_number() OVER (kernel ORDER BY NOT advised, ns IS NULL, ns, id) AS k
  FROM summary WHERE op IN asked_op WINDOW kernel AS (PARTITION BY grp, algorithm, isa)) s
JOIN groups g USING (run, grp) WHERE k = 1 ORDER BY g.place, s.ns IS NULL, s.ns, s.id;

SELECT 0 AS "heading|By shape" FROM picks p JOIN timed t USING (cell) WHERE p.isa <> '' AND t.op IN asked_op LIMIT 1;
SELECT t."rows" || ' x ' || t.n AS "rows x n", nullif(t.dtype, 'f32') AS "?type", t.threads AS "threads|%d",
  t.residency AS "in", p.isa AS across, instr('scalar sse avx2 avx512', p.isa) AS place,
  t.algorithm AS "|`%s` **%.3f** ns, %s", t.ns, coalesce(printf('%.0f%%', t.percent), 'limit unknown')
FROM picks p JOIN timed t USING (cell) JOIN groups g ON g.run = p.run AND g.grp = p.grp
WHERE p.isa <> '' AND t.op IN asked_op ORDER BY g.place, t.threads, t."rows" * t.n, t.n, place;

SELECT 0 AS "heading|Beside libraries" FROM rivals WHERE kind = 'library' AND grp IN asked_op LIMIT 1;
SELECT r.isa AS "ISA", r."rows" || ' x ' || r.n AS "rows x n", l.algorithm AS "the lab's|`%s`",
  l.ns AS "ns/element|%.3f", replace(p.algorithm, 'peer-', '') AS "its", p.ns AS "ns/element|%.3f",
  iif(r.tied, '-', printf('%.2f [%.2f, %.2f]', r.ratio, r.low, r.high)) AS "its / lab"
FROM rivals r JOIN timed l ON l.cell = r.lab JOIN timed p ON p.cell = r.rival
WHERE r.kind = 'library' AND r.grp IN asked_op ORDER BY r.rowid;

SELECT 0 AS "heading|Errors by family of inputs" FROM erred e JOIN named v USING (variant)
WHERE v.op IN asked_op LIMIT 1;
SELECT 0 AS "words|The largest error over a kernel's builds that keep its promises, or over all builds if none does."
FROM erred e JOIN named v USING (variant) WHERE v.op IN asked_op LIMIT 1;
WITH kernel AS (
  SELECT e.run, v.grp, v.algorithm, v.dtype, e.family, max(e.error) AS error,
    max(e.error) FILTER (WHERE s.keeps) AS kept
  FROM erred e JOIN named v USING (variant) LEFT JOIN summary s USING (run, variant)
  WHERE v.op IN asked_op GROUP BY v.grp, v.algorithm, e.family)
SELECT k.algorithm AS "kernel|`%s`", nullif(k.dtype, 'f32') AS "?type", f.family AS across, f.place AS place,
  error_text(coalesce(k.kept, k.error)) AS ""
FROM kernel k JOIN families f USING (family) LEFT JOIN groups g USING (run, grp)
ORDER BY g.place IS NULL, g.place, k.algorithm, f.place;

SELECT 0 AS "heading|Every fp32 input" FROM vectors WHERE op IN asked_op LIMIT 1;
SELECT 'vector-math.html#op=' || op AS page, 'Every library, ISA, compiler and policy' AS text FROM temp.asked_op
WHERE op IN (SELECT op FROM vectors);

SELECT 0 AS "heading|Flags" FROM flag_sets WHERE op IN asked_op LIMIT 1;
SELECT sentence AS "item|%s" FROM flag_sets WHERE op IN asked_op AND sentence <> '' ORDER BY id;

SELECT 0 AS "heading|Bits" FROM meanings WHERE op IN asked_op LIMIT 1;
SELECT sentence AS "words|%s" FROM meanings WHERE op IN asked_op ORDER BY id;

SELECT 0 AS "heading|Not measured, and failed" FROM codes c JOIN named v USING (variant)
WHERE v.op IN asked_op AND c.status <> 'ok' LIMIT 1;
SELECT count(*) AS "item|%d variants: %s (%s)", c.status, coalesce(nullif(c.reason, ''), 'no reason is recorded')
FROM codes c JOIN named v USING (variant) WHERE v.op IN asked_op AND c.status <> 'ok' GROUP BY c.status, c.reason;
