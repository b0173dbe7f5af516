// SPDX-License-Identifier: MIT
/* try: somebody's function, an answer, two minutes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/error.h"
#include "cmd/common.h"
#include "cmd/parameters.h"
#include "model/npy.h"
#include "model/record.h"
#include "oracle/inputs.h"
#include "oracle/oracle.h"
#include "publish/sections/sections.h"
#include "publish/site/frame.h"
#include "publish/sql/judge.h"
#include "study/trial.h"

enum { LINES = 70 };

/* Writes the verdict, speed, flags and next steps, from the answer's document. */
static int write_answer(const json_t *document, const struct doc *d, struct error *e)
{
    struct lab_db l;
    int code = judge_open(&l, document, "", e);
    if (code) return code;
    query_write(d, &l, sql_section_trial);
    lab_close(&l);
    return 0;
}

static int write_page(const json_t *document, const char *path, struct error *e)
{
    struct frame f = {
        .title = record_text(json_object_get(document, "subject"), "function"),
        .without = "only the button for dark and light is missing.",
        .scripts = {"page.buildTheme(() => {});"},
    };
    size_t size = 0;
    const struct doc d = {.out = memory_text(&f.body, &size), .html = true};
    int code = write_answer(document, &d, e);
    memory_text_close(d.out);
    if (!code) return frame_write(&f, path, e);
    free(f.body);
    return code;
}

static int print_answer(const struct options *o, const json_t *document, struct error *e)
{
    char *text = NULL;
    size_t size;
    int code = o->page ? write_page(document, o->page, e) : 0;
    if (code || o->json) return code;
    const struct terminal terminal = terminal_of(stdout);
    const struct doc d = {.out = memory_text(&text, &size), .terminal = &terminal};
    code = write_answer(document, &d, e);
    memory_text_close(d.out);
    if (!code) write_lines(stdout, text, LINES);
    free(text);
    return code;
}

/* Reads the user's rows once before anything is built. */
static int check_inputs(const struct options *o, struct error *e)
{
    int code = 0;
    for (size_t i = 0; i < o->inputs.count && !code; i++) {
        struct npy rows = {0};
        code = read_array(o->inputs.items[i], &rows, e);
        if (!code && o->multiple && rows.cols % o->multiple)
            code =
                fail(e, EXIT_BAD_INPUT,
                     "--input: %s: has rows of %zu elements, not a multiple as --multiple %zu says",
                     o->inputs.items[i], rows.cols, o->multiple);
        npy_free(&rows);
    }
    return code;
}

/* Writes the row of the own build's first wrong result, else of its largest error; of a function of
 * one element, outside the families, that element. */
static int keep_row(const char *path, const struct trial *t, struct error *e)
{
    const json_t *build, *own = NULL;
    size_t i;
    json_array_foreach(json_object_get(t->document, "builds"), i, build)
    {
        if (!strcmp(record_text(build, "id"), record_text(t->document, "own"))) own = build;
    }
    const json_t *wrong = json_object_get(own, "wrong_at"), *at = json_object_get(own, "max_at");
    const bool is_wrong = json_is_object(wrong);
    const char *name = record_text(is_wrong ? wrong : own, is_wrong ? "family" : "worst_family");
    const enum family family = family_find(name);
    const struct oracle *oracle = oracle_find(t->op);
    struct npy row = {.rows = 1, .cols = 1, .ndim = 2};
    if (is_wrong) at = wrong;
    if (!json_is_object(at) || (family == FAMILY_COUNT && !t->unary)) {
        note("--keep-row: %s: not written: %s", path,
             *name ? "the row already is in a file" : "no result is wrong or errs");
        return 0;
    }
    if (family < FAMILY_COUNT)
        row.cols = (size_t)record_count(is_wrong ? wrong : own, is_wrong ? "n" : "worst_n");
    const enum domain domain = oracle ? oracle->domain : DOMAIN_MOMENTS;
    const uint64_t seed = (uint64_t)record_count(at, "row_seed"),
                   which = (uint64_t)record_count(at, "row");
    if (t->call.in_double)
        row.doubles = memory_zeroed(row.cols, sizeof *row.doubles);
    else
        row.data = memory_zeroed(row.cols, sizeof *row.data);
    if (family == FAMILY_COUNT && row.doubles)
        *row.doubles = strtod(record_text(at, "input"), NULL);
    else if (family == FAMILY_COUNT)
        *row.data = strtof(record_text(at, "input"), NULL);
    else if (row.doubles)
        f64_inputs_row(family, domain, seed, which, row.cols, row.doubles);
    else
        inputs_row(family, domain, seed, which, row.cols, row.data);
    int code = npy_write(path, &row, e);
    npy_free(&row);
    return code;
}

int cmd_try(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct trial t;
    if (o->positional.count != 2)
        return fail(e, EXIT_USAGE,
                    "try: name a file and a function of it: ulplab try softmax.c softmax_rows --op "
                    "softmax");
    struct trial_request request = function_request(o, o->positional.items[1], o->isa);
    request.ccs = o->ccs.items;
    request.cc_count = o->ccs.count;
    request.policies = o->policies.items;
    request.policy_count = o->policies.count;
    request.before = o->before;
    request.keep = o->keep;
    request.quick = o->quick;
    request.full = o->full;
    request.quiet = o->quiet;
    request.timeout_s = o->timeout;
    request.samples = o->samples;
    request.allow_lost = o->allow.count > 0;
    int code = check_inputs(o, e);
    if (!code) code = given_eps(o, &request.eps, e);
    if (!code) code = cpu_detect(&cpu, o->hide_isa, e);
    if (code) return code;
    code = trial_build(&t, &request, &cpu, e);
    t.judge = judge_trial;
    if (!code) code = trial_measure(&t, e);
    if (!code && o->keep_row) code = keep_row(o->keep_row, &t, e);
    /* The answer is printed without the facts that it follows from. */
    json_object_del(t.document, "facts");
    json_object_del(t.document, "next");
    json_object_del(t.document, "asked");
    if (!code) code = print_answer(o, t.document, e);
    if (!code && o->json) {
        json_t *document = new_document(&cpu);
        json_object_update(document, t.document);
        code = print_document(document, 0, e);
    }
    const json_t *verdict = json_object_get(t.document, "verdict");
    if (!code && json_is_true(json_object_get(verdict, "falls")))
        code = fail(e, EXIT_GATE, "try: %s: %s", request.subject.function,
                    record_text(verdict, "heading"));
    if (!code && json_is_true(json_object_get(verdict, "partial")))
        code = fail(e, EXIT_PARTIAL, "try: %s: %s; the answer lists the open questions",
                    request.subject.function, record_text(verdict, "heading"));
    trial_close(&t);
    return code;
}
