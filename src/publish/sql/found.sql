-- SPDX-License-Identifier: MIT
-- The results of a command (found.h): a row for each record of each list of its document, and one for each other
-- field.
CREATE TABLE found(list TEXT, place INTEGER, record TEXT);

-- Records with the parts of their ids. short: the parts that distinguish variants of one operation.
CREATE TEMP VIEW found_named AS
SELECT *, algorithm || iif(dtype = 'f32', '', ' ' || dtype) || ' ' || isa || ' ' || cc || ' ' || policy AS short
FROM (SELECT at, list, place, record, id, coalesce(record ->> 'status', '') AS status, part ->> 0 AS op,
    part ->> 1 AS algorithm, substr(part ->> 2, 7) AS dtype, substr(part ->> 3, 5) AS isa, substr(part ->> 4, 4) AS cc,
    substr(part ->> 5, 8) AS policy
  FROM (SELECT rowid AS at, *, record ->> 'id' AS id, '["' || replace(record ->> 'id', '/', '","') || '"]' AS part
    FROM found));

-- The reasons for rows without figures, each once, and for variants that cannot run here and have no rows.
CREATE TEMP VIEW found_reasons AS
SELECT what, first || iif(count > 1, printf(' and %d more %s%s', count - 1, what, iif(count > 2, 's', '')), '') || ': '
  || status || iif(reason = '', '', ': ' || reason) AS text
FROM (SELECT iif(list = 'left_out', 'variant', 'row') AS what, status, reason, count(*) AS count, min(at) AS at,
    coalesce(id, (record ->> 'isa') || ' ' || (record ->> 'cc') || ' ' || (record ->> 'policy')) AS first
  FROM (SELECT *, coalesce(record ->> 'reason', '') AS reason FROM found_named WHERE list <> 'controls')
  WHERE reason <> '' OR status NOT IN ('', 'ok') GROUP BY what, status, reason)
ORDER BY what, at;

-- Results that are NaN, or wrongly infinite or finite, under a policy, but have an error under off: a sentence for
-- each kernel, policy and number of results, with the affected builds.
CREATE TEMP VIEW found_losses AS
WITH
one AS (
  SELECT *, cast(record ->> 'lost' AS INTEGER) AS lost, coalesce(record ->> '$.counts.nan', 0) AS nan,
    substr(id, 1, instr(id, '/policy=')) || coalesce(record ->> 'family', '') || ' '
      || coalesce(record ->> 'n', '') || ' ' || coalesce(record ->> 'range', '') AS inputs
  FROM found_named WHERE record ->> 'lost' IS NOT NULL),
loss AS (
  SELECT p.*, iif(p.record ->> 'record' GLOB 'scan*', 'inputs', 'results') AS what,
    sum(max(0, p.lost - o.lost)) AS more, sum(min(max(0, p.nan - o.nan), max(0, p.lost - o.lost))) AS nans
  FROM one p JOIN one o ON o.inputs = p.inputs AND o.policy = 'off' GROUP BY p.id)
SELECT op || '/' || algorithm || ', ' || policy || ': ' || iif(nans, 'NaN for ' || grouped(nans), '')
  || iif(nans AND more > nans, ' and ', '')
  || iif(more > nans, 'wrongly infinite or finite for ' || grouped(more - nans), '')
  || ' ' || what || ' that off computes ('
  || group_concat(iif(dtype = 'f32', '', dtype || ' ') || isa || ' ' || cc, ', ') || ')' AS text
FROM (SELECT * FROM loss WHERE more > 0 ORDER BY op, algorithm, policy, nans, more, at)
GROUP BY op, algorithm, policy, nans, more ORDER BY min(at);
