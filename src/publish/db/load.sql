-- SPDX-License-Identifier: MIT
-- How records become rows. A part begins with `-- @FILE RECORD INTO TABLE`: each such record is a row of the
-- table (RECORD is left out where the file has one kind). A column has the record's field of its name, or
-- what the SELECT behind says; statements behind that run for each record, too. They are handed:
--   $field     the record's field of that name; an object or an array as the text of its JSON; a
--              figure that the record's `infinite` names as infinity
--   @field     the same of an object or an array; NULL of anything else
--   :id        the record's id
--   :variant   the number of the variant that this is one of; NULL where it is none's. A statement
--              that names one of these two runs once for each id of a folded record
--   :blob      the file's content
--   :place     which record of the file it is
--   :first     the row that the part's first statement inserted
--   :whole     1 in memory, 0 in an archive's file, which leaves out what stands in the records
--   :record    the whole record as JSON
-- Columns that are called variant, blob or place have these. variant(id) is the number of another variant;
-- operation(name) the name that an operation has today; shape(rows, n, threads, family) the number of a shape.
-- A later record of what is the same row counts: a cell that was measured again stands in the file twice.

-- @accuracy.jsonl INTO errors
SELECT coalesce($reason, 'emulated: ' || $emulated) AS reason, coalesce($measure, 1) AS measure,
  coalesce($lost, ($counts ->> 'nan') + ($counts ->> 'inf')) AS lost,
  $counts ->> 'nan' AS nan, $counts ->> 'inf' AS inf, $counts ->> 'sign' AS sign,
  $counts ->> 'zero' AS zero, $counts ->> 'flushed' AS flushed,
  iif(:whole, $max_at, NULL) AS max_at, iif(:whole, $outputs, NULL) AS outputs;
INSERT INTO error_variants(error, variant) VALUES(:first, :variant);

-- @log_softmax.jsonl INTO errors
-- In earlier versions log_softmax was a way to call softmax's kernels, with a file for its errors.
SELECT 1 AS near_zero, 1 AS measure, NULL AS inputs, NULL AS verdict, NULL AS lost, NULL AS exp_ulp,
  NULL AS log_ulp, NULL AS reference, NULL AS affine, NULL AS max_at, NULL AS outputs,
  $counts ->> 'nan' AS nan, $counts ->> 'inf' AS inf, $counts ->> 'sign' AS sign,
  $counts ->> 'zero' AS zero, $counts ->> 'flushed' AS flushed;
INSERT INTO error_variants(error, variant) VALUES(:first, :variant);

-- @timing.jsonl timing INTO cells
-- Earlier versions gave a share of the limit to builds that may have fewer operations than their file counts, and
-- where the whole interval was faster than the limit (measure/bench_summary.c).
SELECT shape($rows, $n, $threads, $family) AS shape, iif($status = 'ok', $ns_per_row * (1.0 / $n), NULL) AS ns,
  iif($status = 'ok', $ci_low * (1.0 / $n), NULL) AS low, iif($status = 'ok', $ci_high * (1.0 / $n), NULL) AS high,
  $cycles_per_element AS cycles, iif($percent_of_limit * $ns_per_row > 100 * $ci_high
    OR (SELECT cc <> 'lib' AND NOT promises(policy) FROM variants WHERE id = :variant), NULL,
    $percent_of_limit) AS percent
WHERE :whole OR coalesce($status, '') NOT IN ('skipped', 'unbuilt');

-- @timing.jsonl timing INTO cell_details
SELECT shape($rows, $n, $threads, $family) AS shape, $process_medians_ns AS medians_ns, $min AS min_ns,
  $limit AS limit_name, $limit_count_per_element AS limit_count, @flags AS flags, @modes AS modes,
  @ways AS ways, @instructions AS instructions WHERE :whole;

-- @timing.jsonl limit INTO limits

-- @timing.jsonl control INTO controls
SELECT :id AS cell;

-- @codegen.jsonl codegen INTO codes
-- A record without a variant's id says nothing of one.
SELECT nullif($code_hash, '') AS hash, iif(:whole, $status, NULL) AS status,
  iif(:whole, $reason, NULL) AS reason, iif(:whole, $declared, NULL) AS declared,
  iif(:whole, $witnessed, NULL) AS witnessed, iif(:whole, @observed, NULL) AS observed, iif(:whole, $why, NULL) AS why
