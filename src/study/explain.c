// SPDX-License-Identifier: MIT
#include "study/explain.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "study/explain_binding.h"
#include "study/explain_lines.h"
#include "study/explain_loops.h"

/* ---- A call ---------------------------------------------------------------------------------- */

/* Code of a library belongs to the loop that called it. */
static size_t *loops_of_steps(const struct explained *x)
{
    const struct code *c = &x->code;
    size_t *of_op = memory_new((c->count + 1) * sizeof *of_op);
    size_t *of_step = memory_new((c->step_count + 1) * sizeof *of_step);
    size_t caller = x->loop_count;
    for (size_t i = 0; i < c->count; i++)
        of_op[i] = loop_around(x->loops, x->loop_count, c->ops[i].at);
    for (size_t i = 0; i < c->step_count; i++) {
        if (!c->ops[c->steps[i]].library) caller = of_op[c->steps[i]];
        of_step[i] = caller;
    }
    free(of_op);
    return of_step;
}

/* Runs the model without something; adds to a figure of each loop what its steps take. */
static double run_model(struct explained *x, const struct core *core, const size_t *of_step,
                        unsigned without, size_t figure)
{
    const struct code *c = &x->code;
    float *by_step = memory_new((c->step_count + 1) * sizeof *by_step);
    double cycles = code_cycles(c, core, without, by_step);
    for (size_t k = 0; k <= x->loop_count; k++)
        *(double *)(void *)((char *)&x->loops[k] + figure) = 0;
    for (size_t i = 0; i < c->step_count; i++)
        *(double *)(void *)((char *)&x->loops[of_step[i]] + figure) += (double)by_step[i];
    free(by_step);
    for (size_t k = 0; k <= x->loop_count; k++)
        if (x->loops[k].passes)
            *(double *)(void *)((char *)&x->loops[k] + figure) /= (double)x->loops[k].passes;
    return cycles;
}

static double share_of_libraries(const struct explained *x, const struct core *core)
{
    const struct code *c = &x->code;
    float *by_step = memory_new((c->step_count + 1) * sizeof *by_step);
    double cycles = code_cycles(c, core, 0, by_step), sum = 0;
    for (size_t i = 0; i < c->step_count; i++)
        if (c->ops[c->steps[i]].library) sum += (double)by_step[i];
    free(by_step);
    return cycles > 0 ? sum / cycles : 0;
}

/* The function that most steps outside of the program are in. */
static void name_library(struct explained *x)
{
    const struct code *c = &x->code;
    size_t *steps = memory_zeroed(c->count + 1, sizeof *steps), best = c->count;
    Dl_info info;
    for (size_t i = 0; i < c->step_count; i++)
        if (c->ops[c->steps[i]].library) steps[c->steps[i]]++;
    for (size_t i = 0; i < c->count; i++)
        if (steps[i] && (best == c->count || steps[i] > steps[best])) best = i;
    free(steps);
    if (best == c->count) return;
    const void *at = NULL;
    memcpy(&at, &c->ops[best].at, sizeof at);
    if (!dladdr(at, &info) || !info.dli_fname) return;
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(x->library, sizeof x->library, "%s", slash ? slash + 1 : info.dli_fname);
    snprintf(x->function, sizeof x->function, "%s", info.dli_sname ? info.dli_sname : "");
}

static int by_share(const void *a, const void *b)
{
    const struct explained_loop *x = a, *y = b;
    return (x->share < y->share) - (x->share > y->share);
}

