#include "measure/scan.h"

#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "machine/machine.h"

static const char *text(const json_t *row, const char *key)
{
    const char *s = json_string_value(json_object_get(row, key));
    return s ? s : "-";
}

static void print_row(const json_t *row)
{
    const char *status = text(row, "status"), *same = text(row, "same_code_as");
    printf("%-66s", text(row, "id"));
    if (json_is_number(json_object_get(row, "max_ulp"))) {
        printf(" %10.6f %20s %9.4f %9.2e", json_number_value(json_object_get(row, "max_ulp")),
               text(row, "at"), 100 * json_number_value(json_object_get(row, "misrounded")),
               json_number_value(json_object_get(row, "bias_ulp")));
        printf(" %9.0f", 1e-6 * json_number_value(json_object_get(row, "per_second")));
    } else {
        printf(" %10s %20s %9s %9s %9s", "-", "-", "-", "-", "-");
    }
    const json_t *reason = json_object_get(row, "reason");
    printf("  %s%s%s%s%s\n", status, reason ? ": " : "", reason ? json_string_value(reason) : "",
           *same == '-' ? "" : ", same code as ", *same == '-' ? "" : same);
}

static int measure(const struct options *o, const struct scan_plan *plan, const struct cpu *cpu,
                   const struct registry *r, struct error *e)
{
    json_t *rows = json_array();
    struct scan_summary sum;
    int code = scan_run(plan, r, record_sink_array(rows), &sum, e);
    if (o->json) {
        json_t *document = record_document(machine_record(cpu));
        json_object_set(document, "rows", rows);
        struct error unwritable;
        if (record_print(document, &unwritable)) {
            *e = unwritable;
            code = EXIT_BAD_INPUT;
        }
    } else if (json_array_size(rows)) {
        printf("%-66s %10s %20s %9s %9s %9s  %s\n", "variant", "max ulp", "at", "misr %", "bias",
               "M/s", "status");
        size_t i;
        const json_t *row;
        json_array_foreach(rows, i, row) print_row(row);
    }
    json_decref(rows);
    return code;
}

int cmd_scan(const struct options *o, struct error *e)
{
    if (o->positional.count != 1)
        return fail(e, EXIT_USAGE, "scan: want one function; see 'ulplab scan --help'");
    struct scan_plan plan = scan_plan_default(o->positional.items[0]);
    plan.threads = o->threads;
    plan.quiet = o->quiet;
    struct cpu cpu;
    struct registry r;
    int code = o->range ? scan_parse_range(o->range, &plan, e) : 0;
    if (!code) code = cpu_detect(&cpu, o->hide_isa, e);
    if (!code) code = registry_open(&r, &cpu, o->filters.items, o->filters.count, e);
    if (code) return code;
    code = measure(o, &plan, &cpu, &r, e);
    registry_close(&r);
    return code;
}