WHERE :variant IS NOT NULL AND (:whole OR $code_hash <> '');

-- @codegen.jsonl litmus INTO litmus
SELECT @observed AS observed, @expected AS expected;

-- @diverge.jsonl class INTO classes
SELECT operation($op) AS op, variant($representative) AS representative;
INSERT INTO members(class, variant)
SELECT :first, variant(value) FROM json_each($members) WHERE variant(value) IS NOT NULL;

-- @diverge.jsonl diverge INTO divergences
SELECT variant($a) AS a, variant($b) AS b;

-- @diverge.jsonl invariance INTO invariances
SELECT :variant AS variant WHERE :variant IS NOT NULL;

-- @diverge.jsonl meaning INTO meanings
SELECT operation($op) AS op;

-- @scan.jsonl INTO scans
SELECT coalesce($measure, 1) AS measure, $counts ->> 'nan' AS nan, $counts ->> 'inf' AS inf,
  $counts ->> 'sign' AS sign, $counts ->> 'zero' AS zero, $counts ->> 'flushed' AS flushed,
  iif(:whole, $regions, NULL) AS regions, iif(:whole, @short, NULL) AS short, iif(:whole, @binades, NULL) AS binades
WHERE :variant IS NOT NULL AND coalesce($record, 'scan') = 'scan';

-- @scan.jsonl scan-f64 INTO scans_f64
SELECT coalesce($measure, 1) AS measure, $counts ->> 'nan' AS nan, $counts ->> 'inf' AS inf,
  $counts ->> 'sign' AS sign, $counts ->> 'zero' AS zero, $counts ->> 'flushed' AS flushed,
  $regions -> 'normal' ->> 'ulp' AS normal_ulp, $regions -> 'subnormal' ->> 'ulp' AS subnormal_ulp,
  $regions -> 'ends' ->> 'ulp' AS ends_ulp, iif(:whole, @published, NULL) AS published
WHERE :variant IS NOT NULL;

-- @cases.jsonl case INTO cases
SELECT iif(:whole, :record, NULL) AS record;

-- @search.jsonl INTO searches
SELECT iif(:whole, :record, NULL) AS record;

-- @certificate.jsonl INTO certificates
SELECT coalesce($dtype, 'f32') AS dtype;

-- @instructions.jsonl instruction INTO instructions

-- @instructions.jsonl core INTO cores

-- A kernel in double is another one, `plain f64`.
-- @flags.jsonl flag INTO flags
SELECT :blob AS blob, $algorithm || iif($dtype = 'f64', ' f64', '') AS algorithm WHERE :whole;

-- @flags.jsonl flag-set INTO flag_sets
-- Earlier versions wrote words that change no machine code, and -ffast-math as its parts.
SELECT :blob AS blob, $algorithm || iif($dtype = 'f64', ' f64', '') AS algorithm WHERE :whole;
WITH
mine AS (SELECT s.*, '["' || replace(s.flags, ' ', '","') || '"]' AS words, $names AS names FROM flag_sets s
  WHERE s.id = :first AND s.is_all IS NULL),
flag AS (SELECT f.* FROM flags f JOIN mine s USING (blob, op, algorithm, isa, cc, base, "all")),
told AS (
  SELECT s.*, iif('contract' IN (SELECT value FROM json_each(s.names)), '-ffp-contract=fast ', '') || s."all" AS whole,
    (SELECT group_concat(w.value, ' ') FROM json_each(s.words) w WHERE NOT EXISTS(
      SELECT 1 FROM flag WHERE name = flag_name(w.value) AND code IS 0 AND left_out_code IS 0)) AS fewer FROM mine s),
spelt AS (
  SELECT *, fewer IS NOT NULL AND speed = all_speed AND speed_low = all_speed_low AND speed_high = all_speed_high
    AND (flags_give_up("all") & ~flags_give_up(fewer)) = 0 AS whole_code FROM told)
UPDATE flag_sets SET is_all = t.whole_code, flags = iif(t.whole_code, t.whole, coalesce(t.fewer, ''))
FROM spelt t WHERE flag_sets.id = t.id;
UPDATE flag_sets SET at_link = (SELECT coalesce(group_concat(value, ' '), '')
  FROM json_each('["' || replace(flags, ' ', '","') || '"]') WHERE flag_at_link(value)) WHERE id = :first;
