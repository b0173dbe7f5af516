-- SPDX-License-Identifier: MIT
-- The effects of a policy by operation and compiler: speed, error, bits.
SELECT 0 AS "words|Each entry has the speed over `off` [95%% interval; above 1 is faster], over the cells whose code
  the policy changes, without hazards; over all operations each has the same weight. Multiplications and additions in
  intrinsics are separate from plain loops, in which the compiler contracts expressions. Then follow the number of
  cells with unchanged code, and the errors of kernels on family `normal` over those under `off`: the geometric mean
  and the largest ratio. Kernels are counted by ISA. Only fp32: storage in 16 bits hides the effects of a policy."
  FROM summary LIMIT 1;

WITH
policy AS (SELECT policy, min(rank) AS rank FROM summary GROUP BY policy),
known AS (
  SELECT cc, policy, op FROM policy_speeds WHERE op IS NOT NULL UNION SELECT cc, policy, op FROM policy_changes
    WHERE op IS NOT NULL
  UNION SELECT cc, policy, NULL FROM judged),
line AS (SELECT k.cc, k.op, g.place, s.first FROM known k
  JOIN (SELECT cc, min(id) AS first FROM summary GROUP BY cc) s USING (cc)
  LEFT JOIN groups g ON g.grp = k.op WHERE k.policy = 'off'),
speed AS MATERIALIZED (
  SELECT cc, policy, op, max(iif(kind = 'intrinsics', speed, NULL)) AS intrinsics, max(speed) AS any,
    group_concat(text, ' ') AS text FROM (
    SELECT *, printf('**%s**%s ~%s, %d cells%s~', figure, reach, name, cells, span) AS text FROM policy_texts
    ORDER BY place) GROUP BY cc, policy, op)
SELECT l.op AS row_op, l.cc AS row_cc, 'matrix' AS style, coalesce(l.op, 'all operations') AS operation,
  l.cc AS compiler,
  p.policy AS across, p.rank AS place, iif(p.policy = 'off', 'heat h0', coalesce(heat(coalesce(f.intrinsics, f.any)),
  '')) AS "|{}%m", iif(p.policy = 'off', '**1**', coalesce(f.text || ' ', iif(s.same_code, '', '- ')) || '~' || ltrim(
    iif(s.same_code, '; the code of off in ' || s.same_code || ' cells', '')
    || iif(c.error IS NULL, '', printf('; errors %s x, at most %s x; %d of %d kernels other bits', digits(c.error, 3),
      digits(c.worst, 3), c.changed, c.kernels)) || iif(c.lost > 0, '; ' || grouped(c.lost) || ' results lost', '')
    || coalesce((SELECT printf('; %s subnormal results are 0', grouped(max(flushed))) FROM flushes z JOIN named v
      USING (variant)
      WHERE z.cc = l.cc AND z.policy = p.policy AND (l.op IS NULL OR v.grp = l.op) HAVING max(flushed) > 0), ''),
        '; ') || '~')
FROM line l JOIN policy p LEFT JOIN policy_speeds s ON s.cc = l.cc AND s.policy = p.policy AND s.op IS l.op
  AND s.kind IS NULL
LEFT JOIN speed f ON f.cc = l.cc AND f.policy = p.policy AND f.op IS l.op
LEFT JOIN policy_changes c ON c.cc = l.cc AND c.policy = p.policy AND c.op IS l.op
ORDER BY l.first, l.op IS NOT NULL, l.place, p.rank, p.policy;
