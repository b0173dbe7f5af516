// SPDX-License-Identifier: MIT
/* The lab's own functions give an element the same bits wherever it is in a row and whatever is
 * beside it, although kernels choose their code path by whole vectors and by the beginning of a
 * row. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/registry.h"

#include <cmocka.h>

enum { N = 295 }; /* longer than where long rows begin; whole vectors and a tail */

/* Fills elements below `from` with values for which gelu needs no tail: small ones, those from 15
 * on, infinities, NaN. The others have sizes from 2^-20 to 2^20, and some are huge. Signs
 * alternate. */
static void fill(float x[N], size_t from)
{
    for (size_t i = 0; i < N; i++) {
        float size = ldexpf(1.0f + (float)i / N, (int)(i % 40) - 20);
        if (i % 29 == 0) size = 1e30f;
        if (i < from) size = i % 2 ? 0.001f * (float)(1 + i) : 15.0f + (float)i;
        if (i < from && i % 11 == 5) size = i % 22 == 5 ? INFINITY : NAN;
        x[i] = i % 3 ? size : -size;
    }
}

static bool is_tested(const struct variant *v)
{
    static const char *const ops[] = {"exp",   "exp2",     "expm1", "log",     "log2",
                                      "log1p", "tanh",     "erf",   "sigmoid", "silu",
                                      "gelu",  "softplus", "sin",   "cos",     "rsqrt"};
    if (v->status != STATUS_OK || v->study || strcmp(v->algorithm, "own") != 0 ||
        strcmp(v->dtype, "f32") != 0)
        return false;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!strcmp(v->op, ops[i])) return policy_promises(v->policy) != PROMISES_NOTHING;
    return false;
}

/* The number of elements whose bits differ when they are computed alone. */
static size_t others_alone(const struct variant *v, const float x[N])
{
    float y[N], alone;
    struct job row = {.rows = 1, .n = N, .x = x, .x_stride = N, .y = y, .y_stride = N};
    size_t others = 0;
    v->kernel->run(&row);
    for (size_t i = 0; i < N; i++) {
        struct job one = {.rows = 1, .n = 1, .x = x + i, .x_stride = 1, .y = &alone, .y_stride = 1};
        v->kernel->run(&one);
        others += memcmp(&alone, &y[i], sizeof alone) != 0 && !(isnan(alone) && isnan(y[i]));
    }
    return others;
}

static void an_element_has_the_same_bits_alone(void **state)
{
    (void)state;
    static const size_t beginnings[] = {0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 160, 255, 256, N};
    struct cpu cpu;
    struct registry r;
    struct error e;
    size_t tested = 0, wrong = 0;
    assert_int_equal(cpu_detect(&cpu, NULL, &e), 0);
    assert_int_equal(registry_open(&r, &cpu, NULL, 0, &e), 0);
    for (size_t k = 0; k < r.count; k++) {
        if (!is_tested(&r.variants[k])) continue;
        size_t others = 0;
        for (size_t b = 0; b < sizeof beginnings / sizeof *beginnings; b++) {
            float x[N];
            fill(x, beginnings[b]);
            others += others_alone(&r.variants[k], x);
        }
        if (others) print_error("%s: %zu elements differ alone\n", r.variants[k].id, others);
        wrong += others > 0;
        tested++;
    }
    registry_close(&r);
    assert_true(tested > 0);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_element_has_the_same_bits_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
