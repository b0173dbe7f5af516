-- SPDX-License-Identifier: MIT
-- How records become rows. A part begins with `-- @FILE RECORD`: its statements run for each such
-- record (RECORD is left out where the file has one kind). They are handed:
--   $field     the record's field of that name; an object or an array as the text of its JSON; a
--              figure that the record's `infinite` names as infinity
--   :id        the record's id
--   :variant   the number of the variant that this is one of; NULL where it is none's. A statement
--              that names one of these two runs once for each id of a folded record
--   :blob      the file's content
--   :place     which record of the file it is
--   :first     the row that the part's first statement inserted
--   :whole     1 in memory, 0 in an archive's file, which leaves out what stands in the records
--   :record    the whole record as JSON
-- variant(id) is the number of another variant; operation(name) the name that an operation has
-- today;
-- shape(rows, n, threads, family) the number of a shape.

-- @accuracy.jsonl
INSERT INTO errors(blob, family, n, elements, grid, inputs, status, reason, hazard, near_zero,
  measure,
  verdict, lost, max_ulp, mean_ulp, bias_ulp, p50_ulp, p99_ulp, p9999_ulp, misrounded, unfaithful,
  scaled_error, bound_ratio, bound_ratio_probabilistic, exp_ulp, log_ulp, nan, inf, sign, zero,
  flushed,
  beyond_oracle, reference, bits, affine, max_at, outputs)
SELECT :blob, $family, $n, $elements, $grid, $inputs, $status, coalesce($reason, 'emulated: ' || $emulated), $hazard,
  $near_zero, coalesce($measure, 1), $verdict,
  coalesce($lost, ($counts ->> 'nan') + ($counts ->> 'inf')), $max_ulp, $mean_ulp, $bias_ulp,
  $p50_ulp, $p99_ulp,
  $p9999_ulp,
  $misrounded, $unfaithful, $scaled_error, $bound_ratio, $bound_ratio_probabilistic, $exp_ulp,
  $log_ulp,
  $counts ->> 'nan', $counts ->> 'inf', $counts ->> 'sign', $counts ->> 'zero',
  $counts ->> 'flushed', $beyond_oracle,
  $reference, $bits, $affine, iif(:whole, $max_at, NULL), iif(:whole, $outputs, NULL);
INSERT INTO error_variants(error, variant) VALUES(:first, :variant);

-- @log_softmax.jsonl
-- In earlier versions log_softmax was a way to call softmax's kernels, with a file for its errors.
INSERT INTO errors(blob, family, n, elements, grid, status, reason, hazard, near_zero, measure, max_ulp,
  mean_ulp,
  bias_ulp, p50_ulp, p99_ulp, p9999_ulp, misrounded, unfaithful, scaled_error, bound_ratio,
  bound_ratio_probabilistic, nan, inf, sign, zero, flushed, beyond_oracle, bits)
SELECT :blob, $family, $n, $elements, $grid, $status, $reason, $hazard, 1, 1, $max_ulp, $mean_ulp, $bias_ulp,
  $p50_ulp, $p99_ulp, $p9999_ulp, $misrounded, $unfaithful, $scaled_error, $bound_ratio,
  $bound_ratio_probabilistic, $counts ->> 'nan', $counts ->> 'inf', $counts ->> 'sign', $counts ->>
  'zero',
  $counts ->> 'flushed', $beyond_oracle, $bits;
INSERT INTO error_variants(error, variant) VALUES(:first, :variant);

-- @timing.jsonl timing
-- A cell that was measured again stands in the file twice: the later record counts.
INSERT OR REPLACE INTO cells(blob, variant, shape, place, ns, low, high, spread, processes, cycles,
  percent, residency)
SELECT :blob, :variant, shape($rows, $n, $threads, $family), :place,
  iif($status = 'ok', $ns_per_row * (1.0 / $n), NULL), iif($status = 'ok', $ci_low * (1.0 / $n),
  NULL),
  iif($status = 'ok', $ci_high * (1.0 / $n), NULL), $spread, $processes, $cycles_per_element,
  $percent_of_limit, $residency
