-- SPDX-License-Identifier: MIT
-- The lab compared with libraries and with the plain loop, per operation, ISA and shape.
CREATE TEMP TABLE IF NOT EXISTS library_cells AS SELECT c.place, v.grp, v.algorithm, v.isa, d.status, d.reason
FROM cells c JOIN cell_details d USING (blob, variant, shape) JOIN named v USING (variant) WHERE v.library;

SELECT 0 AS "words|No library was timed in this run: `make peers && ulplab run --peers`." FROM cells
WHERE NOT EXISTS(SELECT 1 FROM library_cells) LIMIT 1;

SELECT bar AS "words|Per operation, ISA and shape, on one thread and in the same interleaved run: the lab's fastest
  advised variant (no `reassoc`, no `fastmath`; errors up to %.3g ulp or u), the fastest library, and the fastest
  plain loop: a simple C loop, or Eigen, compiled in this run under its fastest policy, including `fastmath`.
  Intervals of times are 95%% over fresh processes; intervals of ratios combine the far ends of both, and so are
  wider; a ratio in bold is below 1 with its whole interval. two-modes: some processes took another time, which is
  given after the name with their number; time and ratio are the majority's, and without a majority the ratio is left
  out of the means, which say so. unsteady: the ratio is not known to within a tenth, or samples within a process vary
  so much that times (their medians) and ratios (of the fast samples) may differ. Errors are over family `normal`.
  log_softmax uses softmax's kernels. A library whose ISA cannot be limited is compared at the widest ISA."
  FROM given WHERE EXISTS(SELECT 1 FROM library_cells);

SELECT f.grp AS "item|%s, %s: no library is compared at %d of %d shapes: a call takes more than a fifth of the time of
  the fastest library there, %s.",
  f.isa, count(bound), count(*), group_concat(DISTINCT replace(t.algorithm, 'peer-', ''))
FROM field f LEFT JOIN timed t ON t.cell = f.bound WHERE f.lab IS NOT NULL GROUP BY f.grp, f.isa HAVING count(bound);
SELECT 0 AS "words|For moments, onednn and pytorchnorm run a whole layernorm, which is more work than moments."
  FROM library_cells WHERE grp = 'moments' LIMIT 1;

-- Libraries that were not timed are named with the reason.
SELECT key AS "item|%s: %s", value FROM runs, json_each(document, '$.request.peers')
WHERE EXISTS(SELECT 1 FROM library_cells);
SELECT grp AS "item|%s/%s, %s: **%s** %s", algorithm, isa, status, reason FROM (
  SELECT *, min(place) AS first FROM library_cells WHERE status <> 'ok' GROUP BY grp, algorithm, isa) ORDER BY first;

SELECT 0 AS "words|No shape was timed on both sides."
WHERE EXISTS(SELECT 1 FROM library_cells) AND NOT EXISTS(SELECT 1 FROM rivals);

SELECT 0 AS "words|Times over the lab's, geometric means over the shapes `default`; equal: the interval contains 1."
FROM rivals LIMIT 1;
WITH
one AS (SELECT r.*, r.shapes = 'default' AS usual, max(r.shapes = 'default') OVER (PARTITION BY r.run, kind, r.grp,
  r.isa) AS any, iif(kind = 'library', coalesce((SELECT document FROM runs d WHERE d.id = r.run) ->> ('$.request.peers.'
      || replace(t.algorithm, 'peer-', '')),
      replace(t.algorithm, 'peer-', '')), NULL) AS version FROM rivals r JOIN timed t ON t.cell = r.rival),
mean AS (
  SELECT kind, grp, isa, count(ratio) || iif(sum(tied), ', ' || sum(tied) || ' left out', '') AS shapes,
    sum(low > 1) AS faster, count(ratio) - sum(coalesce(low > 1, 0)) - sum(coalesce(high < 1, 0)) AS equal,
    sum(high < 1) AS slower, geomean(ratio) AS ratio, replace(replace(group_concat(DISTINCT version), ',', ', '), '  ',
      ' ') AS fastest
  FROM one WHERE usual = any GROUP BY kind, grp, isa)
