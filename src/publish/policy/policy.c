// SPDX-License-Identifier: MIT
#include "publish/policy/policy.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "model/fp_flags.h"
#include "model/record.h"
#include "publish/render/rows.h"
#include "publish/sql/facts.h"
#include "publish/sql/sql.h"

static int policy_put_words(const struct lab_db *l, const char *option, const char *const *words,
                            size_t count, struct error *e)
{
    int code = 0;
    for (size_t i = 0; !code && i < count; i++)
        code = lab_run(l, e, "INSERT INTO wish_words VALUES(?, ?)", "tt", option, words[i]);
    return code;
}

int policies_make(const struct lab_db *l, const struct policy_constraints *c, struct error *e)
{
    int code =
        lab_run(l, e,
                "CREATE TEMP TABLE wishes(folder TEXT, max_ulp REAL, bar_given INTEGER, "
                "no_broken_cases INTEGER); "
                "CREATE TEMP TABLE wish_words(option TEXT, word TEXT); "
                "INSERT INTO wishes VALUES(?, ?, ?, ?)",
                "tdii", c->folder, c->max_ulp, (int64_t)c->bar_given, (int64_t)c->no_broken_cases);
    if (!code) code = policy_put_words(l, "require", c->require, c->require_count, e);
    if (!code) code = policy_put_words(l, "allow", c->allow, c->allow_count, e);
    return code ? code : lab_run(l, e, sql_policy, "");
}

/* Writes the flags of the whole build, for its C and its C++. */
static void emit_both(const char *cc, const char *words, const char *format, FILE *out)
{
    paste_write(&(struct paste){cc, "-O3", words, NULL, false}, format, out);
    if (strcmp(format, "bazel") != 0)
        paste_write(&(struct paste){cc, "-O3", words, NULL, true}, format, out);
}

int policies_emit(const struct lab_db *l, const char *format, FILE *out, struct error *e)
{
    int code = 0;
    json_t *advice = rows_document(l, sql_policy_emit, e);
    if (!advice) return EXIT_BAD_INPUT;
    const char *cc = record_text(advice, "cc"), *words = record_text(advice, "words");
    /* Lines for CMake and Meson test which compiler it is: those of several stand together. */
    const bool by_name = !strcmp(format, "cmake") || !strcmp(format, "meson");
    const json_t *other;
    size_t i;
    if (!*cc) {
        code = fail(e, EXIT_GATE, "policy: --emit %s: %s; loosen the constraints", format,
                    record_text(advice, "why"));
    } else if (!strcmp(format, "json")) {
        json_object_del(advice, "comment");
        json_object_del(advice, "words");
        json_dumpf(advice, out, JSON_INDENT(1));
        fputc('\n', out);
    } else {
        fputs(record_text(advice, "comment"), out);
        emit_both(cc, words, format, out);
        json_array_foreach(json_object_get(advice, "others"), i, other)
        {
            fprintf(out, "# With %s: %s, the most conservative within 2%% of its fastest%s\n",
                    record_text(other, "cc"), record_text(other, "policy"),
                    by_name ? "." : ", instead of the lines above:");
            if (by_name)
                emit_both(record_text(other, "cc"), record_text(other, "words"), format, out);
            else
                fprintf(out, "#   -O3 %s\n", record_text(other, "words"));
        }
    }
    json_decref(advice);
    return code;
}

/* ---- Flags as a piece of somebody's build --------------------------------------------------- */

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
    int code = 0;
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
