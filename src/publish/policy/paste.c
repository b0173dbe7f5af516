// SPDX-License-Identifier: MIT
#include "publish/policy/paste.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "model/fp_flags.h"
#include "model/record.h"

/* How a format says them, of one file or of the whole build: $c is the compiler, $o the
 * optimisation, $f the file, $s the same without its ending, $G and $g GNU and gcc, or Clang and
 * clang, $W each flag as `word` says it, $l what keeps them off link lines, where they set FTZ and
 * DAZ; $V, $v and $a the language: CC, C and c, or CXX, CXX and cpp; $$ is a dollar. */
static const struct form {
    const char *format;
    bool of_file;
    bool has_flags; /* nothing is said where there are none */
    const char *word, *text;
} forms[] = {
    {"make", false, false, " $", "$V := $c\n$l$vFLAGS += $o$W\n"},
    {"make", true, false, " $", "$s.o: $vFLAGS += $o$W\n"},
    {"cmake", false, true, " $",
     "if(CMAKE_$v_COMPILER_ID STREQUAL \"$G\")\n"
     "  add_compile_options(\"$$<$$<COMPILE_LANGUAGE:$v>:SHELL:$W>\")\nendif()\n"},
    {"cmake", true, true, " $",
     "if(CMAKE_$v_COMPILER_ID STREQUAL \"$G\")\n"
     "  set_property(SOURCE $f APPEND PROPERTY COMPILE_OPTIONS$W)\nendif()\n"},
    {"meson", false, true, "'$', ",
     "if add_languages('$a', native : false, required : false)\n"
     "  if meson.get_compiler('$a').get_id() == '$g'\n"
     "    add_project_arguments($Wlanguage : '$a')\n  endif\nendif\n"},
    {"meson", true, true, "'$', ",
     "if meson.get_compiler('$a').get_id() == '$g'\n"
     "  lib_$s = static_library('$s', '$f', $a_args : [$W])\nendif\n"},
    {"bazel", false, false, " --copt=$", "# .bazelrc\nbuild --copt=$o$W\n"},
    {"bazel", true, false, ", \"$\"",
     "cc_library(name = \"$s\", srcs = [\"$f\"], copts = [\"$o\"$W])\n"},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* Each word, in the place of the $ of `form`. */
static void paste_put_words(FILE *out, const char *flags, const char *form)
{
    const size_t before = strcspn(form, "$");
    for (size_t length; *flags; flags += length + (flags[length] == ' ')) {
        length = strcspn(flags, " ");
        fprintf(out, "%.*s%.*s%s", (int)before, form, (int)length, flags, form + before + 1);
    }
}

/* Writes what starts the compiler: gcc-12, or for C++ g++-12, clang++-14. */
static void name_compiler(const struct paste *p, char *name, size_t size)
{
    const size_t family = strcspn(p->cc, "-");
    if (p->cxx)
        snprintf(name, size, "%s%s", strncmp(p->cc, "gcc", 3) ? "clang++" : "g++", p->cc + family);
    else
        snprintf(name, size, "%s", p->cc);
}

static void put_form(FILE *out, const struct paste *p, const struct form *f)
{
    static const char signs[] = "cofGglVva";
    const bool clang = !strncmp(p->cc, "clang", 5);
    char linked[200], compiler[80];
    fp_line_at_link(p->flags, linked, sizeof linked);
    name_compiler(p, compiler, sizeof compiler);
    const char *const texts[] = {compiler,
                                 p->optimise,
                                 p->file,
                                 clang ? "Clang" : "GNU",
                                 clang ? "clang" : "gcc",
                                 *linked ? "%.o: " : "",
                                 p->cxx ? "CXX" : "CC",
                                 p->cxx ? "CXX" : "C",
                                 p->cxx ? "cpp" : "c"};
    for (const char *c = f->text; *c; c++) {
        if (*c != '$') {
            fputc(*c, out);
            continue;
        }
        const char *sign = strchr(signs, *++c);
        if (sign)
            fputs(texts[sign - signs], out);
        else if (*c == '$')
            fputc('$', out);
        else if (*c == 's')
            fprintf(out, "%.*s", (int)strcspn(p->file, "."), p->file);
        else
            paste_put_words(out, p->flags, f->word);
    }
}

int paste_check(const char *format, struct error *e)
{
    for (size_t i = 0; i < FORMS; i++)
        if (!strcmp(forms[i].format, format)) return 0;
    return strcmp(format, "json") ? fail(e, EXIT_USAGE,
                                         "--emit %s: unknown; known: make, cmake, meson, bazel, "
                                         "json",
                                         format)
                                  : 0;
}

void paste_write(const struct paste *p, const char *format, FILE *out)
{
    for (size_t i = 0; i < FORMS; i++)
        if (!strcmp(forms[i].format, format) && forms[i].of_file == (p->file != NULL) &&
            (*p->flags || !forms[i].has_flags))
            put_form(out, p, &forms[i]);
}

/* ---- What `ulplab flags` found --------------------------------------------------------------- */

/* Returns whether a file's name ends in one of these, which end with NULL. */
static bool has_suffix(const char *file, const char *const *suffixes)
{
    const char *dot = strrchr(file, '.');
    while (dot && *suffixes && strcmp(dot, *suffixes) != 0) suffixes++;
    return dot && *suffixes;
}

static const char *const headers[] = {".h", ".hpp", ".hh", ".hxx", ".ipp", NULL},
                         *const cxx_files[] = {".cc", ".cpp", ".cxx", ".C", ".hpp",
                                               ".hh", ".hxx", ".ipp", NULL};

static void emit_set(const json_t *set, const char *format, FILE *out)
{
    /* The baseline's flags come first: what stands later wins. */
    char flags[1400];
    const char *base = record_text(set, "base"), *rest = record_text(set, "flags");
    const size_t optimise = strcspn(base, " ");
    snprintf(flags, sizeof flags, "%s%s%s", base + optimise + (base[optimise] == ' '),
             *rest && base[optimise] ? " " : "", rest);
    char optimised[40], linked[200];
    snprintf(optimised, sizeof optimised, "%.*s", (int)optimise, base);
    const char *file = record_text(set, "file"), *function = record_text(set, "function");
    const bool cxx = has_suffix(file, cxx_files) || strstr(function, "::") != NULL ||
                     strchr(function, '<') != NULL;
    const struct paste p = {record_text(set, "cc"), optimised, flags, file, cxx};
    fprintf(out, "# %s %s, %s, by ulplab flags\n# %s\n", p.cc, record_text(set, "version"),
            record_text(set, "isa"), record_text(set, "sentence"));
    fp_line_at_link(flags, linked, sizeof linked);
    if (has_suffix(file, headers))
        fprintf(out, "# %s is a header: write the sources that include it in its place.\n", file);
    if (*linked)
        fprintf(out,
                "# For compile lines: on a link line %s sets FTZ and DAZ for the whole process.\n",
                linked);
    paste_write(&p, format, out);
}

int flags_emit(const json_t *records, const char *format, FILE *out, struct error *e)
{
    json_t *sets = json_array(), *set;
    size_t i;
    int code = paste_check(format, e);
    json_array_foreach((json_t *)(uintptr_t)records, i, set)
    {
        if (!strcmp(record_text(set, "record"), "flag-set")) json_array_append(sets, set);
    }
    if (!code && !json_array_size(sets))
        code = fail(e, EXIT_GATE, "flags: --emit %s: no kernel was measured", format);
    else if (!code && !strcmp(format, "json"))
        json_dumpf(sets, out, JSON_INDENT(1)), fputc('\n', out);
    else if (!code)
        json_array_foreach(sets, i, set) emit_set(set, format, out);
    json_decref(sets);
    return code;
}
