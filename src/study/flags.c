// SPDX-License-Identifier: MIT
#include "study/flags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/error.h"
#include "base/progress.h"
#include "build.h"

struct flags_plan flags_plan_default(void)
{
    return (struct flags_plan){.request = {.base = "-O3 -ffp-contract=off",
                                           .all = "-ffast-math",
                                           .wish = {.keep = 0.95, .processes = 6}},
                               .shapes = "2x2048"};
}

struct flags_job {
    const struct flags_plan *plan;
    struct workshop shop; /* for the place of the sources */
    struct flags_kernels kernels;
    struct progress progress;
    size_t cells, cell; /* of the plan; the one in work */
    char what[200];
    size_t measured, skipped;
};

static void flags_tell(void *context, double share, const char *what)
{
    struct flags_job *j = context;
    char detail[300];
    snprintf(detail, sizeof detail, "%s: %s", j->what, what);
    progress_update(&j->progress, ((double)j->cell + share) / (double)j->cells, detail);
}

/* Writes the compiler's version, as the build gives its own. */
static void version_of(const char *cc, char *version, size_t size)
{
    char *question = strstr(cc, "clang") ? "-dumpversion" : "-dumpfullversion";
    char *words[] = {(char *)(uintptr_t)workshop_compiler(cc), question, NULL};
    size_t length;
    char *text = workshop_text(words, 10, &length);
    snprintf(version, size, "%.*s", (int)strcspn(text, "\n"), text);
    free(text);
}

/* Returns whether a record of an earlier run of this program is of that cell. A user's file may
 * have changed since: its operation is "" here, and in no record. */
static bool is_of_cell(const struct flags_job *j, const struct flags_kernel *k, const char *cc,
                       const json_t *record)
{
    const struct flags_plan *p = j->plan;
    const char *const same[][2] = {{"op", k->op},
                                   {"algorithm", k->algorithm},
                                   {"isa", p->isa},
                                   {"cc", cc},
                                   {"base", p->request.base},
                                   {"all", p->request.all},
                                   {"commit", build_commit},
                                   {"shapes", p->shapes},
                                   {"function", ""}};
    /* Earlier versions had fp32 alone, and did not say so. */
    const char *dtype = record_text(record, "dtype");
    size_t m = 0;
    if (strcmp(*dtype ? dtype : "f32", k->dtype) != 0) return false;
    while (m < sizeof same / sizeof *same && !strcmp(record_text(record, same[m][0]), same[m][1]))
        m++;
    return m == sizeof same / sizeof *same;
}

/* Returns whether the cell's answer is among the records of an earlier run of this program that
 * asked the same question. */
static bool is_done(const struct flags_job *j, const struct flags_kernel *k, const char *cc)
{
    const struct flags_plan *p = j->plan;
    const json_t *record;
    size_t i;
    json_array_foreach(p->done, i, record)
    {
        if (strcmp(record_text(record, "record"), "flag-set") != 0) continue;
        const bool asked = json_equal(p->request.wish.allow, json_object_get(record, "allow")) &&
                           (!p->cases || json_is_array(json_object_get(record, "breaks"))) &&
                           record_number(record, "keep") == p->request.wish.keep;
        if (asked && is_of_cell(j, k, cc, record)) return true;
    }
    return false;
}

static int flags_put_all(json_t *records, struct record_sink sink, int code, struct error *e)
{
    json_t *record;
    size_t i;
    json_array_foreach(records, i, record)
    {
        if (!code) code = sink.put(sink.context, json_incref(record), e);
    }
    json_decref(records);
    return code;
}

/* Puts a cell's records of an earlier run again: they answer this one, too. */
static int put_done(const struct flags_job *j, const struct flags_kernel *k, const char *cc,
                    struct record_sink sink, struct error *e)
{
    json_t *records = json_array(), *record;
    size_t i;
    json_array_foreach(j->plan->done, i, record)
    {
        if (is_of_cell(j, k, cc, record)) json_array_append(records, record);
    }
    return flags_put_all(records, sink, 0, e);
}

