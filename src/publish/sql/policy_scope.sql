-- What is known of each kernel under each compiler and policy, over its ISAs; and which are counted.
-- temp.chosen has the variants in question: of compilers, in fp32 (16 bits of storage hide what a policy does).
-- 
-- equal over them).
CREATE TEMP TABLE policy_errors AS
SELECT v.id AS variant, v.cc, v.policy, v.op, v.algorithm, v.isa, e.family, e.n, e.inputs, e.bits, e.status,
  coalesce(e.hazard, 0) AS hazard, e.measure, coalesce(e.lost, e.nan + e.inf) AS lost, e.max_ulp, e.mean_ulp,
  coalesce(e.near_zero, v.op IN ('logsumexp', 'log_softmax', 'moments', 'layernorm', 'layernorm_bare')) AS near_zero,
  e.scaled_error, e.flushed
FROM temp.chosen JOIN variants v ON v.id = chosen.variant JOIN error_variants ev ON ev.variant = v.id
JOIN errors e ON e.id = ev.error WHERE coalesce(e.status, '') NOT IN ('skipped', 'unbuilt');
CREATE INDEX temp.policy_errors_of_kernels ON policy_errors(cc, op, algorithm, isa, family, n);

CREATE TEMP TABLE policy_ranks AS
SELECT policy, row_number() OVER (ORDER BY coalesce(nullif(instr('off     on      default fast    reassoc fastmath',
  policy), 0), 99), policy) AS rank FROM (SELECT DISTINCT policy FROM variants);
CREATE TEMP TABLE hazards AS
SELECT DISTINCT ev.variant FROM errors e JOIN error_variants ev ON ev.error = e.id WHERE e.hazard;
CREATE TEMP TABLE scanned AS
SELECT variant, max(iif(coalesce(lost, nan + inf) > 0 OR (measure = 1 AND flushed > 0), 9e999, max_ulp)) AS error
FROM scans WHERE "range" = 'all' AND status = 'ok' GROUP BY variant;
CREATE TEMP TABLE policy_codes(variant INTEGER PRIMARY KEY, hash TEXT);
INSERT OR IGNORE INTO policy_codes SELECT variant, hash FROM codes;
CREATE TEMP TABLE policy_cells AS
SELECT v.cc, v.policy, v.op, v.algorithm, v.isa, c.shape, r.rank, k.hash, coalesce(d.low_ns, d.medians_ns, json_array(c.ns)) AS ns
FROM cells c CROSS JOIN cell_details d USING (blob, variant, shape)
JOIN variants v ON v.id = c.variant JOIN shapes s ON s.id = c.shape JOIN temp.policy_ranks r USING (policy)
LEFT JOIN temp.policy_codes k ON k.variant = c.variant
WHERE c.variant IN (SELECT variant FROM temp.chosen) AND s.threads = 1 AND s.family = 'normal' AND c.ns IS NOT NULL;
