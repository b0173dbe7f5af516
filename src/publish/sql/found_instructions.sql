-- SPDX-License-Identifier: MIT
-- Latency, throughput and pipes of instructions on this core, for people (found.sql).
SELECT printf('%.1f instructions start in a cycle, of general registers %.1f; a taken branch every '
  || '%.1f cycles',
  record ->> 'slots', record ->> 'general', record ->> 'branch_cycles') AS note FROM found WHERE list = 'core';
SELECT printf('immediately after 2 ms of 512-bit FMAs: additions take %.3f times as long, scalar FMAs %.3f, 256-bit '
  || 'FMAs %.3f times',
  record ->> 'general_behind_wide', record ->> 'scalar_behind_wide', record ->> 'avx2_behind_wide') AS note
FROM found WHERE list = 'core' AND record ->> 'avx2_behind_wide' > 0;
SELECT printf('%3d bits: %d pipes; ', v.value ->> 'bits', v.value ->> 'pipes')
  || (SELECT group_concat(key || ' ' || coalesce(value, '-'), ' ') FROM json_each(v.value, '$.kinds')) AS note
FROM found, json_each(record, '$.vectors') v WHERE list = 'core';
SELECT iif(record ->> 'status' = 'ok', 0, 2) AS tint, record ->> 'form' AS form,
  decimals(record ->> 'latency', 1) AS "latency|{>1}", decimals(record ->> 'latency_mixed', 1) AS "in a mix|{>2}",
  decimals(record ->> 'cycles', 2) AS "cycles/instruction|{>3}",
  decimals(record ->> 'cycles_subnormal', 2) AS "with subnormals|{>4}",
  iif(record ->> 'status' = 'ok', record ->> 'pipes', record ->> 'status') AS pipes
FROM found WHERE list = 'rows' ORDER BY place;
