// SPDX-License-Identifier: MIT
#include "cmd/fleet.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/folder.h"
#include "model/registry.h"
#include "model/record.h"
#include "publish/sql/facts.h"
#include "publish/db/db.h"
#include "publish/archive/archive.h"
#include "publish/render/table.h"
#include "publish/site/machines.h"

static const char *state_name(enum fleet_state state)
{
    static const char *const names[] = {"missing", "waiting", "running", "done"};
    return names[state];
}

static void fleet_write_table(const struct fleet *f)
{
    static const struct column columns[] = {
        {"type", false, 0}, {"nodes", true, 0}, {"state", false, 0}, {"last", false, 0}};
    struct table table;
    table_begin(&table, columns, 4);
    for (size_t i = 0; i < f->count; i++) {
        const struct fleet_type *t = &f->types[i];
        char nodes[24];
        snprintf(nodes, sizeof nodes, "%zu", t->nodes);
        table_add(&table, t->state == FLEET_DONE ? TINT_GOOD : TINT_NONE,
                  (const char *const[]){t->name, nodes, state_name(t->state),
                                        t->last[0] ? t->last : "-"});
    }
    table_end(&table, stdout, terminal_of(stdout));
}

static json_t *types_json(const struct fleet *f)
{
    json_t *types = json_array();
    for (size_t i = 0; i < f->count; i++) {
        const struct fleet_type *t = &f->types[i];
        json_array_append_new(types, json_pack("{s:s, s:s, s:I, s:s, s:s}", "type", t->name,
                                               "select", t->select, "nodes", (json_int_t)t->nodes,
                                               "state", state_name(t->state), "last", t->last));
    }
    return types;
}

static int fleet_show(const struct fleet *f, const struct options *o, struct error *e)
{
    if (o->json)
        return record_print(json_pack("{s:i, s:o}", "schema", 1, "types", types_json(f)), e);
    if (!o->quiet) fleet_write_table(f);
    return 0;
}

/* ---- The actions ----------------------------------------------------------------------------- */

static int plan(const struct options *o, struct error *e)
{
    struct fleet f;
    int code = fleet_plan(&f, o, e);
    if (code) return code;
    code = fleet_look(&f, e);
    if (!code) code = fleet_show(&f, o, e);
    fleet_free(&f);
    return code;
}

/* Notes the ISAs that this CPU lacks, and that were therefore not built: nodes may have them. */
static int tell_absent_isas(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct absences a;
    size_t count = 0;
    int code = cpu_detect(&cpu, NULL, e);
    if (!code) code = absences_open(&a, &cpu, o->filters.items, o->filters.count, e);
    if (code) return code;
    for (size_t i = 0; i < a.count; i++) count += a.variants[i].status == STATUS_SKIPPED;
    if (count && !o->quiet)
        fprintf(stderr,
                "ulplab: fleet: %zu variants for ISAs that this CPU lacks are not built, and nodes "
                "that have them are measured without; 'make' builds them\n",
                count);
    absences_close(&a);
    return 0;
}

static int submit(const struct options *o, struct error *e)
{
    struct fleet f;
    size_t submitted = 0;
    int code = tell_absent_isas(o, e);
    if (!code) code = fleet_plan(&f, o, e);
    if (code) return code;
    code = fleet_submit(&f, &submitted, e);
    if (!code && o->json)
        code = record_print(json_pack("{s:i, s:I, s:o}", "schema", 1, "submitted",
                                      (json_int_t)submitted, "types", types_json(&f)),
                            e);
    else if (!code && !o->quiet)
        printf("%zu of %zu types submitted; the others are done, queued or have no nodes\n",
               submitted, f.count);
    fleet_free(&f);
    return code;
}

static int status(const struct options *o, struct error *e)
{
    struct fleet f;
    int code = fleet_read(&f, o->out, e);
    if (code) return code;
    code = fleet_look(&f, e);
    if (!code) code = fleet_show(&f, o, e);
    fleet_free(&f);
    return code;
}

