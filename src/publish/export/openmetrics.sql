-- SPDX-License-Identifier: MIT
-- OpenMetrics 1.0, a line of text a row: which run, then a family of metrics for each figure of timed cells and of
-- errors.
-- Labels are escaped as strings of JSON are. Errors where results were lost are +Inf. A cell has no sample where it
-- has no figure.
WITH
families(place, name, unit, help) AS (VALUES
  (1, 'ulplab_time_per_element', 'seconds', 'Median time of an element over fresh processes.'),
  (2, 'ulplab_time_per_element_low', 'seconds', 'Lower end of the 95% interval.'),
  (3, 'ulplab_time_per_element_high', 'seconds', 'Upper end of the 95% interval.'),
  (4, 'ulplab_limit', 'ratio', 'Time at the limit of this core over the time taken.'),
  (5, 'ulplab_error_max', 'ulps', 'Largest error in units in the last place; infinite where results were lost.'),
  (6, 'ulplab_results_lost', '', 'Results without a distance from the exact value: wrong NaN and infinities.')),
label(variant, text) AS (SELECT v.id, (SELECT group_concat(key || '=' || json_quote(coalesce(value, '')), ',')
    FROM json_each(json_object('variant', v.variant, 'op', v.op, 'algorithm', v.algorithm, 'dtype', v.dtype, 'isa',
      v.isa, 'cc', v.cc, 'policy', v.policy))) FROM variants v),
cell AS (SELECT c.variant, c.place, c.ns * 1e-9 AS time, c.low * 1e-9 AS low, c.high * 1e-9 AS high, c.percent / 100 AS
  share, printf('rows="%d",n="%d",threads="%d",family=%s', s."rows", s.n, s.threads, json_quote(s.family)) AS shape
  FROM cells c JOIN shapes s ON s.id = c.shape),
error AS (SELECT DISTINCT ev.variant, e.id AS place, iif(e.lost > 0, 9e999, e.max_ulp) AS max_ulp, e.lost,
    printf('n="%d",family=%s', e.n, json_quote(coalesce(e.family, ''))) AS shape
  FROM errors e JOIN error_variants ev ON ev.error = e.id WHERE coalesce(e.status, '') NOT IN ('skipped', 'unbuilt')),
sample(family, variant, place, shape, value) AS (
  SELECT 1, variant, place, shape, time FROM cell UNION ALL SELECT 2, variant, place, shape, low FROM cell
  UNION ALL SELECT 3, variant, place, shape, high FROM cell UNION ALL SELECT 4, variant, place, shape, share FROM cell
  UNION ALL SELECT 5, variant, place, shape, max_ulp FROM error UNION ALL SELECT 6, variant, place, shape, lost FROM
    error)
SELECT 0 AS lines, text FROM (
  SELECT 0 AS family, 0 AS part, 0 AS place, 0 AS variant, '# TYPE ulplab_run info
# HELP ulplab_run The run that the figures are of.
ulplab_run_info{' || (SELECT group_concat(key || '=' || json_quote(coalesce(value, '')), ',')
    FROM json_each(json_object('run', r.run, 'machine', m.slug, 'brand', m.brand, 'version', b.version, 'commit',
      b."commit", 'started', r.started))) || '} 1' AS text
  FROM runs r JOIN machines m ON m.id = r.machine JOIN builds b ON b.id = r.build
  UNION ALL SELECT place, 0, 0, 0, printf('# TYPE %s gauge', full) || iif(unit = '', '', printf('
# UNIT %s %s', full, unit)) || printf('
# HELP %s %s', full, help) FROM (SELECT *, name || iif(unit = '', '', '_' || unit) AS full FROM families)
  UNION ALL SELECT s.family, 1, s.place, s.variant, f.name || iif(f.unit = '', '', '_' || f.unit) || '{' || l.text ||
    ',' || s.shape || '} ' || iif(s.value > 1e308, '+Inf', printf('%.9g', s.value))
  FROM sample s JOIN families f ON f.place = s.family JOIN label l ON l.variant = s.variant WHERE s.value IS NOT NULL
  UNION ALL SELECT 9, 0, 0, 0, '# EOF')
ORDER BY family, part, place, variant;
