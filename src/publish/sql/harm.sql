-- SPDX-License-Identifier: MIT
-- Is a build as good as an unflagged one of the same source? `accuracy` has rows of `ulplab accuracy --beside ID` as
-- JSON, `base` that ID. This is the one rule for flags that give something up, of `try` and of `flags`: a build does no
-- harm if no result is wrong that the base computes; no result changes between a number and NaN, infinity or zero,
-- whatever the oracle says of it, as the source may have meant it; and no family's largest or mean error is more than
-- 1.5 times, and half a unit, above the base's: over all inputs, and over those alone where the base errs by at most
-- 4096, so that no error which both have hides another.
CREATE TEMP TABLE cell AS
SELECT a.rowid AS place, record ->> 'id' AS id, record ->> 'family' AS family, record ->> 'n' AS n,
  record ->> 'status' AS status,
  iif(record ->> 'near_zero', 'u', 'ulp') AS unit, record ->> 'elements' AS elements, record ->> 'compared' AS compared,
  record ->> 'lost' AS lost, record ->> 'wrong' AS wrong, record ->> 'answered' AS answered,
  coalesce(record ->> 'flushed', record ->> '$.counts.flushed') AS flushed, record ->> 'error' AS error,
  iif(instr(record ->> 'infinite', '"mean_error"'), 9e999, record ->> 'mean_error') AS mean, record ->> 'bits' AS bits,
  record ->> 'numbers' AS numbers, record ->> '$.beside.id' AS of, record ->> '$.beside.wrong' AS its_wrong,
  (record ->> '$.beside.nan') + (record ->> '$.beside.inf') + (record ->> '$.beside.zero') AS changed,
  record ->> '$.beside.nan' AS changed_nan, record ->> '$.beside.error' AS here, record ->> '$.beside.of_base' AS there,
  record ->> '$.beside.mean' AS here_mean, record ->> '$.beside.mean_of_base' AS there_mean, record
FROM accuracy a;
CREATE INDEX temp.cells_of_builds ON cell(id, family, n);
CREATE TEMP TABLE family AS
SELECT id, family, unit, max(error) AS error, n, sum(mean * elements) / sum(elements) AS mean, max(here) AS here,
  max(there) AS there,
  sum(here_mean * elements) / sum(elements) AS here_mean, sum(there_mean * elements) / sum(elements) AS there_mean
FROM cell WHERE bits IS NOT NULL GROUP BY id, family;
CREATE TEMP TABLE grown AS
WITH pair AS (SELECT f.*, b.error AS of_error, b.mean AS of_mean FROM base JOIN family b ON b.id = base.id
  JOIN family f USING (family)),
both(id, family, n, unit, what, error, of_base) AS (
  SELECT id, family, n, unit, 'largest error', error, of_error FROM pair
  UNION ALL SELECT id, family, n, unit, 'mean error', mean, of_mean FROM pair WHERE of_mean < 9e999
  UNION ALL SELECT id, family, n, unit, 'largest error, of what is accurate without,', here, there FROM pair
  UNION ALL SELECT id, family, n, unit, 'mean error, of what is accurate without,', here_mean, there_mean FROM pair)
SELECT *, error / (1.5 * of_base + 0.5) AS beyond FROM both WHERE error > of_base;
CREATE TEMP TABLE harm AS
WITH base_flushed AS (SELECT family, n, flushed FROM base JOIN cell USING (id)),
sums AS (
  SELECT id, min(bits IS NOT NULL AND of IS (SELECT id FROM base)) AS known, count(*) = (SELECT count(*)
    FROM base_flushed) AS whole,
    sum(its_wrong) AS wrong, sum(changed) AS changed, sum(changed_nan) AS changed_nan,
    sum(max(0, c.flushed - coalesce(b.flushed, 0))) AS flushed FROM cell c LEFT JOIN base_flushed b USING (family, n)
      GROUP BY id),
worst AS (SELECT id, family, n, unit, what, error, of_base, max(beyond) AS beyond FROM grown GROUP BY id),
told AS (
  SELECT s.*, w.family, w.n, w.unit, w.what, w.error, w.of_base, coalesce(w.beyond > 1, 0) AS worse
  FROM sums s LEFT JOIN worst w USING (id))
SELECT *, known AND whole AND wrong = 0 AND changed = 0 AND NOT worse AS harmless,
  iif(known AND whole, nullif(substr(iif(wrong > 0, '; ' || grouped(wrong)
    || ' results are wrong that are right without', '') ||
    iif(changed > 0, '; ' || grouped(changed) || ' results change between a number and ' ||
      iif(changed_nan > 0, 'NaN', 'an infinity or a zero'), '') ||
    iif(worse, '; the ' || what || ' grows from ' || digits(of_base, 3) || ' to ' || digits(error, 3) || ' ' || unit ||
      ' on family ' || family, ''), 3), ''), 'it does not stand beside an unflagged build') AS why
FROM told;
