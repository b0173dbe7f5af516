-- SPDX-License-Identifier: MIT
-- Validates a check file, and makes the command line of `try` for each of its functions. `given` has one row: `path`
-- and `folder` of the file, and `functions`, its entries. fields: those of a function, in the order of the command
-- line; option: the field's option of `try`, repeated for each item of an array; NULL: none. is_path: relative to the
-- folder.
CREATE TEMP TABLE fields(place INTEGER PRIMARY KEY, name TEXT, type TEXT, is_path INTEGER, option TEXT);
INSERT INTO fields(name, type, is_path, option) VALUES ('name', 'text', 0, NULL), ('file', 'text', 1, ''),
  ('function', 'text', 0, ''), ('op', 'text', 0, '--op'), ('call', 'text', 0, '--call'),
  ('flags', 'text', 0, '--flags'), ('compdb', 'text', 1, '--compdb'), ('isa', 'text', 0, '--isa'),
  ('ref', 'text', 1, '--ref'), ('ref_call', 'text', 0, '--ref-call'),
  ('scale', 'text', 0, '--scale'), ('also', 'array', 1, '--also'),
  ('link', 'array', 0, '--link'), ('cc', 'array', 0, NULL), ('allow', 'array', 0, NULL), ('max_ulp', 'number', 0, NULL),
  ('max_slower', 'number', 0, NULL), ('input', 'array', 1, '--input'), ('columns', 'number', 0, '--columns'),
  ('param', 'array', 0, '--param'), ('steps', 'number', 0, '--steps'), ('step', 'number', 0, '--step'),
  ('aligned', 'number', 0, '--aligned'), ('multiple', 'number', 0, '--multiple'), ('samples', 'number', 0, '--samples');
CREATE TEMP TABLE functions AS SELECT key AS place, iif(type = 'object', value, '{}') AS function
FROM given, json_each(iif(json_type(document, '$.functions') = 'array', document -> 'functions', '[]'));
CREATE TEMP TABLE said AS SELECT f.place, v.key AS name, v.value,
  iif(v.type IN ('integer', 'real'), 'number', v.type) AS type FROM functions f, json_each(f.function) v;

SELECT 4, 'check: ' || (document ->> 'path') || ': ' || text FROM given, (
  SELECT 0 AS place, 0 AS n, 'no function in the list ''functions''; docs/ci.md has an example' AS text
  WHERE NOT EXISTS(SELECT 1 FROM functions)
  UNION ALL SELECT place, 1, name || ': not a field of a function; see docs/ci.md' FROM said
  WHERE name NOT IN (SELECT name FROM fields)
  UNION ALL SELECT s.place, 2, name || ': want ' || iif(f.type = 'array', 'a list', 'a ' || f.type)
    || '; see docs/ci.md' FROM said s JOIN fields f USING (name)
  WHERE s.type <> f.type
  UNION ALL SELECT f.place, 3, printf('a function without ''%s''%s; add it', d.name,
    coalesce(' (' || (f.function ->> 'name') || ')', '')) FROM functions f, fields d
  WHERE d.place <= 3 AND NOT EXISTS(SELECT 1 FROM said s WHERE s.place = f.place AND s.name = d.name)
  UNION ALL SELECT s.place, 4, 'allow: ' || iif(w.type = 'text', w.value, 'no text')
    || ': want lost, errors, bits, subnormals' FROM said s, json_each(iif(s.type = 'array', s.value, '[]')) w
  WHERE s.name = 'allow' AND (w.type <> 'text' OR w.value NOT IN ('lost', 'errors', 'bits', 'subnormals'))
  UNION ALL SELECT 1e9 + max(place), 5, 'two functions with the name ''' || value || '''; give them different names'
  FROM said WHERE name = 'name' GROUP BY value HAVING count(*) > 1)
ORDER BY place, n LIMIT 1;

-- words: of `try`, its file and function first. Without an ISA it is AVX2, whatever CPU the runner has.
CREATE TEMP VIEW asked_words AS
WITH
item AS (SELECT s.place, f.place AS field, f.option, f.is_path, v.key, v.type, v.value FROM said s JOIN fields f
    USING (name), json_each(iif(s.type = 'array', s.value, json_array(s.value))) v WHERE f.option IS NOT NULL
  UNION ALL SELECT place, 1e9, '--isa', 0, 0, 'text', 'avx2' FROM functions WHERE function ->> 'isa' IS NULL),
word AS (
  SELECT place, field, key, 0 AS n, option AS word FROM item WHERE option <> ''
  UNION ALL SELECT i.place, field, key, 1, CASE
    WHEN is_path AND i.value NOT LIKE '/%' THEN (document ->> 'folder') || i.value
    WHEN i.type = 'real' AND i.value = cast(i.value AS INTEGER) THEN cast(i.value AS INTEGER)
    WHEN i.type = 'real' THEN printf('%!.17g', i.value) ELSE i.value END FROM item i, given)
SELECT place, json_group_array(cast(word AS TEXT)) AS words FROM (SELECT * FROM word ORDER BY place, field, key, n)
GROUP BY place ORDER BY place;
