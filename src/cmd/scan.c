#include "measure/scan_functions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "cmd/commands.h"
#include "cmd/common.h"
#include "cmd/folder.h"
#include "model/record.h"
#include "publish/render/table.h"

enum { COLUMNS = 8, WORDS_MAX = 300 };
static const struct column columns[COLUMNS] = {
    {"function", false, 0}, {"variant", false, 0}, {"max ulp", true, 0}, {"at", true, 0},
    {"misr %", true, 1},    {"bias", true, 3},     {"M/s", true, 2},     {"status", false, 0}};

static void add_row(struct table *t, const json_t *row)
{
    char function[24], name[SHORT_NAME_MAX], bias[32], status[200];
    const char *same = text_or_dash(row, "same_code_as"), *reason = text_or_dash(row, "reason");
    const char *id = text_or_dash(row, "id");
    snprintf(function, sizeof function, "%.*s", (int)strcspn(id, "/"), id);
    short_name(id, name);
    bool measured = !isnan(record_number(row, "max_ulp"));
    snprintf(bias, sizeof bias, measured ? "%.2e" : "-", record_number(row, "bias_ulp"));
    snprintf(status, sizeof status, "%s%s%s", text_or_dash(row, "status"),
             *reason == '-' ? "" : ": ", *reason == '-' ? "" : reason);
    if (*same != '-') {
        char other[SHORT_NAME_MAX];
        short_name(same, other);
        snprintf(status + strlen(status), sizeof status - strlen(status), ", code of %s", other);
    }
    if (json_object_get(row, "kept"))
        snprintf(status + strlen(status), sizeof status - strlen(status), ", kept");
    table_add(t, strcmp(text_or_dash(row, "status"), "ok") ? TINT_BAD : TINT_NONE,
              (const char *const[]){
                  function, name, number_decimals(record_number(row, "max_ulp"), 6).text,
                  text_or_dash(row, "at"),
                  number_decimals(100 * record_number(row, "misrounded"), 4).text, bias,
                  number_decimals(1e-6 * record_number(row, "per_second"), 0).text, status});
}

static int scan_and_print(const struct options *o, const struct scan_plan *plan,
                          const struct cpu *cpu, const struct registry *r, struct error *e)
{
    struct scan_functions functions;
    struct scan_summary sum;
    int code = scan_functions_find(o->positional.items, o->positional.count, r, &functions, e);
    if (code) return code;
    json_t *rows = json_array();
    code = scan_run_functions(plan, &functions, r, record_sink_array(rows), &sum, e);
    if (o->json) {
        json_t *document = new_document(cpu);
        json_object_set(document, "rows", rows);
        code = print_document(document, code, e);
    } else if (json_array_size(rows)) {
        struct table table;
        size_t i;
        const json_t *row;
        table_begin(&table, columns, COLUMNS);
        json_array_foreach(rows, i, row) add_row(&table, row);
        table_end(&table, stdout, terminal_of(stdout));
        if (sum.kept && !o->quiet)
            write_prose(stdout, terminal_of(stdout), 0,
                        "%zu rows are kept from an earlier scan of the same machine code in %s; "
                        "--force scans again",
                        sum.kept, plan->folder);
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
    struct scan_plan plan = scan_plan_default(o->positional.items[0]);
    plan.threads = o->threads;
    plan.quiet = o->quiet;
    plan.resume = o->resume;
    plan.force = o->force;
    struct cpu cpu;
    struct registry r;
    char folder[1000];
    plan.folder = folder;
    int code = o->range ? scan_parse_range(o->range, &plan, e) : 0;
    if (!code) code = results_folder(o, folder, sizeof folder, e);
    if (!code) code = open_variants(o, &cpu, &r, e);
    if (code) return code;
    code = scan_and_print(o, &plan, &cpu, &r, e);
    registry_close(&r);
    return code;
}