WHERE :whole OR coalesce($status, '') NOT IN ('skipped', 'unbuilt');
INSERT OR REPLACE INTO cell_details(blob, variant, shape, status, reason, block, low_ns, medians_ns,
  flags, modes, half_width, min_ns, limit_name, limit_count, gb_per_s, flops_per_s, cycles_source,
  working_set, samples, outliers, moved, team, ways, instructions, efficiency, efficiency_low,
  efficiency_high, efficiency_of, affine, shapes)
SELECT :blob, :variant, shape($rows, $n, $threads, $family), $status, $reason, $block, $low_ns,
  $process_medians_ns, iif(json_valid($flags), $flags, NULL), iif(json_valid($modes), $modes, NULL),
  $half_width, $min, $limit, $limit_count_per_element,
  $gb_per_s,
  $flops_per_s, $cycles_source, $working_set, $samples, $outliers, $moved, $team, iif(json_valid($ways), $ways, NULL),
  iif(json_valid($instructions), $instructions, NULL),
  $efficiency, $efficiency_low, $efficiency_high, $efficiency_of, $affine, $shapes
WHERE :whole;

-- @timing.jsonl limit
INSERT INTO limits(blob, name, isa, level, value, unit, threads, bytes, nominal, processes)
SELECT :blob, $name, $isa, $level, $value, $unit, $threads, $bytes, $nominal, $processes;

-- @timing.jsonl control
INSERT INTO controls(blob, variant, cell, block, family, threads, residency, ratio, low, high,
  processes)
SELECT :blob, :variant, :id, $block, $family, $threads, $residency, $ratio, $low, $high, $processes;

-- @codegen.jsonl codegen
-- A record without a variant's id says nothing of one.
INSERT OR REPLACE INTO codes(blob, variant, place, hash, status, reason, arithmetic, fma, mul,
  "add", div,
  ymm, zmm, fma_scalar, undecoded, declared, witnessed, observed, expectation, consistent, why)
SELECT :blob, :variant, :place, nullif($code_hash, ''), iif(:whole, $status, NULL),
  iif(:whole, $reason, NULL), $arithmetic, $fma, $mul, $add, $div, $ymm, $zmm, $fma_scalar,
  $undecoded,
  iif(:whole, $declared, NULL), iif(:whole, $witnessed, NULL), iif(:whole AND json_valid($observed), $observed, NULL),
  $expectation, $consistent, iif(:whole, $why, NULL)
WHERE :variant IS NOT NULL AND (:whole OR $code_hash <> '');

-- @codegen.jsonl litmus
INSERT INTO litmus(blob, isa, cc, version, policy, status, reason, observed, expected, expectation,
  consistent, why)
SELECT :blob, $isa, $cc, $version, $policy, $status, $reason,
  iif(json_valid($observed), $observed, NULL), iif(json_valid($expected), $expected, NULL), $expectation,
  $consistent, $why;

-- @diverge.jsonl class
INSERT INTO classes(blob, op, dtype, class, representative, label)
SELECT :blob, operation($op), $dtype, $class, variant($representative), $label;
INSERT INTO members(class, variant)
SELECT :first, variant(value) FROM json_each($members) WHERE variant(value) IS NOT NULL;

-- @diverge.jsonl diverge
INSERT INTO divergences(blob, a, b, elements, mismatched, mismatched_bf16, mismatched_fp16,
  mismatched_nan, max_ulp_distance, unit)
SELECT :blob, variant($a), variant($b), $elements, $mismatched, $mismatched_bf16, $mismatched_fp16,
  $mismatched_nan, $max_ulp_distance, $unit;

-- @diverge.jsonl invariance
INSERT INTO invariances(blob, variant, status, run, threads, row_position, batch, tail, isa, cc,
  policy)
SELECT :blob, :variant, $status, $run, $threads, $row_position, $batch, $tail, $isa, $cc, $policy
WHERE :variant IS NOT NULL;

-- @diverge.jsonl meaning
INSERT INTO meanings(blob, op, dtype, variants, classes, elements, sentence)
SELECT :blob, operation($op), $dtype, $variants, $classes, $elements, $sentence;

-- @scan.jsonl
INSERT INTO scans(blob, variant, "range", status, reason, evaluated, measure, verdict, lost,
  max_ulp, at,
  misrounded, mean_ulp, bias_ulp, nan, inf, sign, zero, flushed, outputs, seconds, per_second,
  mxcsr_kept,
  declared_ulp, hazard, same_code_as, code_hash, method, libraries, "commit", regions, short, binades)
