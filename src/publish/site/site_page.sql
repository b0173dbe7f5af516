-- SPDX-License-Identifier: MIT
-- The data of a site's index: every page, for its search.
SELECT 0 AS pages, p.slug || '/' || p.op || '.html' AS address, r.cpu, p.op,
  coalesce(p.algorithm || ', ' || p.isa || ', ' || p.cc || ', ' || p.policy, p.variants || ' variants, nothing advised')
    AS says, p.ns + 0 AS ns, p.error || ' ' || p.unit AS error
FROM temp.pages p JOIN temp.site_runs r ON r.place = p.run
UNION ALL SELECT 0, slug || '/report.html', cpu, NULL, 'the CPU: answer, policies, machine', NULL, NULL
FROM temp.site_runs GROUP BY slug
UNION ALL SELECT 0, slug || '/vector-math.html', (SELECT cpu FROM temp.site_runs r WHERE r.slug = t.slug), NULL,
  'vector math: functions of one element, every library', NULL, NULL FROM temp.topics t WHERE topic = 2
UNION ALL SELECT 0, file, NULL, NULL, title, NULL, NULL FROM temp.others;
