// SPDX-License-Identifier: MIT
#include "publish/policy/paste.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "model/fp_flags.h"
#include "model/record.h"

/* How a format says them, of one file or of the whole build: $c is the compiler, $o the
 * optimisation, $f the file, $s the same without its ending, $G and $g GNU and gcc, or Clang and
 * clang, $w all flags as they are, $W each as `word` says it, $l what keeps them off link lines,
 * where they set FTZ and DAZ. */
static const struct form {
    const char *format;
    bool of_file;
    bool has_flags; /* nothing is said where there are none */
    const char *word, *text;
} forms[] = {
    {"make", false, false, " $", "CC := $c\n$lCFLAGS += $o$W\n"},
    {"make", true, false, " $", "$s.o: CFLAGS += $o$W\n"},
    {"cmake", false, true, "",
     "if(CMAKE_C_COMPILER_ID STREQUAL \"$G\")\n  add_compile_options($w)\nendif()\n"},
    {"cmake", true, true, " $",
     "if(CMAKE_C_COMPILER_ID STREQUAL \"$G\")\n"
     "  set_property(SOURCE $f APPEND PROPERTY COMPILE_OPTIONS$W)\nendif()\n"},
    {"meson", false, true, "'$', ",
     "if meson.get_compiler('c').get_id() == '$g'\n"
     "  add_project_arguments($Wlanguage : 'c')\nendif\n"},
    {"meson", true, true, "'$', ",
     "if meson.get_compiler('c').get_id() == '$g'\n"
     "  lib_$s = static_library('$s', '$f', c_args : [$W])\nendif\n"},
    {"bazel", false, false, " --copt=$", "# .bazelrc\nbuild --copt=$o$W\n"},
    {"bazel", true, false, ", \"$\"",
     "cc_library(name = \"$s\", srcs = [\"$f\"], copts = [\"$o\"$W])\n"},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* Each word, in the place of the $ of `form`. */
static void put_words(FILE *out, const char *flags, const char *form)
{
    const size_t before = strcspn(form, "$");
    for (size_t length; *flags; flags += length + (flags[length] == ' ')) {
        length = strcspn(flags, " ");
        fprintf(out, "%.*s%.*s%s", (int)before, form, (int)length, flags, form + before + 1);
    }
}

/* Returns whether any of the words sets FTZ and DAZ on a link line. */
static bool has_at_link(const char *flags)
{
    bool has = false;
    for (size_t length; *flags; flags += length + (flags[length] == ' ')) {
        char word[80];
        length = strcspn(flags, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, flags);
        has |= fp_flag_at_link(word);
    }
    return has;
}

static void put_form(FILE *out, const struct paste *p, const struct form *f)
{
    static const char signs[] = "cofGgwl";
    const bool clang = !strncmp(p->cc, "clang", 5);
    const char *const texts[] = {p->cc,
                                 p->optimise,
                                 p->file,
                                 clang ? "Clang" : "GNU",
                                 clang ? "clang" : "gcc",
                                 p->flags,
                                 has_at_link(p->flags) ? "%.o: " : ""};
    for (const char *c = f->text; *c; c++) {
        if (*c != '$') {
            fputc(*c, out);
            continue;
        }
        const char *sign = strchr(signs, *++c);
        if (sign)
            fputs(texts[sign - signs], out);
        else if (*c == 's')
            fprintf(out, "%.*s", (int)strcspn(p->file, "."), p->file);
        else
            put_words(out, p->flags, f->word);
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

static void emit_set(const json_t *set, const char *format, FILE *out)
{
    /* The baseline's flags come first: what stands later wins. */
    char flags[1400];
    const char *base = record_text(set, "base"), *rest = record_text(set, "flags");
    const size_t optimise = strcspn(base, " ");
    snprintf(flags, sizeof flags, "%s%s%s", base + optimise + (base[optimise] == ' '),
             *rest && base[optimise] ? " " : "", rest);
    char optimised[40];
    snprintf(optimised, sizeof optimised, "%.*s", (int)optimise, base);
    const struct paste p = {record_text(set, "cc"), optimised, flags, record_text(set, "file")};
    fprintf(out, "# %s %s, %s, by ulplab flags\n# %s\n", p.cc, record_text(set, "version"),
            record_text(set, "isa"), record_text(set, "sentence"));
    if (has_at_link(flags))
        fprintf(out,
                "# For compile lines: on a link line %s sets FTZ and DAZ for the whole process.\n",
                record_text(set, "at_link"));
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
