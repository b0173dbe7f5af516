-- SPDX-License-Identifier: MIT
-- More parts of load.sql: each record of times and errors unchanged, for exports. timed: 1 for times.

-- @accuracy.jsonl
INSERT INTO records SELECT :blob, :variant, :place, 0, :id, :record;

-- @log_softmax.jsonl
INSERT INTO records SELECT :blob, :variant, :place, 0, :id, json_set(:record, '$.near_zero', json('true'));

-- @timing.jsonl timing
INSERT INTO records SELECT :blob, :variant, :place, 1, :id, :record;
