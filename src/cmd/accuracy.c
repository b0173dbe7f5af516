#include "measure/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/folder.h"
#include "machine/machine.h"
#include "model/npy.h"
#include "oracle/references.h"

enum { ROWS_SHOWN = 120 };

static const char *text(const json_t *row, const char *key)
{
    const char *s = json_string_value(json_object_get(row, key));
    return s ? s : "-";
}

/* NaN where there is none. */
static double number(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void print_number(double value, int width)
{
    if (isnan(value))
        printf(" %*s", width, "-");
    else if (value != 0 && (fabs(value) >= 1e5 || fabs(value) < 1e-3))
        printf(" %*.2e", width, value);
    else
        printf(" %*.*f", width, fabs(value) >= 1000 ? 1 : 3, value);
}

/* softmax/threepass/dtype=f32/isa=avx512/cc=gcc-12/policy=off -> the values, in columns. */
static void print_variant(const char *id)
{
    static const int widths[] = {11, 12, 5, 8, 10, 10};
    char copy[256], *save = NULL;
    snprintf(copy, sizeof copy, "%s", id);
    int column = 0;
    for (char *part = strtok_r(copy, "/", &save); part && column < 6;
         part = strtok_r(NULL, "/", &save), column++) {
        const char *equals = strchr(part, '=');
        if (column != 2) printf("%-*s", widths[column], equals ? equals + 1 : part);
    }
}

static void print_heading(bool worst)
{
    printf("%-51s%-12s%7s %10s %10s %10s %10s %8s %10s %8s  %s\n", "variant",
           worst ? "worst on" : "family", "n", "max ulp", "mean ulp", "bias", "p99", "wrong %",
           "scaled", "/bound", "status");
}

static void print_row(const json_t *row)
{
    print_variant(text(row, "id"));
    printf("%-12s", text(row, "family"));
    double n = number(row, "n");
    if (isnan(n))
        printf("%7s", "-");
    else
        printf("%7.0f", n);
    print_number(number(row, "max_ulp"), 10);
    print_number(number(row, "mean_ulp"), 10);
    print_number(number(row, "bias_ulp"), 10);
    print_number(number(row, "p99_ulp"), 10);
    print_number(100 * number(row, "misrounded"), 8);
    print_number(number(row, "scaled_error"), 10);
    print_number(number(row, "bound_ratio"), 8);
    const json_t *reason = json_object_get(row, "reason");
    printf("  %s%s%s\n", text(row, "status"), reason ? ": " : "",
           reason ? json_string_value(reason) : "");
}

static bool is_worse(const json_t *a, const json_t *b)
{
    bool a_ok = !strcmp(text(a, "status"), "ok"), b_ok = !strcmp(text(b, "status"), "ok");
    if (a_ok != b_ok) return b_ok;
    return number(a, "max_ulp") > number(b, "max_ulp") || isnan(number(b, "max_ulp"));
}

/* Every row where they are few; else, for each variant, its worst row. */
static void print_table(const json_t *rows, const struct registry *r)
{
    bool all = json_array_size(rows) <= ROWS_SHOWN;
    print_heading(!all);
    size_t i;
    const json_t *row;
    if (all) {
        json_array_foreach(rows, i, row) print_row(row);
        return;
    }
    json_t *worst = json_object();
    json_array_foreach(rows, i, row)
    {
        const json_t *known = json_object_get(worst, text(row, "id"));
        if (!known || is_worse(row, known))
            json_object_set(worst, text(row, "id"), (json_t *)(uintptr_t)row);
    }
    for (i = 0; i < r->count; i++) {
        row = json_object_get(worst, r->variants[i].id);
        if (row) print_row(row);
    }
    json_decref(worst);
}

/* Whose word the exact values are, where it is not the lab's. */
static void print_references(const json_t *rows)
{
    json_t *told = json_object();
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        const char *file = json_string_value(json_object_get(row, "reference")), *id;
        if (!file || json_object_get(told, file)) continue;
        json_object_set_new(told, file, json_true());
        id = text(row, "id");
        printf("%.*s: against the reference in %s: its author's word, certified by nobody\n",
               (int)strcspn(id, "/"), id, file);
    }
    json_decref(told);
    char line[256];
    for (i = 0; references_unused(i, line, sizeof line); i++)
        if (line[0]) puts(line);
}

