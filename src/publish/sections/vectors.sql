-- SPDX-License-Identifier: MIT
-- The short vector-math table: for each unary function the fastest build, the most accurate, and ours. The whole
-- table is a separate page.
SELECT root || 'vector-math.html' AS page,
  'Every function, library, ISA, compiler and policy on a separate page' AS text
FROM given WHERE EXISTS(SELECT 1 FROM vectors);
SELECT bar AS "words|Cycles per element of rows in L1, one thread, and the largest error over all 2^32 inputs, for
  builds that keep a promise and have errors of at most %.3g. ""behind"": a library's build for that ISA is faster and
  more accurate. If vector-math.html is missing, `ulplab report --format html` writes it."
FROM given WHERE EXISTS(SELECT 1 FROM vectors);
WITH
ranked AS (
  SELECT v.*, printf('%s %s %s: ', v.isa, v.cc, v.policy) || CASE WHEN v.ns IS NULL THEN '' WHEN v.cycles IS NULL
      THEN printf('%.3f ns, ', v.ns) ELSE printf('%.2f cycles, ', v.cycles) END || exact_error(v.max_ulp, 3) || ' ulp'
      || iif(v.ns IS NULL, '', coalesce(', behind ' || v.ahead, '')) AS text,
    row_number() OVER (PARTITION BY op ORDER BY ns IS NULL, ns, max_ulp, place) AS by_time,
    row_number() OVER (PARTITION BY op ORDER BY max_ulp, ns IS NULL, ns, place) AS by_error,
    row_number() OVER (PARTITION BY op, own ORDER BY ns IS NULL, ns, max_ulp, place) AS by_own
  FROM vectors v WHERE candidate)
SELECT o.op AS row_op, o.op AS function, f.algorithm AS "fastest|`%s` %s", f.text,
  iif(a.place = f.place, '', iif(a.place, '`', NULL)) AS "most accurate|%m%s%m%s", iif(a.place = f.place, 'the same',
    a.algorithm), iif(a.place = f.place, '', '` '), iif(a.place = f.place, '', a.text),
  iif(m.place IN (f.place, a.place), '', iif(m.place, '`', NULL)) AS "ours|%m%s%m%s",
  CASE m.place WHEN f.place THEN 'the fastest' WHEN a.place THEN 'the most accurate' ELSE m.algorithm END,
  iif(m.place IN (f.place, a.place), '', '` '), iif(m.place IN (f.place, a.place), '', m.text)
FROM (SELECT DISTINCT op FROM vectors) o LEFT JOIN ranked f ON f.op = o.op AND f.by_time = 1 AND f.ns IS NOT NULL
LEFT JOIN ranked a ON a.op = o.op AND a.by_error = 1
LEFT JOIN ranked m ON m.op = o.op AND m.own AND m.by_own = 1 ORDER BY o.op;