void explain_code(struct explained *x, const struct core *core)
{
    const struct code *c = &x->code;
    size_t unmeasured = 0;
#define FIGURE(name) offsetof(struct explained_loop, facts.name)
    x->loop_count = explain_find_loops(c, x->loops);
    if (x->loop_count == LOOPS_MAX) x->loop_count--;
    x->loops[x->loop_count] = (struct explained_loop){.head = 0}; /* what is in no loop */
    size_t *of_step = loops_of_steps(x);
    x->facts.model = run_model(x, core, of_step, 0, FIGURE(model));
    x->facts.without_ports = run_model(x, core, of_step, WITHOUT_PORTS, FIGURE(without_ports));
    x->facts.without_latency =
        run_model(x, core, of_step, WITHOUT_LATENCY, FIGURE(without_latency));
    x->facts.without_front_end =
        run_model(x, core, of_step, WITHOUT_FRONT_END, FIGURE(without_front_end));
    x->facts.without_window = run_model(x, core, of_step, WITHOUT_WINDOW, FIGURE(without_window));
    run_model(x, core, of_step, WITHOUT_PORTS | WITHOUT_FRONT_END | WITHOUT_WINDOW,
              offsetof(struct explained_loop, chain_cycles));
#undef FIGURE
    x->facts.library_share = share_of_libraries(x, core);
    for (size_t k = 0; k <= x->loop_count; k++) {
        struct explained_loop *l = &x->loops[k];
        loop_describe(l, k, c, of_step, core);
        l->facts.measured = l->facts.flushed = NAN;
        l->share = l->facts.model * (l->passes ? (double)l->passes : 1) / x->facts.model;
        l->binds = binding_of(&l->facts);
    }
    free(of_step);
    for (size_t i = 0; i < c->step_count; i++) unmeasured += !c->ops[c->steps[i]].measured;
    x->unmeasured = c->step_count ? (double)unmeasured / (double)c->step_count : 0;
    x->loop_count++;
    qsort(x->loops, x->loop_count, sizeof *x->loops, by_share);
    name_library(x);
    x->binds = binding_of(&x->facts);
}

void explain_memory(struct explained *x, const size_t bytes[LEVEL_DRAM],
                    const double bytes_per_cycle[LEVELS])
{
    lines_by_level(&x->code, x->scale, bytes, x->lines);
    for (enum level l = LEVEL_L2; l < LEVELS; l++)
        if (bytes_per_cycle[l] > 0) x->facts.memory += 64 * x->lines[l] / bytes_per_cycle[l];
}

static void ask_mca(struct explained *x, const struct mca *mca)
{
    snprintf(x->mca_version, sizeof x->mca_version, "%s", mca->version);
    for (size_t i = 0; i < MCA_CPUS && mca->version[0]; i++)
        x->mca_cycles[i] = mca_cycles(mca, mca_cpus[i], x);
}

int explain_cell(struct explained *x, const struct cell *c, const struct bench_setup *s,
                 const struct cpu *cpu, struct instruction_table *table, const struct mca *mca,
                 struct error *e)
{
    struct trace t;
    *x = (struct explained){.rows = c->rows, .n = c->n};
    char *none[] = {NULL};
    int code = instructions_measure(table, cpu, none, NULL, NULL, e); /* the core */
    if (!code) code = trace_run(&t, c, s, cpu, table->core.nops, e);
    if (code) return code;
    x->cut = t.cut;
    x->ns = t.ns;
    x->elements = (double)t.rows * (double)c->n;
    x->scale = (double)c->rows / (double)t.rows;
    x->facts.measured = t.cycles / x->scale;
    x->facts.flushed = t.cycles_flushed / x->scale;
    code_decode(&x->code, &t);
    char **forms = code_forms(&x->code);
    code = instructions_measure(table, cpu, forms, NULL, NULL, e);
    for (size_t i = 0; forms[i]; i++) free(forms[i]);
    free(forms);
    if (!code) {
        code_cost(&x->code, table);
        explain_memory(x, s->effective.bytes, t.bytes_per_cycle);
        explain_code(x, &table->core);
        if (mca) ask_mca(x, mca);
    }
    trace_free(&t);
    if (code) explain_free(x);
    return code;
}

void explain_free(struct explained *x)
{
    for (size_t k = 0; k < x->loop_count; k++) free(x->loops[k].ops);
    code_free(&x->code);
    x->loop_count = 0;
}
