// SPDX-License-Identifier: MIT
#include "study/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/progress.h"
#include "cmd/commands.h"
#include "cmd/common.h"
#include "measure/cell.h"
#include "model/record.h"

/* ---- What is asked --------------------------------------------------------------------------- */

enum { SIDES = 2 };

/* Finds a variant by its id, or by an expression of --filter that it alone matches. */
static int open_side(const char *text, const struct cpu *cpu, struct registry *r,
                     const struct variant **v, struct error *e)
{
    int code = registry_open(r, cpu, &text, 1, e);
    if (code) return code;
    *v = registry_find(r, text);
    if (!*v && r->count == 1) *v = &r->variants[0];
    if (!*v)
        code = fail(e, EXIT_USAGE,
                    "explain: '%s': matches %zu variants, such as %s; name one, as 'ulplab list' "
                    "does",
                    text, r->count, r->variants[0].id);
    else if ((*v)->status != STATUS_OK)
        code = fail(e, EXIT_USAGE, "explain: %s: %s: %s; choose one that runs here", (*v)->id,
                    status_name((*v)->status), (*v)->reason);
    if (code) registry_close(r);
    return code;
}

static int make_cell(const struct options *o, const struct variant *v, const struct bench_setup *s,
                     struct cell *c, struct error *e)
{
    struct shape shape = {.rows = 1, .n = 2048};
    if (o->shape) shape = shape_given(o->shape);
    if (!shape.rows || !shape_fits(shape, s))
        return fail(e, EXIT_USAGE,
                    "--shape: '%s': no ROWSxN, or more than half of the memory holds; such as "
                    "1x2048",
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

/* ---- One variant ----------------------------------------------------------------------------- */

static void print_head(const json_t *x)
{
    const double cycles = record_number(x, "cycles"), flushed = record_number(x, "cycles_flushed"),
                 worth_saying = 0.9;
    const double elements = record_number(x, "rows") * record_number(x, "n");
    const char *library = record_text(x, "library"), *function = record_text(x, "function");
    printf("%s\n%zu x %zu, %s: %s ns, %.0f cycles a call, %.3f an element\n", record_text(x, "id"),
           record_count(x, "rows"), record_count(x, "n"), record_text(x, "family"),
           number_digits(record_number(x, "ns"), 3).text, cycles, cycles / elements);
    if (flushed < worth_saying * cycles)
        printf("with subnormals flushed to zero it takes %.2f of the time\n", flushed / cycles);
    if (*library)
        printf("%.0f%% of the instructions are in %s%s%s\n",
               100 * record_number(x, "library_share"), library, *function ? ", " : "", function);
    if (record_number(x, "unmeasured") > 0.02)
        printf("%.0f%% of the instructions are of forms that were not measured: their cost is a "
               "guess\n",
               100 * record_number(x, "unmeasured"));
    if (json_is_true(json_object_get(x, "cut")))
        printf("only the call's first %zu instructions were followed\n", record_count(x, "steps"));
}

static void explain_print_counts(const json_t *counts)
{
    const char *kind;
    json_t *count;
    bool first = true;
    json_object_foreach((json_t *)(uintptr_t)counts, kind, count)
    {
        printf("%s%s %s", first ? "" : ", ", number_digits(json_number_value(count), 3).text, kind);
        first = false;
    }
}

static void print_bounds(const json_t *loop)
{
    static const char *const bounds[][2] = {{"pipes_cycles", "vector pipes"},
                                            {"load_cycles", "loads"},
                                            {"store_cycles", "stores"},
                                            {"general_cycles", "general registers"},
                                            {"slot_cycles", "front end"}};
    printf("  at best, in cycles:");
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        printf("%s %s %.1f", i ? "," : "", bounds[i][1], record_number(loop, bounds[i][0]));
    printf("; %.0f bytes loaded, %.0f stored\n", record_number(loop, "loaded_bytes"),
           record_number(loop, "stored_bytes"));
}

static void print_code(const json_t *loop)
{
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(loop, "code"), i, row)
    {
        double latency = record_number(row, "latency");
        printf("    %-4s %-4s %s\n", record_text(row, "pipes"),
               isnan(latency) ? "" : number_decimals(latency, 0).text, record_text(row, "code"));
    }
}

/* Prints the loops, without those that are less than a hundredth of the instructions. */
static void print_loops(const json_t *x, bool listed)
{
    const double worth_showing = 0.01, worth_listing = 0.25;
    const json_t *loop;
    size_t i;
    json_array_foreach(json_object_get(x, "loops"), i, loop)
    {
        double share = record_number(loop, "share");
        bool is_loop = json_is_true(json_object_get(loop, "loop"));
        if (share < worth_showing) continue;
        if (is_loop)
            printf("\nloop, %.0f%% of the instructions, %zu passes: ", 100 * share,
                   record_count(loop, "passes"));
        else
            printf("\nin no loop, %.0f%% of the instructions: ", 100 * share);
        explain_print_counts(json_object_get(loop, "counts"));
        printf("\n");
        if (!is_loop) continue;
        print_bounds(loop);
        if (listed && share >= worth_listing) print_code(loop);
    }
}

/* ---- Two variants ---------------------------------------------------------------------------- */

static void print_difference(const json_t *d)
{
    const char *kind;
    json_t *pair;
    printf("\nthe second takes %.3f times as long as the first\n", record_number(d, "ratio"));
    if (*record_text(d, "words")) printf("per vector: %s\n", record_text(d, "words"));
    printf("instructions per vector:");
    json_object_foreach(json_object_get(d, "counts"), kind, pair)
    {
        double a = json_number_value(json_array_get(pair, 0)),
               b = json_number_value(json_array_get(pair, 1));
        printf(fabs(a - b) < 0.05 ? " %s %.1f," : " %s %.1f -> %.1f,", kind, a, b);
    }
    printf(" both loops below: < the first alone, > the second alone, | changed\n");
}

static void line_text(const struct explained *x, int i, char *text, size_t size)
{
    if (i < 0)
        snprintf(text, size, "%s", "");
    else
        explain_op_text(x, (size_t)i, text, size);
}

static void print_side_by_side(const struct explained *a, const struct explained *b)
{
    struct explained_line *lines;
    const size_t count = explain_align(a, b, &lines);
    for (size_t i = 0; i < count; i++) {
        char left[96], right[96];
        line_text(a, lines[i].a, left, sizeof left);
        line_text(b, lines[i].b, right, sizeof right);
        char mark = lines[i].changed ? '|' : lines[i].b < 0 ? '<' : lines[i].a < 0 ? '>' : ' ';
        printf("  %-48.48s %c %s\n", left, mark, right);
    }
    free(lines);
}

/* ---- Running --------------------------------------------------------------------------------- */

static int explain_sides(const struct options *o, const struct cpu *cpu,
                         const struct variant *const v[SIDES], size_t count,
                         struct explained x[SIDES], json_t *rows, struct error *e)
{
    struct bench_setup setup;
    struct instruction_table table = {.count = 0};
    int code = bench_open(&setup, cpu, e);
    if (code) return code;
    for (size_t i = 0; i < count && !code; i++) {
        struct cell cell;
        code = make_cell(o, v[i], &setup, &cell, e);
        if (!code) code = explain_cell(&x[i], &cell, &setup, cpu, &table, e);
        if (!code) json_array_append_new(rows, explain_record(&x[i], &cell));
    }
    instructions_free(&table);
    bench_close(&setup);
    return code;
}

static int explain_print(const struct options *o, const struct cpu *cpu, json_t *rows,
                         const struct explained x[SIDES], json_t *difference, struct error *e)
{
    const json_t *row;
    size_t i;
    if (o->json) {
        json_t *document = new_document(cpu);
        json_object_set(document, "rows", rows);
        json_object_set(document, "difference", difference);
        return print_document(document, 0, e);
    }
    json_array_foreach(rows, i, row)
    {
        if (i) printf("\n");
        print_head(row);
        print_loops(row, json_is_null(difference));
    }
    if (!json_is_null(difference)) {
        print_difference(difference);
        print_side_by_side(&x[0], &x[1]);
    }
    return 0;
}

static int explain_and_print(const struct options *o, const struct cpu *cpu,
                             const struct variant *const v[SIDES], size_t count, struct error *e)
{
    struct explained *x = memory_zeroed(SIDES, sizeof *x);
    json_t *rows = json_array(), *difference = json_null();
    int code = explain_sides(o, cpu, v, count, x, rows, e);
    if (!code && count == SIDES)
        difference = explain_difference(&x[0], isa_lanes(v[0]->isa), &x[1], isa_lanes(v[1]->isa));
    if (!code) code = explain_print(o, cpu, rows, x, difference, e);
    for (size_t i = 0; i < SIDES; i++) explain_free(&x[i]);
    json_decref(difference);
    json_decref(rows);
    free(x);
    return code;
}

/* ---- Many variants --------------------------------------------------------------------------- */

static void explain_print_rows(const json_t *rows)
{
    const json_t *row;
    size_t i;
    printf("cycles of an element, and instructions per vector of elements:\n");
    json_array_foreach(rows, i, row)
    {
        const char *status = record_text(row, "status");
        if (strcmp(status, "ok"))
            printf("%s  %s: %s", record_text(row, "id"), status, record_text(row, "reason"));
        else
            printf("%s  %.3f  ", record_text(row, "id"),
                   record_number(row, "cycles") / record_number(row, "rows") /
                       record_number(row, "n"));
        explain_print_counts(json_object_get(row, "counts"));
        putchar('\n');
    }
}

/* Explains one variant of many, without its loops: there may be thousands. A variant that dies has
 * its status. */
static int explain_row(const struct options *o, const struct variant *v,
                       const struct bench_setup *s, const struct cpu *cpu,
                       struct instruction_table *table, json_t *rows, struct error *e)
{
    struct cell cell;
    struct explained *x = memory_zeroed(1, sizeof *x);
    int code = make_cell(o, v, s, &cell, e);
    if (!code) code = explain_cell(x, &cell, s, cpu, table, e);
    if (!code) {
        json_t *row = explain_record(x, &cell);
        json_object_del(row, "loops");
        json_object_set_new(row, "status", json_string("ok"));
        json_array_append_new(rows, row);
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
    if (o->json) {
        json_t *document = new_document(&cpu);
        json_object_set(document, "rows", rows);
        code = print_document(document, code, e);
    } else if (json_array_size(rows))
        explain_print_rows(rows);
    json_decref(rows);
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
                    "explain: %zu variants: name one, or two to see what differs, ids of 'ulplab "
                    "list'; or --filter alone, for a table of all that match",
                    count);
    int code = cpu_detect(&cpu, o->hide_isa, e);
    for (; opened < count && !code; opened += !code)
        code = open_side(o->positional.items[opened], &cpu, &r[opened], &v[opened], e);
    if (!code && count == SIDES && strcmp(v[0]->op, v[1]->op) != 0)
        code = fail(e, EXIT_USAGE,
                    "explain: %s and %s: of different operations; name two that do "
                    "the same work",
                    v[0]->id, v[1]->id);
    if (!code) code = explain_and_print(o, &cpu, v, count, e);
    while (opened) registry_close(&r[--opened]);
    return code;
}
