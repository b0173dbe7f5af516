-- SPDX-License-Identifier: MIT
-- Recommendations by operation: the fastest variant and the most accurate one.
SELECT h."rows" AS "words|Per operation, at %d row%s of %d elements (one pinned thread, family `normal`), the fastest
  variant that keeps every promise of its file, and the most accurate one. Both are within the bar of %.3g ulp, or u
  where results come near zero (`--max-ulp`), over every input if there is a whole scan, else over all families%s. If
  the times of candidates do not differ significantly, or by no more than those of identical code, the smaller error
  decides, then the more conservative policy. `reassoc` and `fastmath` promise nothing and are not candidates; a
  kernel whose errors no promise bounds is a candidate if it loses no result.",
  iif(h."rows" = 1, '', 's'), h.n, bar, lengths.text
FROM home h, given, lengths;

SELECT sum(NOT steady) AS "words|%d of %d blocks of cells stayed unsteady (the ratio of two timings of the same code
  is not known to within 1%%): %s.", count(*), (SELECT group_concat(block, ', ') FROM (
    SELECT iif(k = 9, '...', block) AS block FROM (
      SELECT block, row_number() OVER (ORDER BY block) AS k FROM blocks WHERE NOT steady) WHERE k <= 9 ORDER BY k))
FROM blocks HAVING sum(NOT steady) > 0;

-- On the page each row is a card.
SELECT g.grp AS row_op, 'cards' AS style, g.grp AS operation, f.algorithm AS "fastest|`%s` %s %s `%s`", f.isa, f.cc,
  f.policy, f.ns AS "ns/element [95% interval]|%.3f ~[%.3f, %.3f]~", f.low, f.high, f.percent AS "% of limit|%P",
  error_text(f.error) AS "max error|%s %s", f.unit, a.algorithm AS "most accurate|`%s` %s %s `%s`", a.isa, a.cc,
  a.policy, a.ns AS "ns/element [95% interval]|%.3f ~[%.3f, %.3f]~", a.low, a.high, a.percent AS "% of limit|%P",
  error_text(a.error) AS "max error|%s %s", a.unit
FROM groups g LEFT JOIN choices c USING (run, grp) LEFT JOIN summary f ON f.run = g.run AND f.variant = c.fastest
LEFT JOIN summary a ON a.run = g.run AND a.variant = c.accurate ORDER BY g.place;

-- If no kernel is advised, the one that exceeds the bar by least is named.
SELECT grp AS "words|%s: no kernel is within the bar. The nearest, `%s` %s %s `%s`, has an error of %s %s.",
  algorithm, isa, cc,
  policy, error_text(judged), unit
FROM (SELECT s.*, g.place, row_number() OVER (PARTITION BY s.grp ORDER BY s.judged, s.id) AS k
  FROM summary s JOIN groups g USING (run, grp)
  WHERE s.home IS NOT NULL AND s.keeps AND s.judged IS NOT NULL AND s.grp NOT IN (SELECT grp FROM choices))
WHERE k = 1 ORDER BY place;

SELECT 0 AS "heading|Speed against error" FROM home WHERE :drawn;
SELECT 0 AS "words|Every variant at that shape: left is faster, down is more accurate. The line is the Pareto front:
  no variant is both faster and more accurate than one on the front. Hazards (hollow) are wrong by design on some
  inputs and never on the front." FROM home WHERE :drawn;
SELECT 'scatter' AS chart, 'Scatter of time per element against error, one point per variant' AS label FROM home;

SELECT 0 AS "words|Errors are over family `normal`, every row length, against an fp64 oracle: in fractional ULP, |got
  - exact| / ulp(exact), which is at most 0.5 for a correctly rounded result; or, where results come near zero and the
  error in ULP has no bound (logsumexp, moments, layernorm), in u = 2^-24 relative to the size of the inputs. Rows
  named bf16 and f16 are the same kernels with x and y stored in that type and fp32 arithmetic: their errors are in
  ulp and u of that type (moments stay fp32), they are only compared with each other, and sums over all operations
  leave them out.";
SELECT op AS "words|%s is measured against the reference in `%s`, which is not certified.", reference
FROM units WHERE reference IS NOT NULL;
