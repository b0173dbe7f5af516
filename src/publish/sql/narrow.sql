-- SPDX-License-Identifier: MIT
-- Keeps what matches --filter; fits() says what does (facts.h).
CREATE TEMP TABLE unfit AS SELECT id AS variant FROM variants
WHERE NOT fits(variant, op, algorithm, dtype, isa, cc, policy);
CREATE TEMP TABLE unfit_cells AS SELECT c.blob, c.variant, c.shape FROM cells c JOIN variants v ON v.id = c.variant
JOIN shapes s ON s.id = c.shape
WHERE NOT fits(v.variant || '/rows=' || s."rows" || '/n=' || s.n || '/threads=' || s.threads, v.op, v.algorithm,
  v.dtype, v.isa, v.cc, v.policy);
DELETE FROM codes WHERE variant IN (SELECT variant FROM unfit);
DELETE FROM error_variants WHERE variant IN (SELECT variant FROM unfit);
DELETE FROM scans WHERE variant IN (SELECT variant FROM unfit);
DELETE FROM invariances WHERE variant IN (SELECT variant FROM unfit);
DELETE FROM cell_details WHERE (blob, variant, shape) IN (SELECT * FROM unfit_cells);
DELETE FROM cells WHERE (blob, variant, shape) IN (SELECT * FROM unfit_cells);
SELECT 2, '--filter: no row matches; ''ulplab list'' shows the variants'
WHERE NOT EXISTS(SELECT 1 FROM cells) AND NOT EXISTS(SELECT 1 FROM error_variants) AND NOT EXISTS(SELECT 1 FROM scans);
