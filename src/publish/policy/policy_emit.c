#include "publish/policy/policy_emit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/load/origin.h"
#include "publish/policy/paste.h"

struct paste_of {
    const struct policies *p;
    const struct policy_row *row;
    FILE *out;
};

static void comment(const struct paste_of *t)
{
    char run[400];
    origin_describe(t->p->results, t->p->folder, run, sizeof run);
    fprintf(t->out, "# %s %s, chosen by ulplab policy from %s\n# %s\n# Measured at -O3%s\n",
            t->row->cc, t->row->policy, run, t->p->why,
            t->row->safe ? "."
                         : "; compile lines only: on a link line it changes the whole process.");
    if (!t->row->flags[0])
        fputs("# No flag: this is what the compiler does under -std=gnu11 where nothing is said;\n"
              "# under -std=c11 gcc contracts nothing.\n",
              t->out);
}

static void paste_json(const struct paste_of *t)
{
    struct origin o = origin_of(t->p->results);
    json_t *document =
        json_pack("{s:i, s:s, s:s, s:o, s:s, s:{s:s, s:s, s:s, s:s?}}", "schema", 1, "cc",
                  t->row->cc, "policy", t->row->policy, "flags", paste_words(t->row->flags), "why",
                  t->p->why, "from", "folder", t->p->folder, "machine", o.slug, "commit", o.commit,
                  "started", started_or_null(origin_started(t->p->results)));
    json_dumpf(document, t->out, JSON_INDENT(1));
    fputc('\n', t->out);
    json_decref(document);
}

int policies_emit(const struct policies *p, const char *format, FILE *out, struct error *e)
{
    if (!p->recommended)
        return fail(e, EXIT_GATE, "policy: --emit %s: %s; loosen the constraints", format, p->why);
    const struct paste_of t = {.p = p, .row = p->recommended, .out = out};
    const struct paste paste = {t.row->cc, "-O3", t.row->flags, NULL};
    if (!strcmp(format, "json")) return paste_json(&t), 0;
    char *text = NULL;
    size_t size = 0;
    FILE *lines = memory_text(&text, &size);
    int code = paste_write(&paste, format, lines, e);
    memory_text_close(lines);
    if (!code) comment(&t), fputs(text, out);
    free(text);
    return code;
}
