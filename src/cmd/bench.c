// SPDX-License-Identifier: MIT
/* bench: the times of variants, beside the limits of the core. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/number.h"
#include "cmd/commands.h"
#include "cmd/common.h"
#include "cmd/parameters.h"
#include "measure/bench.h"
#include "measure/peers.h"
#include "measure/ratio.h"
#include "model/record.h"
#include "publish/render/table.h"

struct bench_result {
    json_t *limits, *rows, *controls;
    bool partial;
};

static struct bench_goal goal_of(const struct options *o, const struct bench_plan *p)
{
    if (!o->precision.given) return (struct bench_goal){0};
    return (struct bench_goal){.half_width = o->precision.value / 100,
                               .of_every_cell = true,
                               .processes = p->processes + RATIO_PROCESSES_MAX,
                               .more_s = o->seconds ? (double)o->seconds : 60};
}

/* Sweeps, plans with the sizes found, measures. */
static int measure_raw(const struct options *o, const struct registry *r,
                       const struct bench_request *request, struct bench_setup *s,
                       struct record_sink sink, struct error *e)
{
    struct bench_plan p;
    struct progress progress;
    /* The request is checked before anything is measured. */
    int code = bench_plan_request(&p, r, s, request, e);
    if (code) return code;
    bench_plan_free(&p);
    progress_begin(&progress, "bench", o->quiet);
    if (!o->no_limits) code = bench_sweep(s, NULL, sink, &progress, e);
    if (!code) code = bench_plan_request(&p, r, s, request, e);
    if (!code) {
        if (o->no_limits) p.limit_count = 0;
        struct bench_goal goal = goal_of(o, &p);
        code = bench_run_until(&p, s, NULL, &goal, sink, &progress, e);
        bench_plan_free(&p);
    }
    progress_end(&progress);
    return code;
}

/* Moves the controls out of the rows, which the contract lists apart. */
static void part_controls(struct bench_result *result)
{
    json_t *rows = json_array(), *row;
    size_t i;
    json_array_foreach(result->rows, i, row)
    {
        bool control = !strcmp(record_text(row, "record"), "control");
        json_array_append(control ? result->controls : rows, row);
    }
    json_decref(result->rows);
    result->rows = rows;
}

/* Measures and summarises; what was measured before an interruption is summarised too. */
static int bench_measure(const struct options *o, const struct cpu *cpu, const struct registry *r,
                         const struct bench_request *request, struct bench_result *result,
                         struct error *e)
{
    struct bench_setup setup;
    struct error second = {.text = ""};
    json_t *raw = json_array();
    int code = bench_open(&setup, cpu, e);
    if (!code) {
        code = measure_raw(o, r, request, &setup, record_sink_array(raw), e);
        result->limits = limits_summarise(raw, &setup.topology, &setup.effective);
        int failed = bench_summarise(raw, result->limits, record_sink_array(result->rows),
                                     &result->partial, code ? &second : e);
        part_controls(result);
        code = code ? code : failed;
        bench_close(&setup);
    }
    json_decref(raw);
    return code;
}

/* ---- For people ------------------------------------------------------------------------------ */

/* Prints a limit with its unit: 290 GFLOP/s, 48 KiB. */
static void print_limit(const json_t *row)
{
    double value = record_number(row, "value");
    if (!strcmp(text_or_dash(row, "unit"), "B"))
        printf("%-24s %10.0f KiB\n", text_or_dash(row, "name"), value / 1024);
    else
        printf("%-24s %10.1f G%s\n", text_or_dash(row, "name"), value * 1e-9,
               text_or_dash(row, "unit"));
}

static void print_limits(const json_t *limits)
{
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)limits, i, row)
    {
        if (strncmp(text_or_dash(row, "name"), "sweep-", 6) != 0) print_limit(row);
    }
    putchar('\n');
}

enum { CELL_PARTS = 9, FLAGS_MAX = 296 };
static const struct column columns[] = {
    {"op", false, 0},     {"algorithm", false, 0}, {"dtype", false, 0},  {"isa", false, 0},
    {"cc", false, 0},     {"policy", false, 0},    {"rows", true, 0},    {"n", true, 0},
    {"threads", true, 0}, {"family", false, 0},    {"in", false, 0},     {"ns/row", true, 8},
    {"ci-", true, 2},     {"ci+", true, 2},        {"ns/elem", true, 0}, {"cyc/elem", true, 4},
    {"GB/s", true, 6},    {"%limit", true, 0},     {"limit", false, 5},  {"flags", false, 7}};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* Cuts an id into the values of its parts: op, algorithm, dtype, isa, cc, policy, rows, n, threads.
 */
static void cut_id(char *id, const char **parts)
{
    char *save = NULL;
    for (size_t c = 0; c < CELL_PARTS; c++) {
        const char *part = strtok_r(c ? NULL : id, "/", &save);
        const char *equals = part ? strchr(part, '=') : NULL;
        parts[c] = equals ? equals + 1 : part ? part : "";
    }
}

static bool is_ok(const json_t *row)
{
    return !strcmp(text_or_dash(row, "status"), "ok");
}

static void bench_flags_of(const json_t *row, char *flags)
{
    char *all = record_flags_text(row);
    snprintf(flags, FLAGS_MAX, "%.32s%s%s", is_ok(row) ? "" : text_or_dash(row, "status"),
             is_ok(row) || !*all ? "" : ", ", all);
    free(all);
}

/* Returns an end of an interval relative to its middle: "-1.2%". */
static struct number_text beside(double end, double middle)
{
    struct number_text cell = {"-"};
    if (!isnan(end)) snprintf(cell.text, sizeof cell.text, "%+.1f%%", 100 * (end / middle - 1));
    return cell;
}

