-- SPDX-License-Identifier: MIT
-- What do instructions take on this core (ulplab instructions)? Forms that differ in their width alone are one row.
-- form: V stands for a vector. latency, cycles (per instruction) and subnormal (the same of subnormal operands),
-- pipes: of the widest; xmm, ymm, zmm: cycles per instruction by width.
SELECT printf('%.1f instructions begin in a cycle, %.1f of them of general registers%s. Pipes are inferred from what '
  || 'slows each other down: they have no names, and the first ones multiply.', slots, general,
  iif(window IS NULL, '', printf('; %.0f may stand between the oldest that has not ended and the newest, and %.0f '
    || 'vector instructions may wait for operands', window, scheduler))) AS words FROM cores;

WITH wide AS (
  SELECT *, replace(replace(replace(replace(form, 'xmm', 'V'), 'ymm', 'V'), 'zmm', 'V'), 'm' || bits, 'M') AS name
  FROM instructions WHERE status = 'ok'),
widest AS (SELECT *, row_number() OVER (PARTITION BY name ORDER BY bits DESC) AS place FROM wide)
SELECT w.name AS "form|`%s`", w.latency AS "?latency|%.3g",
  (SELECT cycles FROM wide x WHERE x.name = w.name AND x.bits = 128) AS "?cycles, 128 bits|%.3g",
  (SELECT cycles FROM wide x WHERE x.name = w.name AND x.bits = 256) AS "?256|%.3g",
  (SELECT cycles FROM wide x WHERE x.name = w.name AND x.bits = 512) AS "?512|%.3g",
  iif(w.bits = 0, w.cycles, NULL) AS "?no vector|%.3g", w.cycles_subnormal AS "?of subnormals|%.3g", w.pipes AS "?pipes"
FROM widest w WHERE place = 1 ORDER BY w.id;
