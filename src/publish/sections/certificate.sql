-- SPDX-License-Identifier: MIT
-- The oracle's own error, measured by MPFR (make certify). rows, values: those compared. max_ulp: the largest error,
-- in ulp of the type. beyond: rows marked as beyond the oracle. certified: all other rows keep the promise.
SELECT (SELECT bits FROM certificates WHERE dtype = 'f32' ORDER BY id
  LIMIT 1) AS "words|The oracle against MPFR with %d bits (make certify): over %d values its largest error is %.2e
    fp32 ulp; the promise is 2^-10 = 9.77e-04. %d rows are marked as beyond the oracle, and are in no figure of this
    report. %s", sum("values"), max(max_ulp), sum(beyond),
  iif(min(coalesce(certified, 0)), 'Every line is certified.', 'NOT every line is certified: see the last column.')
FROM certificates WHERE dtype = 'f32' HAVING count(*) > 0;

SELECT sum("values") AS "words|The oracle of double: over %d values its largest error is %.2e ulp of double, for
  operations with cancellation %.2e; the promises are 2^-40 = 9.09e-13 and 2^-10. %d rows are marked as beyond it. %s",
  max(iif(op IN ('logsumexp', 'layernorm', 'layernorm_bare'), 0, max_ulp)),
  max(iif(op IN ('logsumexp', 'layernorm', 'layernorm_bare'), max_ulp, 0)), sum(beyond),
  iif(min(coalesce(certified, 0)), 'Every line is certified.', 'NOT every line is certified: see the last column.')
FROM certificates WHERE dtype = 'f64' HAVING count(*) > 0;

SELECT op AS operation, dtype AS type, coalesce(family, '') AS family, "rows" AS "rows|%d", "values" AS "values|%d",
  max_ulp AS "worst error, ulp|%.2e", coalesce(at, '') AS at, iif(beyond > 0, 'd2', '') AS "beyond|{}%d", beyond,
  iif(certified, '', 'd3') AS "certified|{}%s", iif(certified, 'yes', 'NO') FROM certificates ORDER BY id;

SELECT text AS words FROM other_builds WHERE what = 'certificate';
