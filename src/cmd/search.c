// SPDX-License-Identifier: MIT
/* search: the worst inputs of kernels. */
#include "study/search.h"

#include <stdio.h>
#include <string.h>

#include "cmd/common.h"
#include "measure/accuracy.h"
#include "measure/scan.h"
#include "model/record.h"
#include "publish/sql/sql.h"

/* Returns the rows, with the paths of their files as seen from here. */
static json_t *rows_from_here(const char *folder, const json_t *rows)
{
    json_t *found = json_array(), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        json_t *copy = json_deep_copy(row);
        char path[1200];
        snprintf(path, sizeof path, "%s/" ADVERSARIAL "/%s", folder, record_text(row, "input"));
        if (*record_text(row, "input")) json_object_set_new(copy, "input", json_string(path));
        json_array_append_new(found, copy);
    }
    return found;
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
    if (!kept) {
        json_t *document = new_document(cpu);
        json_object_set_new(document, "found", rows_from_here(plan->folder, rows));
        if (json_array_size(rows))
            add_note(o, document, "the rows found are in %s/" ADVERSARIAL "; accuracy replays them",
                     plan->folder);
        kept = print_found(o, document, sql_found_search, 0, &unwritable);
    }
    json_decref(rows);
    if (kept) *e = unwritable;
    return kept ? kept : code;
}

/* Searches functions in double, alone: a longer scan of these, whose rows scan.jsonl keeps. */
static int search_f64(const struct options *o, const char *folder, const struct cpu *cpu,
                      const struct registry *r, struct error *e)
{
    struct scan_request plan = scan_default(o->positional.items[0]);
    struct scan_summary sum = {.kept = 0};
    json_t *rows = json_array();
    plan.title = "search";
    plan.folder = folder;
    plan.threads = o->threads;
    plan.quiet = o->quiet;
    plan.searched = o->evaluations;
    if (!o->evaluations) plan.seconds = o->seconds ? (double)o->seconds : 20;
    int code = f64_scan_run(&plan, r, record_sink_array(rows), &sum, e);
    json_t *document = new_document(cpu);
    json_object_set(document, "found", rows);
    code = print_found(o, document, sql_found_scan, code, e);
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
