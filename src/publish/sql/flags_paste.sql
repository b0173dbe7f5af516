-- SPDX-License-Identifier: MIT
-- The sets of flags that `ulplab flags` found, `given` as {format, sets}, each for its kernel's file (paste.sql):
-- emitted has their text. The baseline's flags come first, as what stands later wins.
CREATE TEMP TABLE emitted_sets AS
SELECT *, substr(file, length(rtrim(file, replace(file, '.', '')))) AS ending,
  trim(substr(base, instr(base || ' ', ' ') + 1) || ' ' || flags) AS words
FROM (SELECT key AS place, value ->> 'cc' AS cc, value ->> 'version' AS version, value ->> 'isa' AS isa,
    value ->> 'sentence' AS sentence, value ->> 'file' AS file, value ->> 'function' AS function,
    value ->> 'base' AS base, value ->> 'flags' AS flags FROM given, json_each(document, '$.sets'));
INSERT INTO pastes SELECT place, cc, substr(base, 1, instr(base || ' ', ' ') - 1), words, file, instr(function, '::')
  OR instr(function, '<') OR ending IN ('.cc', '.cpp', '.cxx', '.C', '.hpp', '.hh', '.hxx', '.ipp')
FROM emitted_sets;
CREATE TEMP TABLE emitted AS
SELECT group_concat(printf('# %s %s, %s, by ulplab flags' || char(10) || '# %s' || char(10), s.cc, version, isa,
    sentence)
  || iif(ending IN ('.h', '.hpp', '.hh', '.hxx', '.ipp'), '# ' || s.file
    || ' is a header: write the sources that include it in its place.' || char(10), '')
  || coalesce('# For compile lines: on a link line ' || l.at_link || ' sets FTZ and DAZ for the whole process.'
    || char(10), '') || coalesce(text, ''), '') AS text
FROM (SELECT * FROM emitted_sets ORDER BY place) s JOIN temp.pastes p USING (place)
  LEFT JOIN paste_links l ON l.paste = p.rowid LEFT JOIN pasted t ON t.place = s.place 
    AND format = (SELECT document ->> 'format' FROM given);
