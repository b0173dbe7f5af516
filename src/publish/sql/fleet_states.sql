-- SPDX-License-Identifier: MIT
-- The states of a fleet's types (fleet.sql), of lines such as "3 RUNNING", an array task and its state, and of the
-- fleet's folder, ?1.
UPDATE types SET state = iif(line GLOB '* RUNNING', 'running', 'waiting') FROM lines
WHERE line GLOB '[0-9]* ?*' AND cast(line AS INTEGER) = place;
UPDATE types SET last = coalesce(substr(last_line(?1 || '/state/' || name), 1, 199), ''),
  state = iif(last_line(?1 || '/results/' || name || '/machine.json') IS NULL, state, 'done');
