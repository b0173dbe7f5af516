// SPDX-License-Identifier: MIT
/* The table of src/model/registry.c: a kernel's results depend on the members of struct job that
 * its operation has, and on no others. */
#include "model/registry.h"
#include "oracle/oracle.h"

#include "filtered.h"
#include "test.h"

enum { ROWS = 3, N = 100, STATS = ROWS * OUTPUTS_MAX };

/* The results of a job; bytes that are not written keep their initial value. */
struct results {
    float y[ROWS * N], stats[STATS];
};

static const char *const names[] = {"scale", "log_output", "eps", "gamma", "beta", "stats"};
static float x[ROWS * N], factors[N], summands[N], others[N];
static _Alignas(64) float scratch[2 * N + 256];

/* Runs the base job, or the base job with one argument changed. */
static struct results run(const struct variant *v, unsigned changed)
{
    struct results r;
    struct job job = {.rows = ROWS,
                      .n = N,
                      .x = x,
                      .x_stride = N,
                      .y = r.y,
                      .y_stride = oracle_columns(v->op, N),
                      .scale = changed == ARGUMENT_SCALE ? 0.5f : 1.0f,
                      .log_output = (changed == ARGUMENT_LOG_OUTPUT) != v->kernel->log_output,
                      .eps = changed == ARGUMENT_EPS ? 3.0f : 1e-5f,
                      .gamma = changed == ARGUMENT_GAMMA ? others : factors,
                      .beta = changed == ARGUMENT_BETA ? others : summands,
                      .stats = changed == ARGUMENT_STATS ? r.stats : NULL,
                      .scratch = scratch};
    memset(&r, 0x77, sizeof r);
    v->kernel->run(&job);
    return r;
}

/* The second operation of a kernel has the arguments of the code that both share. */
static unsigned arguments_of_code(const struct variant *v)
{
    unsigned of_op = arguments_of(v->op, v->algorithm);
    return strcmp(v->op, "layernorm_bare") ? of_op : of_op | ARGUMENT_GAMMA | ARGUMENT_BETA;
}

static size_t wrong_arguments(const struct variant *v)
{
    const struct results base = run(v, 0);
    size_t wrong = 0;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const struct results changed = run(v, 1u << i);
        bool depends = memcmp(&base, &changed, sizeof base) != 0;
        if (depends == !!(arguments_of_code(v) & 1u << i)) continue;
        print_error("%s %s %s\n", v->id, depends ? "depends on" : "ignores", names[i]);
        wrong++;
    }
    return wrong;
}

TEST(results_depend_on_the_arguments_of_the_operation)
{
    struct registry r = registry_of_filter(NULL);
    size_t tested = 0, wrong = 0;
    for (size_t i = 0; i < ROWS * N; i++) x[i] = sinf((float)i);
    for (size_t i = 0; i < N; i++) factors[i] = 1.25f, summands[i] = 0.25f, others[i] = -3.0f;
    for (size_t k = 0; k < r.count; k++) {
        const struct variant *v = &r.variants[k];
        const struct oracle *o = oracle_find(v->op);
        if (v->status != STATUS_OK || v->study || strcmp(v->dtype, "f32") || !o || oracle_source(o))
            continue;
        wrong += wrong_arguments(v);
        tested++;
    }
    assert_true(tested > 0);
    assert_int_equal(wrong, 0);
}