/* Adds the finished results to the archive, and writes the comparison if there are several. */
static int fleet_gather(const struct fleet *f, const char *to, const char *const *filters,
                        size_t filter_count, struct error *e)
{
    enum { COMPARED_MAX = 16 };
    static char folders[FLEET_TYPES_MAX][1000];
    struct strings done = {.count = 0}, kept;
    struct archive_outcome outcome;
    struct lab_db l;
    char path[1000];
    for (size_t i = 0; i < f->count; i++) {
        if (f->types[i].state != FLEET_DONE) continue;
        snprintf(folders[i], sizeof folders[i], "%s/results/%s", f->folder, f->types[i].name);
        done.items[done.count++] = folders[i];
    }
    int code = keep_result_folders("fleet", false, &done, &kept, e);
    if (!code) code = db_open(&l, to, LAB_WRITE, e);
    if (code) return code;
    for (size_t i = 0; i < kept.count && !code; i++)
        code = archive_add(&l, kept.items[i], &outcome, e);
    lab_close(&l);
    snprintf(path, sizeof path, "%s/performance.md", f->folder);
    if (code || kept.count < 2) return code;
    const struct machines_request q = {.places = kept.items,
                                       .count =
                                           kept.count < COMPARED_MAX ? kept.count : COMPARED_MAX,
                                       .filters = filters,
                                       .filter_count = filter_count,
                                       .bar = advice_bar};
    struct machines m;
    code = machines_open(&q, &m, e);
    if (code) return code;
    code = machines_write_text(&m, path, e);
    lab_close(&m.l);
    return code;
}

static int fleet_collect(const struct options *o, struct error *e)
{
    struct fleet f;
    char to[1000];
    size_t missing = 0, first = 0;
    int code = fleet_read(&f, o->out, e);
    if (code) return code;
    snprintf(to, sizeof to, "%s/lab.db", o->out);
    code = fleet_look(&f, e);
    if (!code) code = fleet_gather(&f, o->to ? o->to : to, o->filters.items, o->filters.count, e);
    if (!code) code = fleet_show(&f, o, e);
    for (size_t i = f.count; i-- > 0;)
        if (f.types[i].state != FLEET_DONE) {
            missing++;
            first = i;
        }
    if (!code && missing)
        code = fail(e, EXIT_PARTIAL,
                    "fleet: %zu of %zu types are missing: %s is %s (%s); 'ulplab fleet submit' "
                    "submits what is missing",
                    missing, f.count, f.types[first].name, state_name(f.types[first].state),
                    f.types[first].last[0] ? f.types[first].last : "it never ran");
    fleet_free(&f);
    return code;
}

/* Refuses options that would be ignored: what is planned stays planned, and showing it measures
 * nothing. */
static int refuse_ignored(const char *action, const struct options *o, struct error *e)
{
    static const struct {
        const char *option, *actions;
    } rules[] = {{"quick", "plan submit"},    {"full", "plan submit"},
                 {"hide-isa", "plan submit"}, {"nodes-by", "plan submit"},
                 {"to", "collect"},           {"filter", "plan submit collect"}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (option_given(o, rules[i].option) && !strstr(rules[i].actions, action))
            return fail(e, EXIT_USAGE, "fleet %s: --%s: it is for %s; leave it out", action,
                        rules[i].option, rules[i].actions);
    return 0;
}

int cmd_fleet(const struct options *o, struct error *e)
{
    static const struct {
        const char *name;
        int (*run)(const struct options *, struct error *);
    } actions[] = {
        {"plan", plan}, {"submit", submit}, {"status", status}, {"collect", fleet_collect}};
    const char *what = o->positional.count == 1 ? o->positional.items[0] : "";
    if (!o->out)
        return fail(e, EXIT_USAGE, "fleet: --out: missing; name the shared folder: --out DIR");
    if (o->nodes_by && strcmp(o->nodes_by, "feature") && strcmp(o->nodes_by, "partition"))
        return fail(e, EXIT_USAGE, "fleet: --nodes-by %s: unknown; known: feature, partition",
                    o->nodes_by);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(actions[i].name, what)) {
            int code = refuse_ignored(what, o, e);
            return code ? code : actions[i].run(o, e);
        }
    return fail(e, EXIT_USAGE,
                "fleet: '%s': none of plan, submit, status, collect; see 'ulplab fleet --help'",
                what);
}
