-- SPDX-License-Identifier: MIT
-- JUnit XML, one text: a test case is a function as a compiler builds it.
WITH
word AS (SELECT rowid AS id, place, cc, verdict, name, coalesce(why, '') AS why FROM checked),
safe AS (SELECT id, place, cc, verdict, replace(replace(replace(replace(name, '&', '&amp;'), '<', '&lt;'), '>',
  '&gt;'), '"', '&quot;') AS name,
  replace(replace(replace(replace(why, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;') AS why FROM word)
SELECT group_concat(text || char(10), '') FROM (SELECT text FROM (
  SELECT 0 AS a, 0 AS b, '<?xml version="1.0" encoding="UTF-8"?>' AS text
  UNION ALL SELECT 1, 0, printf('<testsuite name="ulplab check" tests="%d" failures="%d" errors="%d" skipped="0">',
    count(*),
    coalesce(sum(verdict = 'falls'), 0), coalesce(sum(verdict = 'unanswered'), 0)) FROM checked
  UNION ALL SELECT 2, id, printf('  <testcase classname="%s" name="%s"', name, cc) || CASE verdict
    WHEN 'falls' THEN printf('><failure message="%s"/></testcase>', why)
    WHEN 'unanswered' THEN printf('><error message="%s"/></testcase>', why) ELSE '/>' END FROM safe
  UNION ALL SELECT 3, 0, '</testsuite>') ORDER BY a, b);
