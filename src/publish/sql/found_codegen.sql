-- SPDX-License-Identifier: MIT
-- The analysis of variants' machine code, for people (found.sql).
SELECT 'What the compilers do, by the values that their code computes. yes: fused v_mad, a*b+c, t=a*b; t+c; '
  || 'regrouped TwoSum; deleted the magic rounding number; finds NaN with v_unord, with x!=x; keeps subnormals.'
  AS note;
CREATE TEMP VIEW litmus AS
SELECT *, record ->> 'isa' AS isa, record ->> 'cc' AS cc, record ->> 'policy' AS policy,
  record ->> '$.observed.contracts' IS NOT NULL AS ran, record ->> 'consistent' IS 1 AS consistent,
  coalesce(record ->> 'why', '') AS why FROM found WHERE list = 'litmus';
SELECT iif(ran, iif(consistent, 0, 2), 3) AS tint, isa AS "isa|{!}", cc AS "compiler|{!}", policy AS "policy|{!}",
  o ->> 'contracts' AS v_mad, o ->> 'contracts_in_expression' AS "a*b+c",
  o ->> 'contracts_across_statements' AS "a*b;t+c", o ->> 'reassociates' AS "TwoSum", o ->> 'deletes_rounding' AS magic,
  o ->> 'honours_nan' AS unord, o ->> 'honours_nan_in_expression' AS "x!=x", o ->> 'honours_subnormals' AS subnormals,
  CASE WHEN NOT ran THEN record ->> 'status' WHEN consistent AND why = '' THEN record ->> 'expectation' ELSE why
    END AS "expectation|{1}"
FROM (SELECT *, (SELECT json_group_object(key, iif(value, 'yes', NULL)) FROM json_each(record, '$.observed')
    WHERE key IS NOT NULL) AS o
  FROM litmus) ORDER BY place;
SELECT isa || ' ' || cc || ' ' || policy || ': ' || why AS note FROM litmus WHERE record -> 'consistent' = 'false'
ORDER BY place;

SELECT '' AS note;
SELECT 'Instructions in each variant''s own code (fma mul add; 6s: six scalar ones; =P: the machine code of P):'
  AS note;
WITH
build AS (
  SELECT *, record ->> 'code_hash' AS hash, substr(id, 1, instr(id, '/policy=') - 1) AS build FROM found_named
  WHERE list = 'variants'),
cell AS (
  SELECT *, row_number() OVER same AS k, first_value(policy) OVER same AS same_as, record ->> 'fma' AS fma FROM build
  WINDOW same AS (PARTITION BY build, hash ORDER BY place))
SELECT build || '  ' || group_concat(policy || ': ' || CASE WHEN hash IS NULL THEN status WHEN k > 1 THEN '=' || same_as
    ELSE fma || iif(fma AND fma = record ->> 'fma_scalar', 's ', ' ') || (record ->> 'mul') || ' ' || (record ->> 'add')
    END || iif(record -> 'consistent' = 'false', ' (!)', ''), ',  ') AS note, 4 AS indent
FROM (SELECT * FROM cell ORDER BY build, place) GROUP BY build ORDER BY min(place);
SELECT text AS note FROM found_reasons;

CREATE TEMP VIEW inconsistent AS
SELECT * FROM found_named WHERE list = 'variants' AND record -> 'consistent' = 'false';
SELECT '' AS note;
SELECT 'Inconsistent (!):' AS note FROM inconsistent WHERE NOT :brief LIMIT 1;
SELECT id || ': ' || (record ->> 'why') AS note FROM inconsistent WHERE NOT :brief ORDER BY place;
SELECT printf('%d variants, %d inconsistent, %d of an unlisted compiler or policy', count(*),
    sum(record -> 'consistent' = 'false'), sum(record ->> 'expectation' = 'unlisted'))
  || iif(sum(record ->> 'expectation' = 'newer'), printf('; %d are by a compiler newer than the table: it is compared '
    || 'with the newest known version, and the litmus shows the differences',
    sum(record ->> 'expectation' = 'newer')), '') AS note
FROM found WHERE list = 'variants' AND NOT :brief HAVING count(*);
