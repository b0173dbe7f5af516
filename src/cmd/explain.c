// SPDX-License-Identifier: MIT
#include "study/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/progress.h"
#include "cmd/commands.h"
#include "cmd/common.h"
#include "machine/microarchitecture.h"
#include "measure/shapes.h"
#include "model/record.h"
#include "publish/render/table.h"
#include "study/explain_two.h"
#include "study/explain_words.h"

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

/* Prints llvm-mca's predictions, also for CPUs that are not here: how far off the one for this CPU
 * is says how far to trust the others. */
static void print_mca(const json_t *x)
{
    const json_t *mca = json_object_get(x, "mca");
    const char *cpu;
    json_t *cycles;
    bool first = true;
    if (!json_is_object(mca)) {
        printf("llvm-mca: not installed\n");
        return;
    }
    printf("llvm-mca %s, cycles of its loops:", record_text(mca, "version"));
    json_object_foreach(json_object_get(mca, "cycles"), cpu, cycles)
    {
        if (json_is_null(cycles)) continue;
        printf("%s %s %.0f", first ? "" : ",", cpu, json_number_value(cycles));
        first = false;
    }
    printf(first ? " it knows none of the CPUs\n" : "\n");
}

static void print_head(const json_t *x)
{
    const double cycles = record_number(x, "cycles"), predicted = record_number(x, "predicted");
    const double elements = record_number(x, "rows") * record_number(x, "n");
    printf("%s\n%zu x %zu, %s: %s ns, %.0f cycles a call, %.3f an element; the model says %.0f, "
           "%.2f of it\n",
           record_text(x, "id"), record_count(x, "rows"), record_count(x, "n"),
           record_text(x, "family"), number_digits(record_number(x, "ns"), 3).text, cycles,
           cycles / elements, predicted, predicted / cycles);
    printf("what binds: %s\n", record_text(x, "words"));
    print_mca(x);
    if (record_number(x, "unmeasured") > 0.02)
        printf("%.0f%% of the instructions are of forms that were not measured: their cost is a "
               "guess\n",
               100 * record_number(x, "unmeasured"));
    if (json_is_true(json_object_get(x, "cut")))
        printf("only the call's first %zu instructions were followed\n", record_count(x, "steps"));
}

static void explain_print_counts(const json_t *loop)
{
    const char *kind;
    json_t *count;
    bool first = true;
    json_object_foreach(json_object_get(loop, "counts"), kind, count)
    {
        printf("%s%s %s", first ? "" : ", ", number_digits(json_number_value(count), 3).text, kind);
        first = false;
    }
}

static void print_bounds(const json_t *loop)
{
    static const char *const bounds[][2] = {
        {"pipes_cycles", "vector pipes"}, {"load_cycles", "loads"},
        {"store_cycles", "stores"},       {"general_cycles", "general registers"},
        {"slot_cycles", "front end"},     {"chain_cycles", "longest chain"}};
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

/* Prints the loops, without those that take less than a hundredth of the time. */
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
            printf("\nloop, %.0f%% of the time: %zu passes of %.1f cycles: ", 100 * share,
                   record_count(loop, "passes"), record_number(loop, "model"));
        else
            printf("\nin no loop, %.0f%% of the time, %.0f cycles: ", 100 * share,
                   record_number(loop, "model"));
        explain_print_counts(loop);
        printf("\n");
        if (!is_loop) continue;
        print_bounds(loop);
        printf("  %s\n", record_text(loop, "words"));
        if (listed && share >= worth_listing) print_code(loop);
    }
}

/* ---- Two variants ---------------------------------------------------------------------------- */

