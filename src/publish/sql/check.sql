-- SPDX-License-Identifier: MIT
-- Compares users' functions with a baseline. `given` has one row: `functions`, the entries of the check file, each
-- with `try`, the document of `ulplab try`, or {refused, own}: the reason for its absence, and whether it is the
-- function's fault; `baseline`, the results of an earlier check (or null); and `base`, whether an earlier version is
-- timed, too. All verdicts are made here. A build is compared with the baseline's build by the same compiler, or else
-- by the same family (gcc, clang).
CREATE TEMP TABLE asked AS
SELECT f.key AS place, f.value AS spec, f.value ->> 'name' AS name, f.value -> 'try' AS try,
  f.value ->> 'max_ulp' AS bar, f.value ->> 'max_slower' AS slower_bar, f.value -> 'allow' AS allow,
  f.value ->> '$.try.refused' AS refused, f.value ->> '$.try.own' AS own,
  f.value ->> '$.try.unanswered[0]' AS unanswered,
  coalesce((SELECT json_group_array(value) FROM json_each(f.value, '$.cc')), '[]') AS ccs
FROM given, json_each(document, '$.functions') f;
CREATE TEMP TABLE found AS
SELECT a.*, b.value AS build, b.value ->> 'cc' AS cc, b.value ->> 'status' AS status, b.value ->> 'reason' AS reason,
  b.value ->> 'error' AS error, b.value ->> 'unit' AS unit, b.value ->> 'mean_error' AS mean,
  coalesce(b.value ->> 'wrong', 0) AS wrong, coalesce(b.value ->> '$.counts.flushed', 0) AS flushed,
  b.value ->> 'results' AS results, b.value -> 'results_of' AS results_of, b.value ->> 'elements' AS elements,
  b.value ->> 'inputs' || coalesce(' samples ' || (a.spec ->> 'samples'), '')
    || coalesce(' ' || (a.spec -> 'input'), '') AS inputs,
  b.value ->> 'compared' AS compared, b.value ->> 'fault' AS fault,
  b.value ->> 'flags' AS flags, b.value ->> 'gives_up' AS gives_up, b.value ->> '$.before.ratio' AS ratio,
  b.value ->> '$.before.low' AS low,
  b.value ->> '$.before.high' AS high
FROM asked a, json_each(a.try, '$.builds') b
WHERE b.value ->> 'yours' AND (a.ccs = '[]' OR b.value ->> 'cc' IN (SELECT value FROM json_each(a.ccs)));
CREATE TEMP TABLE known AS
SELECT f.key AS name, c.key AS cc, c.value AS was FROM given, json_each(document, '$.baseline.functions') f,
  json_each(f.value) c;
CREATE TEMP TABLE checked AS
WITH
beside AS (
  SELECT f.*, k.cc AS base_cc, k.was,
    row_number() OVER (PARTITION BY f.place, f.cc ORDER BY k.cc IS f.cc DESC, k.cc DESC) AS nth
  FROM found f LEFT JOIN known k ON k.name = f.name
    AND (k.cc = f.cc OR substr(k.cc, 1, instr(k.cc, '-')) = substr(f.cc, 1, instr(f.cc, '-')))),
one AS (
  SELECT *, was ->> 'error' AS base_error, coalesce(was ->> 'wrong', 0) AS base_wrong,
    coalesce(was ->> 'flushed', 0) AS base_flushed, was ->> 'results' AS base_results, was -> 'results_of' AS base_of,
    iif(was ->> 'inputs' IS NULL, was ->> 'elements' IS elements, was ->> 'inputs' IS inputs) AS same_inputs,
    coalesce(' (' || base_cc || ' in the baseline)', '') AS base_name,
    (SELECT group_concat(value) FROM json_each(allow)) AS may,
    iif(json_type(build, '$.wrong_at') = 'object', printf('%s%s where %s is right (family %s, n = %d)',
      coalesce('input ' || (build ->> '$.wrong_at.input') || ' gives ', ''), build ->> '$.wrong_at.got',
      build ->> '$.wrong_at.want', build ->> '$.wrong_at.family', build ->> '$.wrong_at.n'), NULL) AS wrong_at,
    iif(json_type(build, '$.max_at') = 'object', printf('%s%s where %s is right (family %s, n = %d)',
      coalesce('input ' || (build ->> '$.max_at.input') || ' gives ', ''), build ->> '$.max_at.got',
      build ->> '$.max_at.want', build ->> 'worst_family', build ->> 'worst_n'), NULL) AS max_at
  FROM beside WHERE nth = 1),
-- lacks: why a build is unanswered. max_slower needs an earlier version that was built, too.
answered AS (
  SELECT o.*, CASE WHEN status = 'skipped' OR reason LIKE 'the reference of % ended so, not the kernel'
      THEN 'there is nothing to compare it with: ' || coalesce(reason, '')
    WHEN status = 'ok' AND error IS NULL AND wrong = 0 THEN coalesce('its errors were not measured: ' || unanswered,
      'no result could be compared')
    WHEN status = 'ok' AND unanswered IS NOT NULL THEN 'it was measured incompletely: ' || unanswered END AS lacks,
    CASE WHEN slower_bar IS NULL OR ratio IS NOT NULL THEN NULL
      WHEN EXISTS(SELECT 1 FROM json_each(o.try, '$.others') b WHERE b.value ->> 'kind' = 'before')
        THEN 'its time could not be compared with the earlier version''s'
      WHEN NOT base THEN 'it has max_slower, which needs --base with an earlier tree' END
      AS untimed
  FROM one o, (SELECT coalesce(document ->> 'base', 0) AS base FROM given)),
