-- SPDX-License-Identifier: MIT
-- Cells of a file (?1) of an earlier version: a time was the median over all processes, whatever their modes. Those whose
-- processes have two get the figures of the usual one; those that are unsteady, that flag (measure/modes.h).
DELETE FROM earlier;
INSERT INTO earlier SELECT d.variant, d.shape, usual(d.medians_ns) / (c.ns * s.n)
FROM cell_details d JOIN cells c USING (blob, variant, shape) JOIN shapes s ON s.id = d.shape
WHERE d.blob = ?1 AND d.modes IS NULL AND c.ns > 0 AND modes(d.medians_ns) IS NOT NULL;
UPDATE cell_details SET modes = modes(medians_ns), flags = json_insert(coalesce(flags, '[]'), '$[#]', 'two-modes'),
  gb_per_s = gb_per_s / factor, flops_per_s = flops_per_s / factor
FROM earlier e WHERE blob = ?1 AND e.variant = cell_details.variant AND e.shape = cell_details.shape;
UPDATE cells SET ns = ns * factor, cycles = cycles * factor, percent = percent / factor, spread = spread / factor,
  low = (SELECT usual_low(d.medians_ns) / s.n FROM cell_details d JOIN shapes s ON s.id = d.shape
    WHERE d.blob = cells.blob AND d.variant = cells.variant AND d.shape = cells.shape),
  high = (SELECT usual_high(d.medians_ns) / s.n FROM cell_details d JOIN shapes s ON s.id = d.shape
    WHERE d.blob = cells.blob AND d.variant = cells.variant AND d.shape = cells.shape)
FROM earlier e WHERE blob = ?1 AND e.variant = cells.variant AND e.shape = cells.shape;
UPDATE cell_details SET flags = json_insert(coalesce(flags, '[]'), '$[#]', 'unsteady')
FROM cells c JOIN shapes s ON s.id = c.shape
WHERE cell_details.blob = ?1 AND c.blob = ?1 AND c.variant = cell_details.variant AND c.shape = cell_details.shape
  AND coalesce(instr(cell_details.flags, '"unsteady"'), 0) = 0 AND is_unsteady(c.ns * s.n, cell_details.low_ns);
