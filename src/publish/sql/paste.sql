-- SPDX-License-Identifier: MIT
-- Flags of a compiler as a piece of somebody's build. pastes: what is written: flags, words with one space between
-- them, for one file, or for the whole build where it is NULL, of C or of C++. pasted: its text in each format; none
-- where there are no flags and the format then says nothing.
CREATE TEMP TABLE pastes(place INTEGER, cc TEXT, optimise TEXT, flags TEXT, file TEXT, cxx INTEGER);
-- {c} is the compiler, {o} the optimisation, {f} the file, {s} the same without its ending, {G} and {g} GNU and gcc, or
-- Clang and clang, {W} each flag between `before` and `behind`, {l} what keeps them off link lines, where they set FTZ
-- and DAZ; {V}, {v} and {a} the language: CC, C and c, or CXX, CXX and cpp.
CREATE TEMP TABLE paste_forms(format TEXT, of_file INTEGER, has_flags INTEGER, before TEXT, behind TEXT, text TEXT);
INSERT INTO paste_forms VALUES ('make', 0, 0, ' ', '', '{V} := {c}
{l}{v}FLAGS += {o}{W}
'), ('make', 1, 0, ' ', '', '{s}.o: {v}FLAGS += {o}{W}
'), ('cmake', 0, 1, ' ', '', 'if(CMAKE_{v}_COMPILER_ID STREQUAL "{G}")
  add_compile_options("$<$<COMPILE_LANGUAGE:{v}>:SHELL:{W}>")
endif()
'), ('cmake', 1, 1, ' ', '', 'if(CMAKE_{v}_COMPILER_ID STREQUAL "{G}")
  set_property(SOURCE {f} APPEND PROPERTY COMPILE_OPTIONS{W})
endif()
'), ('meson', 0, 1, '''', ''', ', 'if add_languages(''{a}'', native : false, required : false)
  if meson.get_compiler(''{a}'').get_id() == ''{g}''
    add_project_arguments({W}language : ''{a}'')
  endif
endif
'), ('meson', 1, 1, '''', ''', ', 'if meson.get_compiler(''{a}'').get_id() == ''{g}''
  lib_{s} = static_library(''{s}'', ''{f}'', {a}_args : [{W}])
endif
'), ('bazel', 0, 0, ' --copt=', '', '# .bazelrc
build --copt={o}{W}
'), ('bazel', 1, 0, ', "', '"', 'cc_library(name = "{s}", srcs = ["{f}"], copts = ["{o}"{W}])
');
CREATE TEMP VIEW paste_links AS
SELECT p.rowid AS paste, group_concat(value, ' ') AS at_link
FROM temp.pastes p, json_each('["' || replace(flags, ' ', '","') || '"]') WHERE flag_at_link(value) GROUP BY p.rowid;
CREATE TEMP VIEW pasted AS
SELECT place, format, replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(text,
    '{W}', iif(flags = '', '', before || replace(flags, ' ', behind || before) || behind)),
    '{c}', iif(cxx, iif(cc LIKE 'gcc%', 'g++', 'clang++') || substr(cc, instr(cc || '-', '-')), cc)),
    '{G}', iif(cc LIKE 'clang%', 'Clang', 'GNU')), '{g}', iif(cc LIKE 'clang%', 'clang', 'gcc')),
    '{V}', iif(cxx, 'CXX', 'CC')), '{v}', iif(cxx, 'CXX', 'C')), '{a}', iif(cxx, 'cpp', 'c')),
    '{l}', iif(at_link IS NULL, '', '%.o: ')), '{o}', optimise),
    '{f}', coalesce(file, '')), '{s}', substr(coalesce(file, ''), 1, instr(coalesce(file, '') || '.', '.') - 1)) AS text
FROM (SELECT rowid AS paste, * FROM temp.pastes) p LEFT JOIN temp.paste_links USING (paste)
  JOIN temp.paste_forms ON of_file = (file IS NOT NULL) AND (flags <> '' OR NOT has_flags);