-- The faults, one per row.
why AS (
  SELECT place, cc, 1 AS n, status || ': ' || coalesce(reason, '') AS why FROM answered
  WHERE status <> 'ok' AND lacks IS NULL
  UNION ALL
  SELECT place, cc, 2, printf('%s results are wrong, %s in the baseline%s; the first: %s', grouped(wrong),
    grouped(base_wrong), base_name, wrong_at)
  FROM answered WHERE status = 'ok' AND wrong > base_wrong AND NOT coalesce(instr(may, 'lost'), 0)
  UNION ALL
  SELECT place, cc, 3, printf('the error is %s %s, above the bar of %s%s', digits(error, 3), unit, digits(bar, 3),
    coalesce(': ' || max_at, ''))
  FROM answered WHERE status = 'ok' AND error > bar
  UNION ALL
  SELECT place, cc, 4, printf('the error grew from %s to %s %s%s%s', digits(base_error, 3), digits(error, 3), unit,
    base_name, coalesce(': ' || max_at, ''))
  FROM answered WHERE status = 'ok' AND beyond(error, base_error) > 1 AND NOT coalesce(instr(may, 'errors'), 0)
  UNION ALL
  SELECT place, cc, 5, printf('%s subnormal results are zero, %s in the baseline%s', grouped(flushed),
    grouped(base_flushed), base_name)
  FROM answered WHERE status = 'ok' AND flushed > base_flushed AND NOT coalesce(instr(may, 'subnormals'), 0)
  UNION ALL
  SELECT place, cc, 6, 'its bits differ from the baseline''s' || base_name ||
    coalesce(', on inputs of ' || (SELECT group_concat(f.key, ', ') FROM json_each(results_of) f
      WHERE base_of IS NOT NULL AND f.value IS NOT (base_of ->> f.key)), '')
  FROM answered WHERE status = 'ok' AND base_results <> results AND same_inputs AND NOT coalesce(instr(may, 'bits'), 0)
  UNION ALL
  SELECT place, cc, 7, printf('it takes %s [%s, %s] times as long as the earlier version, above the bar of %s',
    digits(ratio, 3), digits(low, 3), digits(high, 3), digits(slower_bar, 3))
  FROM answered WHERE status = 'ok' AND low > slower_bar
  UNION ALL
  SELECT place, cc, 8, fault FROM answered
  WHERE fault IS NOT NULL AND was ->> 'fault' IS NULL AND NOT coalesce(instr(may, 'lost'), 0)),
judged AS (
  SELECT o.*, was IS NOT NULL AS has_base,
    iif(base_results IS NULL OR NOT same_inputs, NULL, base_results = results) AS same_bits,
    (SELECT group_concat(why, '; ') FROM (SELECT why FROM why w WHERE w.place = o.place AND w.cc = o.cc ORDER BY n))
      AS why
  FROM answered o)
-- whole: its errors are complete, so that a baseline may keep them.
SELECT place, name, cc, base_cc, status, error, unit, mean, wrong, flushed, results, results_of, elements, inputs,
  flags, gives_up, fault, base_error, base_wrong, has_base, same_inputs, same_bits, ratio, low, high,
  lacks IS NULL AS whole, coalesce(why, lacks, untimed) AS why,
  CASE WHEN why IS NOT NULL THEN 'falls' WHEN lacks IS NOT NULL OR untimed IS NOT NULL THEN 'unanswered'
    WHEN NOT has_base THEN 'new' ELSE 'holds' END AS verdict
FROM judged
UNION ALL
-- Unanswered: a whole function, a named compiler that is not installed, or a function that only the baseline has. A
-- function that try no longer accepts because it no longer compiles falls.
SELECT place, name, cc, NULL, status, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0,
  NULL, NULL, NULL, NULL, NULL, 0, why, verdict FROM (
  SELECT a.place, a.name, coalesce(c.value, '') AS cc, iif(refused IS NULL, 'unanswered', 'refused') AS status,
    coalesce(refused, 'no build by this compiler (is it installed?)') AS why,
    iif(own AND EXISTS(SELECT 1 FROM known k WHERE k.name = a.name), 'falls', 'unanswered') AS verdict
  FROM asked a LEFT JOIN json_each(a.ccs) c
  WHERE NOT EXISTS(SELECT 1 FROM one o WHERE o.place = a.place AND (c.value IS NULL OR o.cc = c.value))
  UNION ALL SELECT DISTINCT 1000000, name, '', 'unanswered',
    'it is in the baseline, but not in the list: list it again, or remove it by --update', 'unanswered'
  FROM known k WHERE NOT EXISTS(SELECT 1 FROM asked a WHERE a.name = k.name));
-- gates: as documents have them. gate: how the command ends.
CREATE TEMP VIEW gates AS
SELECT CASE WHEN sum(verdict = 'falls') OR NOT count(*) THEN 'falls' WHEN sum(verdict = 'unanswered') THEN 'undecided'
    ELSE 'holds' END AS decided,
  printf('%d of %d builds fall, %d are unanswered', coalesce(sum(verdict = 'falls'), 0), count(*),
    coalesce(sum(verdict = 'unanswered'), 0)) AS text
FROM checked;
-- update_gate: of a check that writes the baseline.
CREATE TEMP VIEW update_gate AS
SELECT 3 AS code, printf('check: --update: %d of %d builds were measured incompletely and are not in the baseline: %s',
  sum(NOT whole), count(*), group_concat(iif(whole, NULL, name || iif(cc = '', '', ' by ' || cc)), ', ')) AS text
FROM checked WHERE place < 1000000 HAVING sum(NOT whole);
CREATE TEMP VIEW gate AS SELECT iif(decided = 'falls', 1, 3) AS code, 'check: ' || text AS text
FROM gates WHERE decided <> 'holds';
