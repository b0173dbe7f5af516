// SPDX-License-Identifier: MIT
#include "study/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/memory.h"
#include "base/progress.h"
#include "cmd/common.h"
#include "measure/cell.h"
#include "model/record.h"
#include "publish/sql/sql.h"

/* ---- What is asked --------------------------------------------------------------------------- */

enum { SIDES = 2 };

static int make_cell(const struct options *o, const struct variant *v, const struct bench_setup *s,
                     struct cell *c, struct error *e)
{
    struct shape shape = {.rows = 1, .n = 2048};
    if (o->shape) shape = shape_given(o->shape);
    if (!shape.rows || !shape_fits(shape, s))
        return fail(e, EXIT_USAGE,
                    "--shape: '%s': not ROWSxN, or too large for half of the memory; e.g. 1x2048",
                    o->shape);
    if (o->families.count > 1)
        return fail(e, EXIT_USAGE, "--family: %zu families: give one", o->families.count);
    *c = (struct cell){.variant = v, .rows = shape.rows, .n = shape.n, .threads = 1};
    snprintf(c->family, sizeof c->family, "%s",
             o->families.count ? o->families.items[0] : "normal");
    c->working_set = cell_working_set(v, shape.rows, shape.n);
    c->residency = residency(&s->topology, &s->effective, c->working_set, 1);
    return 0;
}

/* ---- Running --------------------------------------------------------------------------------- */

static int explain_variant(const struct options *o, const struct variant *v,
                           const struct bench_setup *s, const struct cpu *cpu,
                           struct instruction_table *table, struct explained *x, json_t *rows,
                           struct error *e)
{
    struct cell cell;
    int code = make_cell(o, v, s, &cell, e);
    if (!code) code = explain_cell(x, &cell, s, cpu, table, e);
    if (!code) json_array_append_new(rows, explain_record(x, &cell));
    return code;
}

static int explain_sides(const struct options *o, const struct cpu *cpu,
                         const struct variant *const v[SIDES], size_t count,
                         struct explained x[SIDES], json_t *rows, struct error *e)
{
    struct bench_setup setup;
    struct instruction_table table = {.count = 0};
    int code = bench_open(&setup, cpu, e);
    if (code) return code;
    for (size_t i = 0; i < count && !code; i++)
        code = explain_variant(o, v[i], &setup, cpu, &table, &x[i], rows, e);
    instructions_free(&table);
    bench_close(&setup);
    return code;
}

static int explain_and_print(const struct options *o, const struct cpu *cpu,
                             const struct variant *const v[SIDES], size_t count, struct error *e)
{
    struct explained *x = memory_zeroed(SIDES, sizeof *x);
    json_t *rows = json_array();
    int code = explain_sides(o, cpu, v, count, x, rows, e);
    if (!code) {
        json_t *document = new_document(cpu);
        json_object_set(document, "rows", rows);
        json_object_set_new(document, "difference",
                            count == SIDES ? explain_difference(&x[0], isa_lanes(v[0]->isa), &x[1],
                                                                isa_lanes(v[1]->isa))
                                           : json_null());
        if (count == SIDES && !o->json)
            json_object_set_new(document, "lines", explain_side_by_side(&x[0], &x[1]));
        code = print_found(o, document, sql_found_explain, 0, e);
    }
    for (size_t i = 0; i < SIDES; i++) explain_free(&x[i]);
    json_decref(rows);
    free(x);
    return code;
}

/* ---- Many variants --------------------------------------------------------------------------- */

/* Explains one variant of many, without its loops: there may be thousands. A variant that dies has
 * its status. */
static int explain_row(const struct options *o, const struct variant *v,
                       const struct bench_setup *s, const struct cpu *cpu,
                       struct instruction_table *table, json_t *rows, struct error *e)
{
    struct explained *x = memory_zeroed(1, sizeof *x);
    int code = explain_variant(o, v, s, cpu, table, x, rows, e);
    if (!code) {
        json_t *row = json_array_get(rows, json_array_size(rows) - 1);
        json_object_del(row, "loops");
        json_object_set_new(row, "status", json_string("ok"));
        explain_free(x);
    } else if (code == EXIT_PARTIAL && !interrupt_requested())
        json_array_append_new(
            rows, json_pack("{s:s, s:s, s:s}", "id", v->id, "status", "failed", "reason", e->text));
    free(x);
    return code;
}

/* Returns whether an earlier variant of the same operation has this one's machine code. log_softmax
 * has softmax's code and takes another path through it, so that both are explained. */
static bool is_second(const struct registry *r, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (is_same_code(&r->variants[k], &r->variants[i]) &&
            !strcmp(r->variants[k].op, r->variants[i].op))
            return true;
    return false;
}

static int explain_all(const struct options *o, const struct cpu *cpu, const struct registry *r,
                       json_t *rows, struct error *e)
{
    struct bench_setup setup;
    struct instruction_table table = {.count = 0};
    struct progress progress;
    int worst = bench_open(&setup, cpu, e);
    if (worst) return worst;
    progress_begin(&progress, "explain", o->quiet);
    for (size_t i = 0; i < r->count && !interrupt_requested() && worst != EXIT_USAGE; i++) {
        const struct variant *v = &r->variants[i];
        struct error why;
        if (v->status != STATUS_OK || v->peer || v->study || is_second(r, i)) continue;
        int code = explain_row(o, v, &setup, cpu, &table, rows, &why);
        if (code && !worst) worst = code, *e = why;
        progress_update(&progress, (double)(i + 1) / (double)r->count, v->id);
    }
    progress_end(&progress);
    instructions_free(&table);
    bench_close(&setup);
    return interrupt_requested() ? interrupt_requested() : worst;
}

static int explain_filtered(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    int code = open_variants(o, &cpu, &r, e);
    if (code) return code;
    json_t *rows = json_array();
    code = explain_all(o, &cpu, &r, rows, e);
    json_t *document = new_document(&cpu);
    json_object_set_new(document, "rows", rows);
    code = print_found(o, document, sql_found_explain, code, e);
    registry_close(&r);
    return code;
}

int cmd_explain(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r[SIDES];
    const struct variant *v[SIDES];
    const size_t count = o->positional.count;
    size_t opened = 0;
    if (o->filters.count && !count) return explain_filtered(o, e);
    if (count < 1 || count > SIDES || o->filters.count)
        return fail(e, EXIT_USAGE,
                    "explain: %zu variants: give one id of 'ulplab list', or two to compare; or "
                    "only --filter, for a table of all that match",
                    count);
    int code = cpu_detect(&cpu, o->hide_isa, e);
    for (; opened < count && !code; opened += !code)
        code = open_one("explain", o->positional.items[opened], &cpu, false, &r[opened], &v[opened],
                        e);
    if (!code && count == SIDES && strcmp(v[0]->op, v[1]->op) != 0)
        code = fail(e, EXIT_USAGE,
                    "explain: %s and %s: of different operations; name two that do "
                    "the same work",
                    v[0]->id, v[1]->id);
    if (!code) code = explain_and_print(o, &cpu, v, count, e);
    while (opened) registry_close(&r[--opened]);
    return code;
}
