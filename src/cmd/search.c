// SPDX-License-Identifier: MIT
/* search: the worst inputs of kernels. */
#include "study/search.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "cmd/commands.h"
#include "cmd/common.h"
#include "measure/accuracy_inputs.h"
#include "measure/f64_scan.h"
#include "measure/scan.h"
#include "model/record.h"
#include "publish/render/table.h"

static struct number_text search_figure(const json_t *row, const char *key)
{
    return number_decimals(record_number(row, key), 4);
}

static void search_add_row(struct table *t, const json_t *row)
{
    const char *same = record_text(row, "same_code_as"), *reason = record_text(row, "reason");
    if (!*reason) reason = record_text(row, "limit");
    char name[SHORT_NAME_MAX], other[SHORT_NAME_MAX] = "", status[360];
    short_name(record_text(row, "id"), name);
    if (*same) short_name(same, other);
    snprintf(status, sizeof status, "%s%s%.160s%s%s", record_text(row, "status"),
             *reason ? ": " : "", reason, *same ? ", code of " : "", other);
    table_add(t, strcmp(record_text(row, "status"), "ok") ? TINT_BAD : TINT_NONE,
              (const char *const[]){name, search_figure(row, "score").text,
                                    search_figure(json_object_get(row, "random"), "score").text,
                                    search_figure(row, "gain").text,
                                    search_figure(row, "max_ulp").text,
                                    number_digits(record_number(row, "evaluations"), 15).text,
                                    record_text(row, "objective"), status});
}

static void search_print_table(const json_t *rows)
{
    static const struct column columns[] = {
        {"variant", false, 0}, {"worst", true, 0},       {"random", true, 1}, {"gain", true, 2},
        {"max ulp", true, 3},  {"evaluations", true, 4}, {"of", false, 5},    {"status", false, 0}};
    struct table table;
    size_t i;
    const json_t *row;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    json_array_foreach(rows, i, row) search_add_row(&table, row);
    table_end(&table, stdout, terminal_of(stdout));
}

/* Prints the rows, with the paths of their files as seen from here. */
static int print_found(const char *folder, const struct cpu *cpu, const json_t *rows,
                       struct error *e)
{
    json_t *document = new_document(cpu), *found = json_array(), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        json_t *copy = json_deep_copy(row);
        char path[1200];
        snprintf(path, sizeof path, "%s/" ADVERSARIAL "/%s", folder, record_text(row, "input"));
        if (*record_text(row, "input")) json_object_set_new(copy, "input", json_string(path));
        json_array_append_new(found, copy);
    }
    json_object_set_new(document, "found", found);
    return print_document(document, 0, e);
}

/* records: the folder of search.jsonl. */
static int search_and_print(const struct options *o, const struct search_request *plan,
                            const char *records, const struct cpu *cpu, const struct registry *r,
                            struct error *e)
{
    json_t *rows = json_array();
    struct tally sum;
    int code = search_run(plan, r, record_sink_array(rows), &sum, e), kept = 0;
    struct error unwritable = {""};
    if (json_array_size(rows)) kept = search_keep(records, rows, &unwritable);
    if (o->json && !kept)
        kept = print_found(plan->folder, cpu, rows, &unwritable);
    else if (json_array_size(rows))
        search_print_table(rows);
    if (!o->json && !o->quiet && json_array_size(rows))
        printf("finds are in %s/" ADVERSARIAL "; accuracy replays them\n", plan->folder);
    json_decref(rows);
    if (kept) *e = unwritable;
    return kept ? kept : code;
}

/* Searches functions in double, alone: a longer scan of these, whose rows scan.jsonl keeps. */
static int search_f64(const struct options *o, const char *folder, const struct cpu *cpu,
                      const struct registry *r, struct error *e)
{
    struct scan_request plan = scan_default(o->positional.items[0]);
    struct scan_summary sum;
    json_t *rows = json_array();
    plan.title = "search";
    plan.folder = folder;
    plan.threads = o->threads;
    plan.quiet = o->quiet;
    plan.searched = o->evaluations;
    if (!o->evaluations) plan.seconds = o->seconds ? (double)o->seconds : 20;
    int code = f64_scan_run(&plan, r, record_sink_array(rows), &sum, e);
    if (o->json) {
        json_t *document = new_document(cpu);
        json_object_set(document, "found", rows);
        code = print_document(document, code, e);
    } else if (json_array_size(rows)) {
        scan_print_rows(rows);
    }
    json_decref(rows);
    return code;
}

int cmd_search(const struct options *o, struct error *e)
{
    if (o->positional.count != 1)
        return fail(e, EXIT_USAGE, "search: want one operation; see 'ulplab search --help'");
    if (o->n.count > 1) return fail(e, EXIT_USAGE, "--n: search takes one row length; give one");
    char folder[1024], finds[1024];
    struct search_request plan = search_default(o->positional.items[0]);
    plan.folder = finds;
    plan.seed = o->seed;
    plan.threads = o->threads;
    plan.quiet = o->quiet;
    plan.evaluations = o->evaluations;
    plan.all = o->filters.count > 0;
    if (o->n.count) plan.n = o->n.items[0];
    if (o->seconds) plan.seconds = (double)o->seconds;
    struct cpu cpu;
    struct registry r;
    int code = o->box ? search_parse_box(o->box, &plan, e) : 0;
    if (!code) code = results_folder(o, folder, sizeof folder, e);
    if (!code) code = finds_folder(o, finds, sizeof finds, e);
    if (!code) code = open_variants(o, &cpu, &r, e);
    if (code) return code;
    code = f64_scan_alone(&r, plan.op) ? search_f64(o, folder, &cpu, &r, e)
                                       : search_and_print(o, &plan, folder, &cpu, &r, e);
    registry_close(&r);
    return code;
}
