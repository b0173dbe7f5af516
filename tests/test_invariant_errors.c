// SPDX-License-Identifier: MIT
/* The errors of the invariant kernels' softmax, log_softmax and logsumexp in rows that other tests
 * do not have: rows of 2^24 elements, rows far from zero, rows with subnormal quotients. */
#include <float.h>

#include "filtered.h"
#include "test.h"
#include "model/registry.h"
#include "oracle/oracle.h"
#include "oracle/ulp.h"

/* ---- Errors of a huge row -------------------------------------------------------------------- */

enum { HUGE_ROW = 1 << 24 };

struct huge {
    float *x, *y, *scratch;
    double *exp; /* exp of each x */
    double total;
};

static struct huge huge_open(void)
{
    return (struct huge){
        .x = keep(malloc(sizeof(float) * HUGE_ROW)),
        .y = keep(malloc(sizeof(float) * HUGE_ROW)),
        .exp = keep(malloc(sizeof(double) * HUGE_ROW)),
        .scratch = keep(aligned_alloc(64, sizeof(float) * (2 * (size_t)HUGE_ROW + 256))),
    };
}

static void huge_fill(struct huge *h, enum family f)
{
    long double total = 0;
    inputs_row(f, oracle_find("softmax")->domain, 1, 0, HUGE_ROW, h->x);
    for (size_t i = 0; i < HUGE_ROW; i++) total += h->exp[i] = exp((double)h->x[i]);
    h->total = (double)total;
}

/* The largest relative error of a huge row's softmax, or of its logsumexp. */
static double relative_error(const struct variant *v, const struct huge *h)
{
    const struct job j = row_job(h->x, HUGE_ROW, h->y, h->scratch);
    double worst = 0;
    v->kernel->run(&j);
    if (!strcmp(v->op, "logsumexp")) return fabs(h->y[0] / log(h->total) - 1);
    for (size_t i = 0; i < HUGE_ROW; i++)
        worst = fmax(worst, fabs(h->y[i] * h->total / h->exp[i] - 1));
    return worst;
}

/* The sum of a huge row must not stagnate, nor its error grow with the length. */
TEST(test_huge_row)
{
    struct registry r = registry_or_skip(
        "op=softmax,logsumexp algorithm=invariant dtype=f32 isa=avx2,avx512 policy=off");
    struct huge h = huge_open();
    size_t asked = 0;
    for (int constant = 0; constant < 2; constant++) {
        huge_fill(&h, constant ? FAMILY_CONSTANT : FAMILY_NORMAL);
        for (size_t i = 0; i < r.count; i++) {
            const struct variant *v = &r.variants[i];
            double error = relative_error(v, &h);
            asked++;
            if (!(error < 1e-6)) fail_msg("%s: %g of the result", v->id, error);
        }
    }
    assert_true(enough(asked, 4)); /* 2 operations in AVX2, 2 rows */
}

/* Rows far from 0, up to where the maximum is subtracted first, and beyond: the rounding error of
 * the exponential's argument reduction grows with |x|, but must not show in the results. */
enum { FAR_N = 777 };
struct far_row {
    float x[FAR_N];
    long double most, total; /* most: the maximum; total: the sum of e^(x - most) */
};

/* The largest error in ulp of a variant's results. */
static double far_error(const struct variant *v, const struct far_row *row)
{
    const bool log = v->kernel->log_output;
    static float y[FAR_N];
    static _Alignas(64) float scratch[2 * FAR_N + 256];
    struct job j = row_job(row->x, FAR_N, y, scratch);
    j.log_output = log;
    long double log_total = logl(row->total);
    double worst = 0;
    v->kernel->run(&j);
    if (!strcmp(v->op, "logsumexp")) return fabs(ulp_error(y[0], (double)(row->most + log_total)));
    for (size_t i = 0; i < FAR_N; i++) {
        long double below = row->x[i] - row->most;
        long double want = log ? below - log_total : expl(below) / row->total;
        worst = fmax(worst, fabs(ulp_error(y[i], (double)want)));
    }
    return worst;
}