SELECT :blob, :variant, $range, $status, $reason, $evaluated, coalesce($measure, 1), $verdict,
  $lost,
  $max_ulp, $at, $misrounded, $mean_ulp, $bias_ulp, $counts ->> 'nan', $counts ->> 'inf',
  $counts ->> 'sign', $counts ->> 'zero',
  $counts ->> 'flushed', $outputs, $seconds, $per_second, $mxcsr_kept,
  $declared_ulp,
  $hazard, $same_code_as, $code_hash, $method, $libraries, $commit, iif(:whole, $regions, NULL),
  iif(:whole AND json_valid($short), $short, NULL), iif(:whole AND json_valid($binades), $binades, NULL)
WHERE :variant IS NOT NULL;

-- @cases.jsonl case
INSERT INTO cases(blob, name, status, verdict, price, record)
SELECT :blob, $name, $status, $verdict, $price, iif(:whole, :record, NULL);

-- @search.jsonl
INSERT INTO searches(blob, variant, n, status, objective, score, max_ulp, bound_ratio, scaled_error,
  special, input, evaluations, gain, room, "commit", record)
SELECT :blob, :variant, $n, $status, $objective, $score, $max_ulp, $bound_ratio, $scaled_error,
  $special, $input, $evaluations, $gain, $room, $commit, iif(:whole, :record, NULL);

-- @certificate.jsonl
INSERT INTO certificates(blob, op, family, bits, seed, "rows", "values", beyond, max_ulp, at, certified,
  "commit")
SELECT :blob, $op, $family, $bits, $seed, $rows, $values, $beyond, $max_ulp, $at,
  $certified, $commit;

-- @instructions.jsonl instruction
INSERT INTO instructions(blob, form, bits, status, latency, latency_mixed, cycles, cycles_subnormal,
  pipes, work, hinders, hindrance, misfit, "commit")
SELECT :blob, $form, $bits, $status, $latency, $latency_mixed, $cycles, $cycles_subnormal, $pipes,
  $work, $hinders, $hindrance, $misfit, $commit;

-- @instructions.jsonl core
INSERT INTO cores(blob, slots, general, branch_cycles, window, scheduler, general_behind_wide,
  scalar_behind_wide, avx2_behind_wide, vectors, "commit")
SELECT :blob, $slots, $general, $branch_cycles, $window, $scheduler, $general_behind_wide,
  $scalar_behind_wide, $avx2_behind_wide, $vectors, $commit;

-- @flags.jsonl flag
INSERT INTO flags(blob, op, algorithm, isa, cc, version, base, "all", shapes, name, kind, flag, needs,
  gives_up, status, code, gain, gain_low, gain_high, left_out_code, cost, cost_low, cost_high,
  cost_without_macro, bits, specials, broken, lost, flushed, breaks, mends, error, error_of_base, unit, worst, "commit")
SELECT :blob, $op, $algorithm, $isa, $cc, $version, $base, $all, $shapes, $name, $kind, $flag, $needs,
  $gives_up, $status, $code, $gain, $gain_low, $gain_high, $left_out_code, $cost, $cost_low, $cost_high,
  $cost_without_macro, $bits, $specials, $broken, $lost, $flushed, $breaks, $mends, $error, $error_of_base, $unit, $worst, $commit
WHERE :whole;

-- @flags.jsonl flag-set
INSERT INTO flag_sets(blob, op, algorithm, isa, cc, version, base, "all", shapes, keep, allow, pays, flags,
  best, speed, speed_low, speed_high, best_speed, all_speed, all_speed_low, all_speed_high, kept, processes,
  explains, explained, parts_are_all, bits, specials, broken, lost, flushed, breaks, error, error_of_base, unit, worst,
  all_lost, all_broken, all_bits, sentence, "commit")
SELECT :blob, $op, $algorithm, $isa, $cc, $version, $base, $all, $shapes, $keep, $allow, $pays, $flags,
  $best, $speed, $speed_low, $speed_high, $best_speed, $all_speed, $all_speed_low, $all_speed_high, $kept,
  $processes, $explains, $explained, $parts_are_all, $bits, $specials, $broken, $lost, $flushed, $breaks, $error, $error_of_base,
  $unit, $worst, $all_lost, $all_broken, $all_bits, $sentence, $commit
WHERE :whole;
