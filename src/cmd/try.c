// SPDX-License-Identifier: MIT
/* try: somebody's function, an answer, two minutes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cmd/commands.h"
#include "cmd/common.h"
#include "cmd/function_request.h"
#include "publish/render/for_terminal.h"
#include "publish/sections/trial.h"
#include "study/trial.h"

enum { LINES = 70 };

static char *answer_text(const json_t *document, bool html, size_t *size, int *code,
                         struct error *e)
{
    char *text = NULL;
    FILE *out = memory_text(&text, size);
    struct doc d = {.out = out, .html = html};
    if (html)
        fputs("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>ulplab try</title>"
              "<meta name=\"viewport\" content=\"width=device-width\"><style>body{font:16px/1.5 "
              "system-ui;max-width:60em;margin:2em auto;padding:0 1em;color-scheme:light dark}"
              "table{border-collapse:collapse}th,td{padding:.2em .8em .2em 0;text-align:left}"
              "</style>\n",
              out);
    *code = trial_write(document, &d, e);
    if (html) fputs("</html>\n", out);
    memory_text_close(out);
    return text;
}

static int print_answer(const struct options *o, const json_t *document, struct error *e)
{
    size_t size;
    int code = 0;
    if (o->page) {
        char *html = answer_text(document, true, &size, &code, e);
        if (!code) code = file_write_atomic(o->page, html, size, e);
        free(html);
    }
    if (code || o->json) return code;
    char *text = answer_text(document, false, &size, &code, e);
    if (!code) write_for_terminal(stdout, terminal_of(stdout), LINES, text);
    free(text);
    return code;
}

/* Returns whether the user's own build has wrong results, which is a gate that falls. */
static bool is_wrong(const json_t *document)
{
    const json_t *build;
    size_t i;
    json_array_foreach(json_object_get(document, "builds"), i, build)
    {
        const char *status = text_or_dash(build, "status");
        if (!strcmp(status, "ok")) return false;
    }
    return true;
}

int cmd_try(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct trial t;
    if (o->positional.count != 2)
        return fail(e, EXIT_USAGE,
                    "try: name a file and a function of it: ulplab try softmax.c softmax_rows --op "
                    "softmax");
    for (size_t i = 0; i < o->allow.count; i++)
        if (strcmp(o->allow.items[i], "lost") != 0)
            return fail(e, EXIT_USAGE, "--allow: '%s': want lost", o->allow.items[i]);
    struct trial_request request = function_request(o, o->positional.items[1], o->isa);
    request.keep = o->keep;
    request.quick = o->quick;
    request.full = o->full;
    request.quiet = o->quiet;
    request.allow_lost = o->allow.count > 0;
    int code = cpu_detect(&cpu, o->hide_isa, e);
    if (code) return code;
    code = trial_build(&t, &request, &cpu, e);
    if (!code) code = trial_measure(&t, e);
    if (!code) code = print_answer(o, t.document, e);
    if (!code && o->json) {
        json_t *document = new_document(&cpu);
        json_object_update(document, t.document);
        code = print_document(document, 0, e);
    }
    if (!code && is_wrong(t.document))
        code =
            fail(e, EXIT_GATE, "try: no build of %s ends as it should", request.subject.function);
    trial_close(&t);
    return code;
}