SELECT f.grp AS row_op, f.grp AS operation, f.isa AS "ISA", a.fastest AS "?the fastest, with its version|{text}%s",
  a.shapes, a.faster AS "lab faster / equal / slower|%d / %d / %d",
  a.equal, a.slower, a.ratio AS "library / lab|**%.2f**", b.shapes, b.faster
    AS "lab faster / equal / slower|%d / %d / %d",
  b.equal, b.slower, b.ratio AS "plain loop / lab|**%.2f**"
FROM (SELECT DISTINCT grp, isa FROM rivals) f LEFT JOIN mean a ON a.grp = f.grp AND a.isa = f.isa AND a.kind = 'library'
LEFT JOIN mean b ON b.grp = f.grp AND b.isa = f.isa AND b.kind = 'loop' ORDER BY f.grp, f.isa;

-- Markdown only has libraries at the shapes `default`; if none of these was timed, at all shapes.
CREATE TEMP TABLE IF NOT EXISTS kinds AS SELECT column1 AS kind, column2 AS name, EXISTS(
  SELECT 1 FROM field f JOIN timed l ON l.cell = f.lab WHERE l.shapes = 'default') AS has_default
FROM (VALUES('library', 'library'), ('loop', 'plain loop')) WHERE EXISTS(SELECT 1 FROM rivals);
SELECT kind AS each, name, has_default AND NOT :html AS usual FROM kinds WHERE kind = 'library' OR :html;
SELECT :name AS "words|Compared with the fastest %s%s:",
  iif(:usual, ', at the shapes `default` (report.html has all)', '') AS "of them|%m";
SELECT r.grp AS row_op, r.grp AS operation, r.isa AS "ISA", r."rows" AS "rows x n|%dx%d", r.n, l.residency AS "in",
  l.algorithm AS "the lab's|`%s` %s `%s`%s", l.cc, l.policy, iif(l.two_modes, ' (row: ' || l.modes || ')', ''),
  l.ns AS "ns/element|%.3f ~[%.3f, %.3f]~", l.low, l.high, error_text(x.error) AS "max error|%s %s", u.unit,
  iif(p.library, '', '`') AS "its|%m%s%m%s%m%s%m%s", replace(p.algorithm, 'peer-', ''), iif(p.library, '', '` '),
  iif(p.library, '', p.cc), iif(p.library, '', ' `'), iif(p.library, '', p.policy), iif(p.library, '', '`'),
  iif(p.two_modes, ' (row: ' || p.modes || ')', ''), p.ns AS "ns/element|%.3f ~[%.3f, %.3f]~", p.low, p.high,
  error_text(y.error) AS "max error|%s %s", u.unit,
  iif(r.high < 1, 'heat h-2', iif(r.low <= 1, 'heat h0', '')) AS "its / lab|{}%m%s",
  iif(r.tied, '-', printf(iif(r.high < 1, '**%.2f** ~[%.2f, %.2f]~%s', '%.2f ~[%.2f, %.2f]~%s'), r.ratio, r.low, r.high,
    iif(r.low <= 1 AND r.high >= 1, ' equal', ''))), iif(r.flag <> '', ' ' || r.flag, '')
FROM rivals r JOIN timed l ON l.cell = r.lab JOIN timed p ON p.cell = r.rival JOIN units u ON u.run = r.run
  AND u.op = l.op
LEFT JOIN normal_errors x ON x.run = r.run AND x.variant = l.variant
LEFT JOIN normal_errors y ON y.run = r.run AND y.variant = p.variant
WHERE r.kind = :each AND (NOT :usual OR r.shapes = 'default') ORDER BY r.rowid;
SELECT 0 AS "end";
SELECT 0 AS "words|The comparison with the fastest plain loop is in report.html." FROM kinds WHERE NOT :html LIMIT 1;