/* Measures a cell. */
static int measure_cell(struct flags_job *j, const struct flag_table *table, struct flags_kernel *k,
                        const char *cc, const char *version, struct flags_cases *cases,
                        struct record_sink sink, struct error *e)
{
    char folder[PATH_MAX + 200];
    struct flags_lab lab = {.kernel = k,
                            .cc = cc,
                            .isa = j->plan->isa,
                            .shapes = j->plan->shapes,
                            .judge = j->plan->judge};
    struct flags_found found;
    lab.table = *table;
    snprintf(folder, sizeof folder, "%s/%s-%s-%s", j->plan->folder, k->name, cc, lab.isa);
    int code = flags_lab_open(&lab, folder, e);
    if (code) return code;
    code =
        flags_search(&lab, &j->plan->request.wish, (struct flags_watch){flags_tell, j}, &found, e);
    if (!code) {
        if (cases) code = flags_cases_judge(cases, &found.choice.set, 1, e);
        json_t *records = NULL;
        if (!code)
            code = flags_records(&lab, &found, &j->plan->request, version, cases, &records, e);
        code = flags_put_all(records, sink, code, e);
        flags_found_free(&found);
        j->measured++;
    }
    flags_lab_close(&lab);
    return code;
}

/* The cases under each flag alone, and under all without it. */
static int run_cases(struct flags_job *j, struct flags_cases *c, struct error *e)
{
    const struct flag_table *t = c->table;
    char folder[PATH_MAX + 200];
    flag_set sets[2 * FLAGS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (!(t->known & flag_bit(i)) || t->rows[i].kind == FLAG_WHOLE) continue;
        sets[count++] = flag_with_needs(t, i);
        if (t->rows[i].kind == FLAG_LINK) sets[count++] = t->all | flag_bit(i);
        if (t->all & flag_bit(i)) sets[count++] = t->all & ~flag_bit(i);
    }
    snprintf(folder, sizeof folder, "%s/cases-%s-%s", j->plan->folder, c->cc, c->isa);
    snprintf(j->what, sizeof j->what, "%s", c->cc);
    flags_tell(j, 0, "case studies");
    int code = flags_cases_open(c, folder, e);
    return code ? code : flags_cases_judge(c, sets, count, e);
}

/* Measures all kernels with one compiler, which is asked for its table when there is one to
 * measure; a kernel that cannot be built does not stop the others. */
static int measure_compiler(struct flags_job *j, const char *cc, struct record_sink sink,
                            struct error *e)
{
    const struct flags_plan *p = j->plan;
    char version[60];
    struct flag_table *table = memory_zeroed(1, sizeof *table);
    struct flags_cases cases = {.table = table, .cc = cc, .isa = p->isa};
    int code = 0;
    for (size_t i = 0; i < j->kernels.count && !code; i++, j->cell++) {
        struct flags_kernel *k = &j->kernels.items[i];
        if (is_done(j, k, cc)) {
            code = put_done(j, k, cc, sink, e);
            continue;
        }
        snprintf(j->what, sizeof j->what, "%s %s", k->name, cc);
        if (!table->base) {
            code = flag_table_make(table, p->cpu, cc, p->request.base, p->request.all, p->own,
                                   p->own_count, e);
            version_of(cc, version, sizeof version);
        }
        if (!code && p->cases && !cases.broken) code = run_cases(j, &cases, e);
        if (!code) code = measure_cell(j, table, k, cc, version, p->cases ? &cases : NULL, sink, e);
        if (code != EXIT_PARTIAL || j->cells == 1) continue;
        note("%s", e->text);
        j->skipped++;
        code = 0;
    }
    if (cases.broken) flags_cases_close(&cases);
    free(table);
    return code;
}

int flags_run(const struct flags_plan *plan, struct record_sink sink, struct error *e)
{
    struct flags_job j = {.plan = plan};
    int code = workshop_open(&j.shop, plan->folder, e);
    if (!code)
        code = flags_kernels_find(&j.shop, plan->kernels, plan->kernel_count, plan->every,
                                  &j.kernels, e);
    if (code) return code;
    for (size_t i = 0; i < j.kernels.count; i++)
        if (plan->of) {
            struct flags_kernel *k = &j.kernels.items[i];
            k->needs = plan->needs;
            k->of = plan->of;
            k->function = plan->function;
        }
    j.cells = j.kernels.count * plan->cc_count;
    progress_begin(&j.progress, "flags", plan->quiet);
    for (size_t i = 0; i < plan->cc_count && !code; i++)
        code = measure_compiler(&j, plan->ccs[i], sink, e);
    progress_end(&j.progress);
    if (!code && j.skipped && !j.measured)
        code = fail(e, EXIT_PARTIAL, "flags: none of %zu kernels could be measured", j.cells);
    flags_kernels_free(&j.kernels);
    return code;
}
