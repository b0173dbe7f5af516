-- SPDX-License-Identifier: MIT
-- The policies for people: policies of the same code in every cell are one line, that of the first of them.
-- tint: good (1), faint (3); then the texts of the columns.
WITH
stable AS (
  SELECT cc, policy, count(isa) AS isas, total(isa) AS isa, count(over_cc) AS ccs, total(over_cc) AS over_cc, count(tail) AS tails,
    total(tail) AS tail, count(threads) AS teams, total(threads) AS threads FROM policy_kernels WHERE fits GROUP BY cc, policy),
line AS (
  SELECT f.*, (SELECT group_concat(policy, ' = ') FROM (SELECT policy FROM judged o WHERE o.place = f.place
      OR (f.code <> '' AND o.cc = f.cc AND o.code = f.code) ORDER BY place)) AS names,
    coalesce((SELECT o.place FROM recommended JOIN judged o USING (place) WHERE f.code <> '' AND o.cc = f.cc
      AND o.code = f.code), f.place) AS spoken
  FROM judged f WHERE f.code IN ('', f.policy))
SELECT iif(l.spoken = (SELECT place FROM recommended), 1, iif(l.objection = '', 0, 3)) AS tint, l.cc, l.names AS policy,
  iif(l.speed IS NULL, '-', printf('%.3f [%.3f, %.3f]', l.speed, l.low, l.high))
    || iif(l.left_out, ' (' || l.left_out || ' left out)', '') AS "speed [95%]",
  coalesce(decimals(l.overall, 3), '-') AS overall, coalesce(digits(l.error, 3), '-') AS error,
  coalesce(grouped(l.lost), '-') AS lost, iif(l.measured, l.changed || '/' || l.measured, '-') AS bits,
  iif(s.isas, iif(s.isa = s.isas, 'yes', printf('no %d/%d', s.isa, s.isas)), '-') AS isa,
  iif(s.ccs, iif(s.over_cc = s.ccs, 'yes', printf('no %d/%d', s.over_cc, s.ccs)), '-') AS cc,
  iif(s.tails, iif(s.tail = s.tails, 'yes', printf('no %d/%d', s.tail, s.tails)), '-') AS tail,
  iif(s.teams, iif(s.threads = s.teams, 'yes', printf('no %d/%d', s.threads, s.teams)), '-') AS threads,
  iif(EXISTS(SELECT 1 FROM cases), json_array_length(l.cases) || '', '-') AS cases, iif(v.pareto, 'yes', '-') AS front,
  (SELECT verdict FROM verdicts w WHERE w.place = l.spoken) AS verdict,
  iif(l.worst > 1, printf('%s x: %s (%s %s, off %s)', digits(l.worst, 3), l.worst_kernel, error_text(l.worst_error), l.unit,
    error_text(l.worst_off)), NULL) AS growth
FROM line l JOIN verdicts v USING (place) LEFT JOIN stable s ON s.cc = l.cc AND s.policy = l.policy ORDER BY l.place;
