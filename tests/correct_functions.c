// SPDX-License-Identifier: MIT
#include "correct_functions.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "exact.h"
#include "oracle/consecutive.h"

const char *const correct_functions[] = {"exp",  "exp2", "expm1",   "log",  "log2", "log1p",
                                         "tanh", "erf",  "sigmoid", "silu", "gelu", "softplus",
                                         "sin",  "cos",  "rsqrt",   NULL};

static const double undecided_ulp = 0x1p-13;

/* Whether y is nearer to the middle between two floats than the oracle errs. */
static bool is_undecided(double y)
{
    double size = fabs(y);
    if (!(size > 0) || size > 0x1p128) return false;
    int exponent = ilogb(size);
    double ulps = ldexp(size, 23 - (exponent < -126 ? -126 : exponent));
    return fabs(ulps - floor(ulps) - 0.5) <= undecided_ulp;
}

static const struct certified *certified_of(const char *op)
{
    const struct certified *c = certified;
    while (strcmp(c->op, op) != 0) c++;
    return c;
}

static uint32_t bits_of(float a)
{
    uint32_t b;
    memcpy(&b, &a, sizeof b);
    return b;
}

/* Compares a kernel's results at x[0 .. n) with `want`. */
static void compare(const struct kernel *k, const char *name, const float *x, const float *want,
                    size_t n, struct correct_inputs *found)
{
    float y[CONSECUTIVE_ROW];
    const struct job j = {
        .rows = 1, .n = n, .x = x, .x_stride = n, .y = y, .y_stride = n, .scale = 1};
    k->run(&j);
    for (size_t i = 0; i < n; i++) {
        if (bits_of(y[i]) == bits_of(want[i])) continue;
        if (!found->wrong++)
            snprintf(found->first, sizeof found->first, "%s at %a: %a, not %a", name, (double)x[i],
                     (double)y[i], (double)want[i]);
    }
}

/* Looks at a row of consecutive floats. */
static void decide_row(const struct oracle *oracle, const struct certified *c, struct exact *m,
                       const struct correct_kernels *k, uint32_t row, struct correct_inputs *found)
{
    struct consecutive expansion;
    float x[CONSECUTIVE_ROW], want[CONSECUTIVE_ROW];
    double y[CONSECUTIVE_ROW];
    size_t n = 0;
    consecutive_inputs(row, x);
    consecutive_expand(oracle, row, &expansion);
    if (expansion.known) {
        consecutive_values(&expansion, y);
    } else {
        struct oracle_row facts;
        oracle->row(x, CONSECUTIVE_ROW, &parameters_default, y, &facts);
    }
    for (size_t i = 0; i < CONSECUTIVE_ROW; i++) {
        if (!is_undecided(y[i])) continue;
        const double wide = (double)x[i];
        x[n] = x[i]; /* n <= i */
        c->exact(m, &wide, 1, &f64_parameters_default);
        want[n++] = mpfr_get_flt(m->y[0], MPFR_RNDN);
    }
    found->inputs += CONSECUTIVE_ROW;
    found->undecided += n;
    for (size_t i = 0; i < k->count && n; i++) compare(k->items[i], k->names[i], x, want, n, found);
}

struct correct_inputs correct_decide(const struct registry *r, const char *op, size_t every)
{
    const struct oracle *oracle = oracle_find(op);
    const struct certified *c = certified_of(op);
    struct correct_kernels k = correct_kernels_of(r, op);
    struct correct_inputs all = {.kernels = k.count};
#pragma omp parallel
    {
        struct exact *m = exact_new(1, EXACT_BITS);
        struct correct_inputs found = {0};
#pragma omp for schedule(dynamic, 16)
        for (uint64_t row = 0; row < (1ull << 32) / CONSECUTIVE_ROW; row += every)
            decide_row(oracle, c, m, &k, (uint32_t)(row * CONSECUTIVE_ROW), &found);
        exact_free(m);
#pragma omp critical
        {
            if (!all.wrong) memcpy(all.first, found.first, sizeof all.first);
            all.inputs += found.inputs, all.undecided += found.undecided, all.wrong += found.wrong;
        }
    }
    return all;
}