/* `adversarial` is files and no pure function: it is in no list of families. */
static int choose_families(const struct options *o, enum family *families,
                           struct accuracy_plan *plan, bool *adversarial, struct error *e)
{
    *adversarial = !o->n.count && !o->families.count && !o->samples;
    for (size_t i = 0; i < o->families.count; i++) {
        enum family f = family_find(o->families.items[i]);
        if (f < FAMILY_COUNT)
            families[plan->family_count++] = f;
        else if (!strcmp(o->families.items[i], ADVERSARIAL))
            *adversarial = true;
        else
            return fail(e, EXIT_USAGE, "--family: '%s': not a family; see --help",
                        o->families.items[i]);
    }
    plan->families = families;
    plan->adversarial_alone = o->families.count && !plan->family_count;
    return 0;
}

static int open_adversarial(const struct options *o, struct adversarial *a, struct error *e)
{
    char folder[1024];
    int code = results_folder(o, folder, sizeof folder, e);
    if (!code) code = adversarial_open(folder, a, e);
    if (!code && o->families.count && !a->count) {
        adversarial_close(a);
        code = fail(e, EXIT_USAGE,
                    "--family: adversarial: %s/" ADVERSARIAL " has no inputs; run 'ulplab search'",
                    folder);
    }
    return code;
}

static int measure(const struct options *o, const struct registry *r, const struct cpu *cpu,
                   const struct accuracy_plan *plan, struct error *e)
{
    json_t *rows = json_array();
    struct accuracy_summary sum;
    int code = accuracy_run(plan, r, record_sink_array(rows), &sum, e);
    if (o->json) {
        json_t *document = record_document(machine_record(cpu));
        json_object_set_new(document, "grid", accuracy_grid_record());
        json_object_set(document, ADVERSARIAL,
                        plan->adversarial ? plan->adversarial->names : json_null());
        json_object_set(document, "rows", rows);
        struct error unwritable = {""};
        if (record_print(document, &unwritable)) {
            *e = unwritable;
            code = EXIT_BAD_INPUT;
        }
    } else if (json_array_size(rows)) {
        print_table(rows, r);
        if (!o->quiet) print_references(rows);
        if (!o->quiet)
            printf("%zu rows ok, %zu wrong, %zu skipped, %zu died\n", sum.ok, sum.wrong,
                   sum.skipped, sum.failed);
    }
    json_decref(rows);
    return code;
}

int cmd_accuracy(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    struct npy input = {0};
    struct adversarial found = {0};
    enum family families[LIST_MAX];
    struct accuracy_plan plan = accuracy_plan_default();
    bool adversarial = false;
    int code = choose_families(o, families, &plan, &adversarial, e);
    if (!code && adversarial && !o->input) code = open_adversarial(o, &found, e);
    if (!code) code = cpu_detect(&cpu, o->hide_isa, e);
    if (!code && o->input) code = npy_read(o->input, &input, e);
    if (!code) code = registry_open(&r, &cpu, o->filters.items, o->filters.count, e);
    if (!code) {
        plan.seed = o->seed;
        plan.threads = o->threads;
        plan.n = o->n.items;
        plan.n_count = o->n.count;
        plan.adversarial = found.names ? &found : NULL;
        plan.elements = o->samples;
        plan.input = input.data;
        plan.input_rows = input.rows;
        plan.input_n = input.cols;
        plan.quiet = o->quiet;
        code = measure(o, &r, &cpu, &plan, e);
        registry_close(&r);
    }
    adversarial_close(&found);
    free(input.data);
    return code;
}
