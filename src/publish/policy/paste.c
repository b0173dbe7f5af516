// SPDX-License-Identifier: MIT
#include "publish/policy/paste.h"

#include <stdint.h>
#include <string.h>

#include "model/record.h"

/* Each word, with `before` and `after` around it. */
static void each_word(FILE *out, const char *flags, const char *before, const char *after)
{
    for (const char *word = flags; *word;) {
        const size_t length = strcspn(word, " ");
        fprintf(out, "%s%.*s%s", before, (int)length, word, after);
        word += length + (word[length] == ' ');
    }
}

static const char *family_of(const char *cc, const char *gcc, const char *clang)
{
    return strncmp(cc, "clang", 5) ? gcc : clang;
}

static void paste_make(const struct paste *p, FILE *out)
{
    if (p->file)
        fprintf(out, "%.*s.o: CFLAGS += %s", (int)strcspn(p->file, "."), p->file, p->optimise);
    else
        fprintf(out, "CC := %s\nCFLAGS += %s", p->cc, p->optimise);
    each_word(out, p->flags, " ", "");
    fputc('\n', out);
}

static void paste_cmake(const struct paste *p, FILE *out)
{
    if (!p->flags[0]) return;
    fprintf(out, "if(CMAKE_C_COMPILER_ID STREQUAL \"%s\")\n", family_of(p->cc, "GNU", "Clang"));
    if (p->file) {
        fprintf(out, "  set_property(SOURCE %s APPEND PROPERTY COMPILE_OPTIONS", p->file);
        each_word(out, p->flags, " ", "");
        fputs(")\nendif()\n", out);
    } else {
        fprintf(out, "  add_compile_options(%s)\nendif()\n", p->flags);
    }
}

static void paste_meson(const struct paste *p, FILE *out)
{
    if (!p->flags[0]) return;
    fprintf(out, "if meson.get_compiler('c').get_id() == '%s'\n", family_of(p->cc, "gcc", "clang"));
    if (p->file) {
        fprintf(out, "  lib_%.*s = static_library('%.*s', '%s', c_args : [",
                (int)strcspn(p->file, "."), p->file, (int)strcspn(p->file, "."), p->file, p->file);
        each_word(out, p->flags, "'", "', ");
        fputs("])\nendif\n", out);
    } else {
        fputs("  add_project_arguments(", out);
        each_word(out, p->flags, "'", "', ");
        fputs("language : 'c')\nendif\n", out);
    }
}

static void paste_bazel(const struct paste *p, FILE *out)
{
    if (p->file) {
        fprintf(out, "cc_library(name = \"%.*s\", srcs = [\"%s\"], copts = [\"%s\"",
                (int)strcspn(p->file, "."), p->file, p->file, p->optimise);
        each_word(out, p->flags, ", \"", "\"");
        fputs("])\n", out);
    } else {
        fprintf(out, "# .bazelrc\nbuild --copt=%s", p->optimise);
        each_word(out, p->flags, " --copt=", "");
        fputc('\n', out);
    }
}

static const struct {
    const char *name;
    void (*paste)(const struct paste *, FILE *);
} formats[] = {
    {"make", paste_make}, {"cmake", paste_cmake}, {"meson", paste_meson}, {"bazel", paste_bazel}};
enum { FORMATS = sizeof formats / sizeof *formats };

int paste_check(const char *format, struct error *e)
{
    size_t i = 0;
    while (i < FORMATS && strcmp(formats[i].name, format) != 0) i++;
    if (i < FORMATS || !strcmp(format, "json")) return 0;
    return fail(e, EXIT_USAGE, "--emit %s: unknown; known: make, cmake, meson, bazel, json",
                format);
}

int paste_write(const struct paste *p, const char *format, FILE *out, struct error *e)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (!strcmp(formats[i].name, format)) return formats[i].paste(p, out), 0;
    return paste_check(format, e);
}

json_t *paste_words(const char *flags)
{
    json_t *words = json_array();
    for (const char *word = flags; *word;) {
        const size_t length = strcspn(word, " ");
        json_array_append_new(words, json_stringn(word, length));
        word += length + (word[length] == ' ');
    }
    return words;
}

/* ---- What `ulplab flags` found --------------------------------------------------------------- */

static int emit_set(const json_t *set, const char *format, FILE *out, struct error *e)
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
    fprintf(out,
            "# %s %s, %s, by ulplab flags\n# %s\n# For compile lines: on a link line "
            "-ffast-math and its parts change the whole process.\n",
            p.cc, record_text(set, "version"), record_text(set, "isa"),
            record_text(set, "sentence"));
    return paste_write(&p, format, out, e);
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
    if (!json_array_size(sets))
        code = fail(e, EXIT_GATE, "flags: --emit %s: no kernel was measured", format);
    else if (!strcmp(format, "json"))
        json_dumpf(sets, out, JSON_INDENT(1)), fputc('\n', out);
    else
        json_array_foreach(sets, i, set)
        {
            if (!code) code = emit_set(set, format, out, e);
        }
    json_decref(sets);
    return code;
}
