-- SPDX-License-Identifier: MIT
-- The document of `ulplab check` (render/rows.h).
SELECT 0 AS "rows", name AS function, cc, base_cc, verdict, why, status, error, unit, mean AS mean_error, wrong,
  flushed, base_error,
  base_wrong, results, same_bits AS "same_bits:bool", elements, flags, gives_up, ratio, low, high
FROM checked ORDER BY place, cc;
SELECT 0 AS "gates", 'check' AS gate, 1 AS "asked:bool", decided, text FROM gates;
