// SPDX-License-Identifier: MIT
/* The scope of a run: the variants that match, or, if nothing in particular was asked for, those
 * that scripts/run.mk chose; and the rest, which it leaves out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cmd/run_steps.h"
#include "model/coverage.h"

bool run_is_usual(const struct options *o)
{
    return !o->full && !o->filters.count && !o->suite;
}

/* ---- What is built --------------------------------------------------------------------------- */

/* Returns whether the variant has cells of a suite. A run that was not narrowed has those of every
 * suite. */
static bool is_of_a_suite(const struct variant *v)
{
    const struct suite *suite;
    for (size_t number = 1; (suite = suite_find(number)); number++)
        if (suite_has(suite, v) && !strcmp(v->policy, suite->policies[0])) return true;
    return false;
}

enum part { MEASURED, TIMED, REST, PARTS };

static enum part run_scope_part_of(const struct options *o, const struct variant *v)
{
    if (!run_is_usual(o) || v->use == USE_MEASURED) return MEASURED;
    return is_of_a_suite(v) ? TIMED : REST;
}

static size_t move_part(const struct run *run, enum part part, struct variant *to)
{
    const struct registry *r = &run->registry;
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        if (run_scope_part_of(run->o, &r->variants[i]) == part) to[count++] = r->variants[i];
    return count;
}

int run_choose(struct run *run, struct error *e)
{
    struct registry *r = &run->registry;
    struct variant *ordered = memory_zeroed(r->count + 1, sizeof *ordered);
    size_t count = 0, ends[PARTS];
    for (enum part part = MEASURED; part < PARTS; part++)
        ends[part] = count += move_part(run, part, ordered + count);
    free(r->variants);
    r->variants = ordered;
    run->measured = run->timed = *r;
    run->measured.count = ends[MEASURED];
    run->timed.count = ends[TIMED];
    if (run->timed.count) return 0;
    return fail(e, EXIT_USAGE,
                "run: nothing of this build is what a run looks at unless told; name it with "
                "--filter, or build with 'make run'");
}

/* ---- What is not built ----------------------------------------------------------------------- */

static bool run_scope_is_wanted(const struct options *o, const struct variant *v)
{
    if (v->status == STATUS_SKIPPED) return false;
    if (o->suite) return suite_has(suite_find(o->suite), v);
    return !run_is_usual(o) || v->use != USE_ON_REQUEST;
}

/* Returns whether a probe is of the regime of these objects, which stand in the order of regimes:
 * codegen runs a probe of each. */
static bool is_in_regime(const struct build_absence *probe, const struct variant *v)
{
    return !strcmp(probe->isa, v->isa) && !strcmp(probe->cc, v->cc) &&
           !strcmp(probe->policy, v->policy);
}

static void print_probes(const struct options *o, const struct absences *a)
{
    for (size_t i = 0; i < build_absence_count; i++) {
        const struct build_absence *probe = &build_absences[i];
        if (strcmp(probe->file, "probe") != 0) continue;
        size_t k = 0;
        while (k < a->count &&
               !(run_scope_is_wanted(o, &a->variants[k]) && is_in_regime(probe, &a->variants[k])))
            k++;
        if (k < a->count) puts(probe->object);
    }
}

int run_print_lacking(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct absences a;
    const char *last = "";
    if (o->suite && !suite_find(o->suite)) return 0; /* the run reports that */
    int code = cpu_detect(&cpu, o->hide_isa, e);
    if (!code) code = absences_open(&a, &cpu, o->filters.items, o->filters.count, e);
    if (code) return code;
    for (size_t i = 0; i < a.count; i++) {
        const char *object = a.variants[i].build->object;
        if (!run_scope_is_wanted(o, &a.variants[i]) || !strcmp(object, last)) continue;
        puts(last = object);
    }
    print_probes(o, &a);
    absences_close(&a);
    return 0;
}

/* ---- What is left out ------------------------------------------------------------------------ */

/* Returns how to ask for what a gap leaves out. */
static json_t *run_scope_ask_for(const struct gap *g)
{
    if (!strcmp(g->what, "together")) return json_string("make run RUN=--full");
    if (!strcmp(g->what, "cc")) {
        char *ccs = strdup(g->values);
        for (char *c = ccs; c && *c; c++)
            if (*c == ',') *c = ' ';
        json_t *text = json_sprintf("make run CCS=\"%s\"", ccs ? ccs : "");
        free(ccs);
        return text;
    }
    return json_sprintf("make run RUN=\"--filter %s=%s\"", g->what, g->values);
}

static json_t *gap_record(const struct gap *g)
{
    return json_pack("{s:s, s:s, s:I, s:o}", "what", g->what, "values", g->values, "variants",
                     (json_int_t)g->variants, "ask",
                     g->runs_here ? run_scope_ask_for(g) : json_null());
}

/* The pieces of work beside variants. */
static const struct piece {
    const char *what, *ask;
} pieces[] = {
    {"suite 1 whole", "make run RUN=\"--suite 1\""},
    {"the other case studies", "ulplab case run"},
    {"other kernels from memory, best (invariant's code) beyond L1, larger shapes, all cores",
     "make run RUN=--full"},
    {"every input of the encoders of e8m0-ceil-log2", "ulplab case run e8m0-ceil-log2 --full"},
    {"every fp32 input of a function", "ulplab scan all"},
    {"libraries", "make peers && ulplab run --peers"},
};

int run_gaps(const struct run *run, json_t **gaps, struct error *e)
{
    struct absences a;
    struct gap found[GAPS_MAX];
    int code = absences_open(&a, &run->cpu, NULL, 0, e);
    if (code) return code;
    *gaps = json_array();
    if (!run_is_usual(run->o)) return absences_close(&a), 0;
    const size_t count = coverage_gaps(&run->registry, run->measured.count, &a, found);
    for (size_t i = 0; i < count; i++) json_array_append_new(*gaps, gap_record(&found[i]));
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        json_array_append_new(
            *gaps, json_pack("{s:s, s:s}", "what", pieces[i].what, "ask", pieces[i].ask));
    absences_close(&a);
    return 0;
}
