#include "publish/policy/policy_emit.h"

#include <string.h>

#include "publish/load/origin.h"

struct paste {
    const struct policies *p;
    const struct policy_row *row;
    char run[400];
    FILE *out;
};

static void comment(const struct paste *t)
{
    fprintf(t->out, "# %s %s, chosen by ulplab policy from %s\n# %s\n# Measured at -O3%s\n",
            t->row->cc, t->row->policy, t->run, t->p->why,
            t->row->safe ? "."
                         : "; compile lines only: on a link line it changes the whole process.");
    if (!t->row->flags[0])
        fputs("# No flag: this is what the compiler does under -std=gnu11 where nothing is said;\n"
              "# under -std=c11 gcc contracts nothing.\n",
              t->out);
}

/* Each word of the flags, with `before` and `after` around it. */
static void each_flag(const struct paste *t, const char *before, const char *after)
{
    for (const char *word = t->row->flags; *word;) {
        size_t length = strcspn(word, " ");
        fprintf(t->out, "%s%.*s%s", before, (int)length, word, after);
        word += length + (word[length] == ' ');
    }
}

static const char *family_of(const char *cc, const char *gcc, const char *clang)
{
    return strncmp(cc, "clang", 5) ? gcc : clang;
}

static void paste_make(const struct paste *t)
{
    comment(t);
    fprintf(t->out, "CC := %s\nCFLAGS += -O3", t->row->cc);
    each_flag(t, " ", "");
    fputc('\n', t->out);
}

static void paste_cmake(const struct paste *t)
{
    comment(t);
    if (!t->row->flags[0]) return;
    fprintf(t->out, "if(CMAKE_C_COMPILER_ID STREQUAL \"%s\")\n  add_compile_options(",
            family_of(t->row->cc, "GNU", "Clang"));
    fprintf(t->out, "%s)\nendif()\n", t->row->flags); /* words with one space between them */
}

static void paste_meson(const struct paste *t)
{
    comment(t);
    if (!t->row->flags[0]) return;
    fprintf(t->out, "if meson.get_compiler('c').get_id() == '%s'\n  add_project_arguments(",
            family_of(t->row->cc, "gcc", "clang"));
    each_flag(t, "'", "', ");
    fputs("language : 'c')\nendif\n", t->out);
}

static void paste_json(const struct paste *t)
{
    struct origin o = origin_of(t->p->results);
    json_t *flags = json_array();
    for (const char *word = t->row->flags; *word;) {
        size_t length = strcspn(word, " ");
        json_array_append_new(flags, json_stringn(word, length));
        word += length + (word[length] == ' ');
    }
    json_t *document =
        json_pack("{s:i, s:s, s:s, s:o, s:s, s:{s:s, s:s, s:s, s:s?}}", "schema", 1, "cc",
                  t->row->cc, "policy", t->row->policy, "flags", flags, "why", t->p->why, "from",
                  "folder", t->p->folder, "machine", o.slug, "commit", o.commit, "started",
                  started_or_null(origin_started(t->p->results)));
    json_dumpf(document, t->out, JSON_INDENT(1));
    fputc('\n', t->out);
    json_decref(document);
}

int policies_emit(const struct policies *p, const char *format, FILE *out, struct error *e)
{
    static const struct {
        const char *name;
        void (*paste)(const struct paste *);
    } formats[] = {
        {"make", paste_make}, {"cmake", paste_cmake}, {"meson", paste_meson}, {"json", paste_json}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, format) != 0) continue;
        if (!p->recommended)
            return fail(e, EXIT_GATE, "policy: --emit %s: %s; loosen the constraints", format,
                        p->why);
        struct paste t = {.p = p, .row = p->recommended, .out = out};
        origin_describe(p->results, p->folder, t.run, sizeof t.run);
        formats[i].paste(&t);
        return 0;
    }
    return fail(e, EXIT_USAGE, "policy: --emit %s: unknown; known: make, cmake, meson, json",
                format);
}
