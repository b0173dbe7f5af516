// SPDX-License-Identifier: MIT
/* case list and case run: failures that were reported elsewhere, reproduced on this CPU. */
#include <stdio.h>
#include <string.h>

#include "cases/case_run.h"
#include "cmd/common.h"
#include "publish/db/db.h"
#include "publish/render/query.h"
#include "publish/sections/sections.h"

enum { CASES_MAX = 64 };

/* Prints the cases, and takes over the reference to them. */
static int print_cases(const struct cpu *cpu, json_t *cases, int code, struct error *e)
{
    json_t *document = new_document(cpu);
    json_object_set_new(document, "cases", cases);
    return print_document(document, code, e);
}

/* ---- list ------------------------------------------------------------------------------------ */

static json_t *listed(const struct case_study *c)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:n, s:n, s:n, s:[]}", "name", c->name, "title",
                     c->title, "reported", c->reported, "mechanism", c->mechanism, "remedy",
                     c->remedy, "verdict", "expected", "measured", "rows");
}

static int list_cases(const struct options *o, struct error *e)
{
    if (!o->json) {
        for (const struct case_study *const *c = case_studies; *c; c++)
            write_prose(stdout, terminal_of(stdout), 23, "%-22s %s", (*c)->name, (*c)->title);
        return 0;
    }
    struct cpu cpu;
    int code = cpu_detect(&cpu, o->hide_isa, e);
    if (code) return code;
    json_t *cases = json_array();
    for (const struct case_study *const *c = case_studies; *c; c++)
        json_array_append_new(cases, listed(*c));
    return print_cases(&cpu, cases, 0, e);
}

/* ---- run ------------------------------------------------------------------------------------- */

/* Chooses the cases that are named, in that order; all where none is named. */
static int choose_cases(const struct options *o, const struct case_study **chosen, size_t *count,
                        struct error *e)
{
    *count = 0;
    for (size_t i = 1; i < o->positional.count && *count < CASES_MAX; i++) {
        chosen[*count] = case_find(o->positional.items[i], e);
        if (!chosen[(*count)++]) return EXIT_USAGE;
    }
    for (const struct case_study *const *c = case_studies;
         o->positional.count < 2 && *c && *count < CASES_MAX; c++)
        chosen[(*count)++] = *c;
    return 0;
}

/* Prints the records for people, and takes over the reference to them. */
static int write_cases(const struct cpu *cpu, json_t *cases, bool brief, int code, struct error *e)
{
    struct lab_db l;
    struct error unread;
    json_t *document = new_document(cpu);
    int failed =
        db_read_records(&l, document, "cases.jsonl", (const json_t *const[]){cases}, 1, &unread);
    json_decref(document);
    json_decref(cases);
    if (!failed) {
        failed = query_print(&l, sql_section_cases, brief, stdout, &unread);
        lab_close(&l);
    }
    if (failed) *e = unread;
    return failed ? failed : code;
}

static int case_run_cases(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    struct cases_summary summary;
    const struct case_study *chosen[CASES_MAX];
    struct cases_plan plan = {.cases = chosen, .quiet = o->quiet};
    int code = choose_cases(o, chosen, &plan.count, e);
    if (!code) code = open_variants(o, &cpu, &r, e);
    if (code) return code;
    plan.context = (struct case_context){.registry = &r,
                                         .cpu = &cpu,
                                         .seed = o->seed,
                                         .effort = o->quick  ? CASE_QUICK
                                                   : o->full ? CASE_FULL
                                                             : CASE_DEFAULT};
    json_t *cases = json_array();
    code = cases_run(&plan, record_sink_array(cases), &summary, e);
    note_nothing_measured("case run", summary.skipped, json_array_size(cases), "cases");
    code =
        o->json ? print_cases(&cpu, cases, code, e) : write_cases(&cpu, cases, o->quiet, code, e);
    registry_close(&r);
    return code;
}

/* Refuses options of measuring: a list measures nothing. */
static int refuse_measuring(const struct options *o, struct error *e)
{
    static const char *const options[] = {"filter", "quick", "full", "seed"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (option_given(o, options[i]))
            return fail(e, EXIT_USAGE,
                        "case list: --%s: only 'ulplab case run' takes it; leave it out",
                        options[i]);
    return 0;
}

int cmd_case(const struct options *o, struct error *e)
{
    const char *what = o->positional.count ? o->positional.items[0] : "list";
    if (!strcmp(what, "run")) return case_run_cases(o, e);
    if (strcmp(what, "list") != 0)
        return fail(e, EXIT_USAGE, "case: '%s': neither list nor run; see 'ulplab case --help'",
                    what);
    if (o->positional.count > 1)
        return fail(e, EXIT_USAGE, "case list: '%s': takes no name; 'ulplab case run %s' runs it",
                    o->positional.items[1], o->positional.items[1]);
    int code = refuse_measuring(o, e);
    return code ? code : list_cases(o, e);
}
