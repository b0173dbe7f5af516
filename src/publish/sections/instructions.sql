-- SPDX-License-Identifier: MIT
-- Latency and throughput of instructions on this core (ulplab instructions). Forms that only differ in their width
-- share a row. form: V stands for a vector. latency, cycles (per instruction), subnormal (cycles with subnormal
-- operands), pipes: those of the widest form; xmm, ymm, zmm: cycles per instruction by width.
SELECT printf('%.1f instructions start in a cycle, of general registers %.1f%s. Pipes are inferred from instructions '
  || 'that slow each other down; they are numbered, and the first ones multiply.', slots, general,
  iif(window IS NULL, '', printf('; the window has %.0f instructions, and %.0f vector instructions can wait for '
    || 'operands', window, scheduler))) AS words FROM cores;

WITH wide AS (
  SELECT *, replace(replace(replace(replace(form, 'xmm', 'V'), 'ymm', 'V'), 'zmm', 'V'), 'm' || bits, 'M') AS name
  FROM instructions WHERE status = 'ok'),
widest AS (SELECT *, row_number() OVER (PARTITION BY name ORDER BY bits DESC) AS place FROM wide)
SELECT w.name AS "form|`%s`", w.latency AS "?latency|%.3g",
  (SELECT cycles FROM wide x WHERE x.name = w.name AND x.bits = 128) AS "?cycles, 128 bits|%.3g",
  (SELECT cycles FROM wide x WHERE x.name = w.name AND x.bits = 256) AS "?256|%.3g",
  (SELECT cycles FROM wide x WHERE x.name = w.name AND x.bits = 512) AS "?512|%.3g",
  iif(w.bits = 0, w.cycles, NULL) AS "?no vector|%.3g", w.cycles_subnormal AS "?with subnormals|%.3g",
  w.pipes AS "?pipes"
FROM widest w WHERE place = 1 ORDER BY w.id;
