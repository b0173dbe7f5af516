// SPDX-License-Identifier: MIT
/* scan: functions of one element on every fp32 input, and on many in double. */
#include "measure/scan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "cmd/commands.h"
#include "cmd/common.h"
#include "model/losses.h"
#include "model/record.h"
#include "publish/render/table.h"

enum { COLUMNS = 15, WORDS_MAX = 300 };
static const struct column columns[COLUMNS] = {
    {"function", false, 0}, {"variant", false, 0},     {"max ulp", true, 0},
    {"lost", true, 0},      {"at", true, 0},           {"normal", true, 4},
    {"subnormal", true, 5}, {"ends", true, 6},         {"n = 7", true, 7},
    {"flushed", true, 8},   {"misrounded %", true, 1}, {"from 1 ulp %", true, 9},
    {"bias", true, 3},      {"M/s", true, 2},          {"verdict", false, 0}};

/* Returns the maximum; none if results were lost. */
static struct number_text max_of(const json_t *figures)
{
    double max = record_number(figures, "lost") > 0 ? INFINITY : record_number(figures, "max_ulp");
    return number_marked(number_decimals(max, 6), max, NAN);
}

static struct number_text scan_region_of(const json_t *row, const char *name)
{
    const json_t *region = json_object_get(json_object_get(row, "regions"), name);
    return number_error(record_number(region, "max_ulp"), NAN);
}

/* Writes the verdict, or why there is none; the reason; and further remarks on the row. */
static void verdict_text(const json_t *row, char *text, size_t size)
{
    const char *same = text_or_dash(row, "same_code_as"), *reason = text_or_dash(row, "reason");
    const char *verdict = text_or_dash(row, "verdict");
    char other[SHORT_NAME_MAX] = "";
    if (*same != '-') short_name(same, other);
    snprintf(text, size, "%s%s%s%s%s%s", *verdict == '-' ? text_or_dash(row, "status") : verdict,
             *reason == '-' ? "" : ": ", *reason == '-' ? "" : reason, *other ? ", code of " : "",
             other, json_object_get(row, "kept") ? ", kept row" : "");
}

static void scan_add_row(struct table *t, const json_t *row)
{
    char function[24], name[SHORT_NAME_MAX], verdict[400];
    const json_t *in_short = json_object_get(row, "short");
    const json_t *counts = json_object_get(row, "counts");
    const char *id = text_or_dash(row, "id");
    snprintf(function, sizeof function, "%.*s", (int)strcspn(id, "/"), id);
    short_name(id, name);
    verdict_text(row, verdict, sizeof verdict);
    table_add(t, strcmp(text_or_dash(row, "status"), "ok") ? TINT_BAD : TINT_NONE,
              (const char *const[]){
                  function, name, max_of(row).text,
                  number_digits(record_number(row, "lost"), 15).text,
                  text_or_dash(row, record_number(row, "lost") > 0 ? "lost_at" : "at"),
                  scan_region_of(row, "normal").text, scan_region_of(row, "subnormal").text,
                  scan_region_of(row, "ends").text, max_of(in_short).text,
                  number_digits(record_number(counts, "flushed"), 15).text,
                  number_decimals(100 * record_number(row, "misrounded"), 4).text,
                  number_decimals(100 * record_number(row, "unfaithful"), 4).text,
                  number_digits(record_number(row, "bias_ulp"), 3).text,
                  number_decimals(1e-6 * record_number(row, "per_second"), 0).text, verdict});
}

static void scan_print_line(void *context, const char *sentence)
{
    (void)context;
    write_prose(stdout, terminal_of(stdout), 2, "%s", sentence);
}

/* ---- In double ------------------------------------------------------------------------------- */

static const struct column f64_columns[] = {
    {"in double", false, 0}, {"variant", false, 0},  {"largest found", true, 0},
    {"at", true, 0},         {"by", false, 3},       {"lost", true, 0},
    {"normal", true, 5},     {"subnormal", true, 6}, {"ends", true, 7},
    {"flushed", true, 4},    {"tried", true, 1},     {"status", false, 2}};

static struct number_text f64_region(const json_t *row, const char *name)
{
    const json_t *region = json_object_get(json_object_get(row, "regions"), name);
    return number_error(record_number(region, "ulp"), NAN);
}