TEST(test_far_rows)
{
    static const float offsets[] = {0,     87,       -104,  1e3f, -1e4f, 3e4f,
                                    65e3f, -65.5e3f, 65536, 1e5f, -3e6f};
    static struct far_row row;
    struct registry r =
        registry_or_skip("op=softmax,log_softmax,logsumexp algorithm=invariant dtype=f32 "
                         "policy=off");
    size_t asked = 0;
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
        row.most = -INFINITY;
        row.total = 0;
        inputs_row(FAMILY_NORMAL, oracle_find("softmax")->domain, 1, k, FAR_N, row.x);
        for (size_t i = 0; i < FAR_N; i++) row.most = fmaxl(row.most, row.x[i] += offsets[k]);
        for (size_t i = 0; i < FAR_N; i++) row.total += expl(row.x[i] - row.most);
        for (size_t i = 0; i < r.count; i++) {
            const struct variant *v = &r.variants[i];
            bool sum = !strcmp(v->op, "logsumexp");
            double worst = far_error(v, &row), most = sum ? 1 : v->kernel->log_output ? 2 : 4;
            asked++;
            if (!(worst < most)) fail_msg("%s: %g ulp near %g", v->id, worst, (double)offsets[k]);
        }
    }
    assert_true(enough(asked, 6 * sizeof offsets / sizeof *offsets)); /* scalar, AVX2 */
}

/* If |y| is much larger than the errors of exponentials and sums, the rounding of y dominates. An
 * additional relative error, even a twentieth of u, then shows in rows whose logarithm is near the
 * middle of two floats. */
TEST(test_far_logarithms)
{
    enum { TRIES = 400, N = 20 };
    struct registry r = registry_or_skip("op=logsumexp algorithm=invariant dtype=f32 policy=off");
    static float x[TRIES * N], y[TRIES];
    static _Alignas(64) float scratch[2 * N + 256];
    size_t asked = 0;
    for (size_t i = 0; i < TRIES; i++) {
        inputs_row(FAMILY_NORMAL, oracle_find("logsumexp")->domain, 1, i, N, x + i * N);
        for (size_t k = 0; k < N; k++) x[i * N + k] += i % 2 ? 8200 : -8300;
    }
    for (size_t v = 0; v < r.count; v++) {
        struct job j = {.n = N, .x_stride = N, .y_stride = 1, .scale = 1, .scratch = scratch};
        for (size_t rows = 1; rows <= TRIES; rows += TRIES - 1) { /* single rows, all rows */
            for (size_t i = 0; i < TRIES; i += rows) {
                j.rows = rows, j.x = x + i * N, j.y = y + i;
                r.variants[v].kernel->run(&j);
            }
            for (size_t i = 0; i < TRIES; i++) {
                long double total = 0, first = x[i * N];
                for (size_t k = 0; k < N; k++) total += expl(x[i * N + k] - first);
                double error = fabs(ulp_error(y[i], (double)(first + logl(total))));
                if (!(error < 0.501)) fail_msg("%s: row %zu: %g ulp", r.variants[v].id, i, error);
                asked++;
            }
        }
    }
    assert_true(enough(asked, 4 * TRIES)); /* scalar, AVX2 */
}

/* A row whose numerators are not kept, with quotients down to the smallest subnormal and below it,
 * at an address where cache lines and blocks do not coincide. */
enum { LOW_N = (1 << 21) + 4099, LOW_EVERY = 61 };
TEST(test_low_quotients)
{
    struct registry r = registry_or_skip("op=softmax algorithm=invariant dtype=f32 policy=off");
    static float x[LOW_N], space[LOW_N + 16];
    static _Alignas(64) float scratch[2 * LOW_N + 256];
    float *y = space + 3;
    const struct job j = row_job(x, LOW_N, y, scratch);
    long double total = 0;
    size_t asked = 0, subnormal = 0;
    inputs_row(FAMILY_NORMAL, oracle_find("softmax")->domain, 1, 0, LOW_N, x);
    /* The first block has normal results only; later blocks also have smaller ones. */
    for (size_t i = 5000; i < LOW_N; i += LOW_EVERY)
        x[i] = i % 7 ? x[i] - (float)(i % 130) : -INFINITY;
    for (size_t i = 0; i < LOW_N; i++) total += expl(x[i]);
    for (size_t v = 0; v < r.count; v++) {
        r.variants[v].kernel->run(&j);
        for (size_t i = 0; i < LOW_N; i++) {
            double want = (double)(expl(x[i]) / total), error = fabs(ulp_error(y[i], want));
            if (!(error < 2.5)) fail_msg("%s: element %zu: %g ulp", r.variants[v].id, i, error);
            subnormal += y[i] > 0 && y[i] < FLT_MIN;
        }
        asked++;
    }
    assert_true(enough(asked, 2) && (subnormal > 100 || !asked));
}