static void bench_add_row(struct table *t, const json_t *row)
{
    char id[256], flags[FLAGS_MAX];
    const char *cells[COLUMNS];
    struct number_text figures[COLUMNS];
    double ns = record_number(row, "ns_per_row");
    const struct {
        size_t column;
        double value;
        int decimals;
    } reals[] = {{11, ns, 1},
                 {14, record_number(row, "ns_per_element"), 4},
                 {15, record_number(row, "cycles_per_element"), 4},
                 {16, record_number(row, "gb_per_s"), 1},
                 {17, record_number(row, "percent_of_limit"), 1}};
    snprintf(id, sizeof id, "%s", text_or_dash(row, "id"));
    cut_id(id, cells);
    cells[9] = text_or_dash(row, "family");
    cells[10] = text_or_dash(row, "residency");
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        figures[reals[i].column] = number_decimals(reals[i].value, reals[i].decimals);
        cells[reals[i].column] = figures[reals[i].column].text;
    }
    const struct number_text low = beside(record_number(row, "ci_low"), ns),
                             high = beside(record_number(row, "ci_high"), ns);
    cells[12] = low.text;
    cells[13] = high.text;
    cells[18] = text_or_dash(row, "limit");
    bench_flags_of(row, flags);
    cells[19] = flags;
    table_add(t, is_ok(row) && !isnan(ns) ? TINT_NONE : TINT_BAD, cells);
}

static void bench_print_rows(const json_t *rows)
{
    struct terminal terminal = terminal_of(stdout);
    struct table table;
    size_t i;
    json_t *row;
    table_begin(&table, columns, COLUMNS);
    table.gathered = (1U << (CELL_PARTS + 2)) - 1;
    json_array_foreach((json_t *)rows, i, row) bench_add_row(&table, row);
    table_end(&table, stdout, terminal);
    print_reasons(rows, terminal);
}

/* Prints the cells that --precision did not reach. */
static void print_missed(const struct options *o, const struct bench_result *result)
{
    size_t i, count = 0;
    const json_t *row;
    json_array_foreach(result->rows, i, row)
    {
        double half = record_number(row, "half_width");
        if (!o->precision.given || !(100 * half > o->precision.value)) continue;
        if (!count++)
            printf("\nNot known within %g%% beside their blocks; --seconds gives them more time:\n",
                   o->precision.value);
        printf("  %.2f%%  %s %s\n", 100 * half, text_or_dash(row, "id"),
               text_or_dash(row, "family"));
    }
}

static int bench_print(const struct options *o, const struct cpu *cpu,
                       const struct parameters *parameters, const struct npy *input,
                       struct bench_result *result, struct error *e)
{
    if (o->json) {
        json_t *document = new_document(cpu);
        json_object_set_new(document, "parameters", given_record(parameters));
        json_object_set_new(document, "input", input_record(o, input));
        json_object_set(document, "limits", result->limits);
        json_object_set(document, "rows", result->rows);
        json_object_set(document, "controls", result->controls);
        return record_print(document, e);
    }
    print_limits(result->limits);
    for (size_t i = 0; i < o->params.count; i++) printf("With %s.\n", o->params.items[i]);
    if (o->input) printf("Rows of %s.\n", o->input);
    bench_print_rows(result->rows);
    print_missed(o, result);
    return 0;
}

static int numbers_given(const struct options *o, struct parameters *p, struct error *e)
{
    struct given given;
    int code = given_parse(o, &given, e);
    *p = given.p;
    if (!code && (p->gamma || p->beta))
        code = fail(e, EXIT_USAGE,
                    "--param: gamma, beta: bench times with the lab's own, which are of every "
                    "length; leave them out");
    p->gamma = p->beta = NULL;
    given_free(&given);
    return code;
}

static int all_right(const json_t *rows, struct error *e)
{
    size_t i, wrong = 0;
    const json_t *row;
    json_array_foreach(rows, i, row) wrong += !strcmp(text_or_dash(row, "status"), "wrong");
    return wrong ? fail(e, EXIT_GATE, "bench: %zu rows are wrong; see their reason", wrong) : 0;
}

static int bench_variants(const struct options *o, const struct npy *input, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    struct parameters parameters;
    struct bench_request request = timing_options(o, input);
    request.parameters = &parameters;
    int code = numbers_given(o, &parameters, e);
    if (!code) code = open_all_variants(o, &cpu, &r, e);
    if (code) return code;
    for (size_t i = 0; i < r.count && !code; i++) code = given_fits(o, &r.variants[i], e);
    if (code) return registry_close(&r), code;

    struct bench_result result = {.rows = json_array(), .controls = json_array()};
    code = bench_measure(o, &cpu, &r, &request, &result, e);
    /* An interrupted measurement still prints what it has. */
    bool said = !code || code == interrupt_requested();
    if (said && result.limits) {
        struct error ignored = {.text = ""};
        int failed = bench_print(o, &cpu, &parameters, input, &result, code ? &ignored : e);
        code = code ? code : failed;
    }
    if (!code && result.partial)
        code = fail(e, EXIT_PARTIAL,
                    "bench: some cells crashed or hung: their rows say which; "
                    "look at them with --filter");
    if (!code) code = all_right(result.rows, e);
    json_decref(result.rows);
    json_decref(result.controls);
    json_decref(result.limits);
    registry_close(&r);
    return code;
}

int cmd_bench(const struct options *o, struct error *e)
{
    struct npy input = {0};
    int code = o->input ? read_array(o->input, &input, e) : 0;
    if (!code) code = (o->pair.count ? bench_pair : bench_variants)(o, &input, e);
    npy_free(&input);
    return code;
}
