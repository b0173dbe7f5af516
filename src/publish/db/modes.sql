-- SPDX-License-Identifier: MIT
-- Cells of a file (?1) of an earlier version. A time was the median over all processes, whatever their modes. Those
-- whose processes have two get the figures of the usual one; those that are unsteady, that flag (measure/modes.h).
DELETE FROM earlier;
INSERT INTO earlier
WITH
cell AS MATERIALIZED (
  SELECT d.variant, d.shape, modes(d.medians_ns) AS modes, d.medians_ns, c.ns, s.n
  FROM cell_details d JOIN cells c USING (blob, variant, shape) JOIN shapes s ON s.id = d.shape
  WHERE d.blob = ?1 AND d.modes IS NULL AND c.ns > 0),
two AS MATERIALIZED (SELECT *, usual(medians_ns) AS usual FROM cell WHERE modes IS NOT NULL)
SELECT variant, shape, modes, (usual ->> 0) / (ns * n), 1.0 * (usual ->> 1) / n, 1.0 * (usual ->> 2) / n FROM two;
UPDATE cell_details SET modes = e.modes, flags = json_insert(coalesce(flags, '[]'), '$[#]', 'two-modes'),
  gb_per_s = gb_per_s / factor, flops_per_s = flops_per_s / factor
FROM earlier e WHERE blob = ?1 AND e.variant = cell_details.variant AND e.shape = cell_details.shape;
UPDATE cells SET ns = ns * factor, cycles = cycles * factor, percent = percent / factor, spread = spread / factor,
  low = e.low, high = e.high
FROM earlier e WHERE blob = ?1 AND e.variant = cells.variant AND e.shape = cells.shape;
UPDATE cell_details SET flags = json_insert(coalesce(flags, '[]'), '$[#]', 'unsteady')
FROM cells c JOIN shapes s ON s.id = c.shape
WHERE cell_details.blob = ?1 AND c.blob = ?1 AND c.variant = cell_details.variant AND c.shape = cell_details.shape
  AND coalesce(instr(cell_details.flags, '"unsteady"'), 0) = 0 AND is_unsteady(c.ns * s.n, cell_details.low_ns);
-- There is no limit where its share is not known (load.sql); a flag says why.
UPDATE cells SET percent = NULL WHERE blob = ?1 AND percent * ns > 100 * high;
UPDATE cell_details SET limit_name = NULL, limit_count = NULL, flags = iif(v.cc <> 'lib' AND NOT promises(v.policy),
    json_insert(coalesce(flags, '[]'), '$[#]', 'uncounted'), iif(instr(flags, '"above-limit"'), flags,
    json_insert(coalesce(flags, '[]'), '$[#]', 'above-limit')))
FROM cells c JOIN variants v ON v.id = c.variant
WHERE cell_details.blob = ?1 AND c.blob = ?1 AND c.variant = cell_details.variant AND c.shape = cell_details.shape
  AND c.ns > 0 AND c.percent IS NULL AND limit_name IS NOT NULL;