static void f64_add_row(struct table *t, const json_t *row)
{
    char function[24], name[SHORT_NAME_MAX];
    const char *id = text_or_dash(row, "id");
    snprintf(function, sizeof function, "%.*s", (int)strcspn(id, "/"), id);
    short_name(id, name);
    table_add(
        t, strcmp(text_or_dash(row, "status"), "ok") ? TINT_BAD : TINT_NONE,
        (const char *const[]){
            function, name, number_decimals(record_number(row, "largest_ulp"), 4).text,
            text_or_dash(row, "at"), text_or_dash(row, "found_by"),
            number_digits(record_number(row, "lost"), 15).text, f64_region(row, "normal").text,
            f64_region(row, "subnormal").text, f64_region(row, "ends").text,
            number_digits(record_number(json_object_get(row, "counts"), "flushed"), 15).text,
            number_digits(record_number(row, "tried"), 15).text, text_or_dash(row, "status")});
}

static bool is_of_double(const json_t *row)
{
    return !strcmp(record_text(row, "record"), "scan-f64");
}

/* Prints the rows of one type; nothing where there are none. */
static void scan_print_table(const json_t *rows, bool f64)
{
    struct table table;
    size_t i, count = 0;
    const json_t *row;
    json_array_foreach(rows, i, row) count += is_of_double(row) == f64;
    if (!count) return;
    table_begin(&table, f64 ? f64_columns : columns,
                f64 ? sizeof f64_columns / sizeof *f64_columns : COLUMNS);
    json_array_foreach(rows, i, row) if (is_of_double(row) == f64)(f64 ? f64_add_row
                                                                       : scan_add_row)(&table, row);
    table_end(&table, stdout, terminal_of(stdout));
    if (f64)
        scan_print_line(NULL, "in double only some of 2^64 inputs can be tried: the largest errors "
                              "are those that were found");
}

void scan_print_rows(const json_t *rows)
{
    scan_print_table(rows, false);
    scan_print_table(rows, true);
    losses_tell(rows, "inputs", scan_print_line, NULL);
}

static int scan_and_print(const struct options *o, const struct scan_request *request,
                          const struct cpu *cpu, const struct registry *r, struct error *e)
{
    struct scan_functions functions;
    struct scan_summary sum;
    int code = scan_functions_find(o->positional.items, o->positional.count, r, &functions, e);
    if (code) return code;
    json_t *rows = json_array();
    code = scan_run_functions(request, &functions, r, record_sink_array(rows), &sum, e);
    if (o->json) {
        json_t *document = new_document(cpu);
        json_object_set(document, "rows", rows);
        code = print_document(document, code, e);
    } else if (json_array_size(rows)) {
        scan_print_rows(rows);
        if (sum.kept && !o->quiet)
            write_prose(stdout, terminal_of(stdout), 0,
                        "%zu rows are kept from an earlier scan of the same machine code in %s; "
                        "--force scans again",
                        sum.kept, request->folder);
    }
    json_decref(rows);
    return code;
}

void scan_words(char *text, size_t size)
{
    char names[WORDS_MAX];
    scan_function_names(names, sizeof names);
    snprintf(text, size, "all %s", names);
}

int cmd_scan(const struct options *o, struct error *e)
{
    if (!o->positional.count)
        return fail(e, EXIT_USAGE, "scan: want a function, or all; see 'ulplab scan --help'");
    struct scan_request request = scan_default(o->positional.items[0]);
    request.threads = o->threads;
    request.samples = o->samples;
    request.quiet = o->quiet;
    request.resume = o->resume;
    request.force = o->force;
    struct cpu cpu;
    struct registry r;
    char folder[1000];
    request.folder = folder;
    int code = o->range ? scan_parse_range(o->range, &request, e) : 0;
    if (!code) code = results_folder(o, folder, sizeof folder, e);
    if (request.samples) request.folder = NULL; /* other scans' rows stay */
    if (!code) code = open_all_variants(o, &cpu, &r, e);
    if (code) return code;
    code = scan_and_print(o, &request, &cpu, &r, e);
    registry_close(&r);
    return code;
}