static void print_difference(const json_t *d)
{
    const char *kind;
    json_t *pair;
    printf("\nthe second takes %.3f times as long as the first; the model says %.3f\n",
           record_number(d, "ratio"), record_number(d, "model_ratio"));
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
    const struct mca mca = mca_find();
    int code = bench_open(&setup, cpu, e);
    if (code) return code;
    for (size_t i = 0; i < count && !code; i++) {
        struct cell cell;
        code = make_cell(o, v[i], &setup, &cell, e);
        if (!code) code = explain_cell(&x[i], &cell, &setup, cpu, &table, &mca, e);
        if (!code) json_array_append_new(rows, explain_record(&x[i], &cell, &table.core));
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

/* Returns whether the prediction is judged: where a library computes, the time predicted is the
 * library's. */
static bool has_goal(const json_t *row)
{
    return record_number(row, "library_share") < 0.01;
}

static int explain_by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Returns the lab's prediction, or llvm-mca's for the CPU named `mca`. */
static double prediction(const json_t *row, const char *mca)
{
    return mca ? record_number(json_object_get(json_object_get(row, "mca"), "cycles"), mca)
               : record_number(row, "predicted");
}

/* Median and 90th percentile of the relative differences to the measured cycles. */
static json_t *errors_of(const json_t *rows, const char *mca)
{
    double *errors = memory_new((json_array_size(rows) + 1) * sizeof *errors);
    const json_t *row;
    size_t i, count = 0;
    json_array_foreach(rows, i, row)
    {
        double ratio = prediction(row, mca) / record_number(row, "cycles");
        if (has_goal(row) && ratio > 0) errors[count++] = fabs(ratio - 1);
    }
    qsort(errors, count, sizeof *errors, explain_by_value);
    json_t *found = json_pack("{s:I, s:o, s:o}", "compared", (json_int_t)count, "median",
                              record_real(count ? errors[count / 2] : NAN), "p90",
                              record_real(count ? errors[count * 9 / 10] : NAN));
    free(errors);
    return found;
}

/* Returns llvm-mca's model of this very core; NULL: it has none. */
static const char *mca_model_here(const struct cpu *cpu)
{
    const struct microarchitecture *core =
        microarchitecture_of(cpu->vendor, cpu->family, cpu->model, cpu->stepping);
    return core ? mca_model_of(core->llvm) : NULL;
}

/* Returns the errors of the table; those of llvm-mca are of its model of this core. */
static json_t *summary_of(const json_t *rows, const struct cpu *cpu)
{
    const char *model = mca_model_here(cpu);
    return json_pack("{s:I, s:o, s:s?, s:o}", "variants", (json_int_t)json_array_size(rows),
                     "error", errors_of(rows, NULL), "mca_cpu", model, "mca_error",
                     model ? errors_of(rows, model) : json_null());
}

static void print_errors(const char *who, const json_t *error, size_t variants)
{
    printf("%s: of %zu variants %zu call no library: off by %.1f%% in the median, by %.1f%% at the "
           "90th percentile\n",
           who, variants, record_count(error, "compared"), 100 * record_number(error, "median"),
           100 * record_number(error, "p90"));
}

static void print_summary(const json_t *summary, const struct mca *mca)
{
    char who[80];
    const json_t *error = json_object_get(summary, "mca_error");
    print_errors("model", json_object_get(summary, "error"), record_count(summary, "variants"));
    if (!mca->version[0])
        printf("llvm-mca: not installed\n");
    else if (record_count(error, "compared")) {
        snprintf(who, sizeof who, "llvm-mca %s as %s", mca->version,
                 record_text(summary, "mca_cpu"));
        print_errors(who, error, record_count(summary, "variants"));
    } else
        printf("llvm-mca %s has no model of this CPU\n", mca->version);
}

static void explain_print_rows(const json_t *rows, const json_t *summary, const struct mca *mca)
{
    enum { COLUMNS = 6 };
    static const struct column columns[COLUMNS] = {{"variant", false, 0},
                                                   {"cycles", true, 1},
                                                   {"model", true, 2},
                                                   {"model/measured", true, 3},
                                                   {"llvm-mca/measured", true, 4},
                                                   {"binds", false, 0}};
    const char *name = record_text(summary, "mca_cpu");
    struct table table;
    const json_t *row;
    size_t i;
    table_begin(&table, columns, COLUMNS);
    json_array_foreach(rows, i, row)
    {
        double cycles = record_number(row, "cycles"), predicted = prediction(row, NULL);
        const char *status = record_text(row, "status");
        table_add(&table, strcmp(status, "ok") ? TINT_BAD : TINT_NONE,
                  (const char *const[]){record_text(row, "id"), number_decimals(cycles, 0).text,
                                        number_decimals(predicted, 0).text,
                                        number_decimals(predicted / cycles, 2).text,
                                        number_decimals(prediction(row, name) / cycles, 2).text,
                                        strcmp(status, "ok") ? status : record_text(row, "binds")});
    }
    table_end(&table, stdout, terminal_of(stdout));
    print_summary(summary, mca);
}

/* Explains one variant of many, without its loops: there may be thousands. A variant that dies has
 * its status. */
static int explain_row(const struct options *o, const struct variant *v,
                       const struct bench_setup *s, const struct cpu *cpu,
                       struct instruction_table *table, const struct mca *mca, json_t *rows,
                       struct error *e)
{
    struct cell cell;
    struct explained *x = memory_zeroed(1, sizeof *x);
    int code = make_cell(o, v, s, &cell, e);
    if (!code) code = explain_cell(x, &cell, s, cpu, table, mca, e);
    if (!code) {
        json_t *row = explain_record(x, &cell, &table->core);
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
    const struct mca mca = mca_find();
    int worst = bench_open(&setup, cpu, e);
    if (worst) return worst;
    progress_begin(&progress, "explain", o->quiet);
    for (size_t i = 0; i < r->count && !interrupt_requested() && worst != EXIT_USAGE; i++) {
        const struct variant *v = &r->variants[i];
        struct error why;
        if (v->status != STATUS_OK || v->peer || v->study || is_second(r, i)) continue;
        int code = explain_row(o, v, &setup, cpu, &table, &mca, rows, &why);
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
    const struct mca mca = mca_find();
    json_t *summary = summary_of(rows, &cpu);
    if (o->json) {
        json_t *document = new_document(&cpu);
        json_object_set(document, "rows", rows);
        json_object_set(document, "summary", summary);
        code = print_document(document, code, e);
    } else if (json_array_size(rows))
        explain_print_rows(rows, summary, &mca);
    json_decref(summary);
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
