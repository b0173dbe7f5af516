// SPDX-License-Identifier: MIT
/* Kernels of doubles against MPFR, without the lab's oracle: each operation by its definition
 * (exact.c), on rows of every short length, of exponents far apart, of subnormal numbers,
 * and with NaNs and infinities. The rows end at a guard page. */
#include <float.h>

#include "base/random.h"
#include "exact.h"
#include "filtered.h"
#include "guard.h"
#include "test.h"
#include "model/dtype.h"
#include "oracle/inputs.h"
#include "oracle/oracle.h"

/* BITS: exact sums of doubles whose exponents are 2,100 apart. */
enum { BITS = 2300, N_MAX = 1000 };
static struct exact *rows, *elements; /* exact values: of rows, and of functions of one element */
static mpfr_t off;
static double gamma_f64[N_MAX], beta_f64[N_MAX];
static const double eps = (double)1e-5f;

/* Computes rows->y, with gamma and beta where the operation has them. */
static void exact_row(const char *op, const double *x, size_t n)
{
    struct f64_parameters p = f64_parameters_default;
    p.eps = eps;
    if (oracle_is_affine(oracle_find(op))) p.gamma = gamma_f64;
    if (oracle_has_beta(oracle_find(op))) p.beta = beta_f64;
    exact_find(op)->exact(rows, x, n, &p);
}

static const char *const unary[] = {"exp",   "exp2", "expm1", "log",  "log2",
                                    "log1p", "sin",  "cos",   "tanh", "erf"};
/* Operations of rows: kernels may be off by a multiple of n u times what results were computed
 * from. */
static const char *const operations[] = {"moments",   "layernorm",   "rmsnorm",
                                         "logsumexp", "log_softmax", "softmax"};

/* ---- Calls ----------------------------------------------------------------------------------- */

static struct guard guard_x, guard_y;

/* Runs a row that ends at a guard page; its results end at another. */
static const double *run_row(const struct variant *v, const double *x, size_t n, size_t columns)
{
    static double scratch[2 * N_MAX + 256];
    double *in = (double *)(void *)guard_place(&guard_x, 2 * n, true);
    double *out = (double *)(void *)guard_place(&guard_y, 2 * columns, true);
    memcpy(in, x, n * sizeof *in);
    const bool affine = !strcmp(v->op, "layernorm") || !strcmp(v->op, "rmsnorm");
    struct job job = row_job(in, n, out, scratch);
    job.y_stride = columns;
    job.log_output = v->kernel->log_output;
    job.gamma = affine ? (const void *)gamma_f64 : NULL;
    job.beta = !strcmp(v->op, "layernorm") ? (const void *)beta_f64 : NULL;
    v->kernel->run(&job);
    return out;
}

/* Returns |got - exact| in units in the last place of exact as double. */
static double error_of(double got, const mpfr_t exact)
{
    double rounded = mpfr_get_d(exact, MPFR_RNDN);
    if (!isfinite(rounded) || !isfinite(got))
        return got == rounded || (isnan(got) && isnan(rounded)) ? 0 : INFINITY;
    int exponent = rounded == 0 ? -1022 : ilogb(rounded);
    mpfr_d_sub(off, got, exact, MPFR_RNDN);
    mpfr_mul_2si(off, off, 52 - (exponent < -1022 ? -1022 : exponent), MPFR_RNDN);
    return fabs(mpfr_get_d(off, MPFR_RNDN));
}

/* Returns |got - exact| over what it may be: n u of what the result was computed from. */
static double share_of(double got, const mpfr_t exact, double size, size_t n)
{
    if (!isfinite(got)) return INFINITY;
    mpfr_d_sub(off, got, exact, MPFR_RNDN);
    return fabs(mpfr_get_d(off, MPFR_RNDN)) / ((double)(n + 16) * 0x1p-53 * size + 0x1p-1074);
}

static double largest_of(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* Returns what the result i of a row was computed from: the scale of its error. */
static double size_of(const char *op, const double *x, size_t n, size_t i)
{
    const double most = largest_of(x, n);
    if (!strcmp(op, "moments")) return i ? 4 * most * most : most;
    if (!strcmp(op, "layernorm")) return 8 * (most + 1) / sqrt(eps);
    if (!strcmp(op, "rmsnorm")) return 4 * fabs(mpfr_get_d(rows->y[i], MPFR_RNDN));
    if (!strcmp(op, "softmax")) return fabs(mpfr_get_d(rows->y[i], MPFR_RNDN)) * (most + 4);
    return most + 8;
}

static void check_row(const struct variant *v, const double *x, size_t n)
{
    const size_t columns = oracle_columns(v->op, n);
    const double *got = run_row(v, x, n, columns);
    for (size_t i = 0; i < columns; i++) {
        double share = share_of(got[i], rows->y[i], size_of(v->op, x, n, i), n);
        if (!(share <= 1))
            fail_msg("%s: n = %zu, result %zu: %a, want %a: %g of what it may be off by", v->id, n,
                     i, got[i], mpfr_get_d(rows->y[i], MPFR_RNDN), share);
    }
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static struct registry f64_registry;

static bool is_asked(const struct variant *v, const char *op)
{
    return v->status == STATUS_OK && v->kernel && !strcmp(v->op, op) && !v->kernel->hazard;
}

/* Rows of every short length and a long one. The lengths' rows share their exact values. */
TEST(test_rows)
{
    size_t checked = 0;
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        for (size_t n = 1; n <= N_MAX; n = n < 68 ? n + 1 : n < N_MAX ? N_MAX : n + 1) {
            double x[N_MAX];
            f64_inputs_row(FAMILY_NORMAL, DOMAIN_MOMENTS, 7, n, n, x);
            exact_row(operations[k], x, n);
            for (size_t i = 0; i < f64_registry.count; i++) {
                const struct variant *v = &f64_registry.variants[i];
                if (!is_asked(v, operations[k])) continue;
                check_row(v, x, n);
                checked++;
            }
        }
    assert_true(enough(checked, 1000));
}

/* Sums of exponents far apart: 1e300 and 1e-300 in one row; subnormal numbers alone. */
TEST(test_far_exponents)
{
    static const double far[] = {1e300, -1e300, 1e-300, 3, -5e-324, 0x1p-1022, 1e300, -2, 1e150},
                        tiny[] = {5e-324, 1e-323, -0x1p-1070, 0x1.8p-1060, -0.0, 5e-324, 0};
    const struct {
        const double *x;
        size_t n;
    } cases[] = {{far, sizeof far / sizeof *far}, {tiny, sizeof tiny / sizeof *tiny}};
    for (size_t r = 0; r < 2; r++) {
        exact_row("moments", cases[r].x, cases[r].n);
        for (size_t i = 0; i < f64_registry.count; i++) {
            const struct variant *v = &f64_registry.variants[i];
            if (!is_asked(v, "moments")) continue;
            const double *got = run_row(v, cases[r].x, cases[r].n, 2);
            double share =
                share_of(got[0], rows->y[0], largest_of(cases[r].x, cases[r].n), cases[r].n);
            if (!(share <= 1)) fail_msg("%s: row %zu: mean %a: %g", v->id, r, got[0], share);
        }
    }
}

/* A NaN makes all NaN; -inf is a weight of 0; a constant row has weights of 1 / n. */
TEST(test_special_rows)
{
    double x[9] = {0, 1, NAN, 2, 3, 4, 5, 6, 7}, masked[9];
    for (size_t i = 0; i < 9; i++) masked[i] = i % 2 ? -INFINITY : 710;
    for (size_t i = 0; i < f64_registry.count; i++) {
        const struct variant *v = &f64_registry.variants[i];
        if (v->status != STATUS_OK || !v->kernel) continue;
        for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
            if (strcmp(v->op, operations[k]) != 0) continue;
            const double *got = run_row(v, x, 9, oracle_columns(v->op, 9));
            for (size_t c2 = 0; c2 < oracle_columns(v->op, 9); c2++)
                if (!isnan(got[c2])) fail_msg("%s: a NaN gives %a", v->id, got[c2]);
        }
        if (!strcmp(v->op, "softmax")) {
            const double *got = run_row(v, masked, 9, 9);
            for (size_t k = 0; k < 9; k++)
                if (fabs(got[k] - (k % 2 ? 0 : 0.2)) > 0x1p-53)
                    fail_msg("%s: element %zu of a masked row: %a", v->id, k, got[k]);
        }
        if (!strcmp(v->op, "logsumexp")) {
            const double got = *run_row(v, masked, 9, 1);
            if (fabs(got - 711.6094379124341) > 0x1p-42) fail_msg("%s: %a", v->id, got);
        }
    }
}

/* The functions of one element keep what their rows promise, subnormal results included, and the
 * special values of include/kernel.h. */
TEST(test_functions)
{
    enum { COUNT = 997 };
    static double x[COUNT];
    const mpfr_t *exact = elements->y;
    size_t checked = 0;
    for (size_t k = 0; k < sizeof unary / sizeof *unary; k++) {
        static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN,   1,         -1,
                                         2,   0.5,  5e-324,   -5e-324,   1e300, 0x1p-1022, -745};
        const struct oracle *o = oracle_find(unary[k]);
        f64_inputs_row(FAMILY_LOGITS, o->domain, 3, k, COUNT / 3, x);
        f64_inputs_row(FAMILY_TINY, o->domain, 3, k, COUNT / 3, x + COUNT / 3);
        f64_inputs_row(FAMILY_WIDE, o->domain, 3, k, COUNT - 2 * (COUNT / 3), x + 2 * (COUNT / 3));
        memcpy(x, special, sizeof special);
        exact_find(unary[k])->exact(elements, x, COUNT, &f64_parameters_default);
        for (size_t i = 0; i < f64_registry.count; i++) {
            const struct variant *v = &f64_registry.variants[i];
            if (!is_asked(v, unary[k])) continue;
            const double *got = run_row(v, x, COUNT, COUNT);
            for (size_t e = 0; e < COUNT; e++)
                if (!(error_of(got[e], exact[e]) <= v->kernel->promise.ulp_off))
                    fail_msg("%s(%a): %a, want %a: %g ulp, promised %g", v->id, x[e], got[e],
                             mpfr_get_d(exact[e], MPFR_RNDN), error_of(got[e], exact[e]),
                             v->kernel->promise.ulp_off);
            checked++;
        }
    }
    assert_true(enough(checked, 20));
}

/* ---- One bit pattern ------------------------------------------------------------------------- */

/* The sums of simd/invariant/rows_f64.h: element i of a chunk of 1024 is in lane i % 32; the lanes
 * are added by halves to 8, those to the row's 8, and these by halves at its end. */
struct plain_sums {
    double sum, squares;
};
static double by_halves(double *lanes, size_t from, size_t to)
{
    for (size_t half = from / 2; half >= to; half /= 2)
        for (size_t l = 0; l < half; l++) lanes[l] += lanes[l + half];
    return lanes[0];
}
static struct plain_sums sums_plain(const double *x, size_t n, double shift)
{
    double wide[2][8] = {{0}};
    for (size_t from = 0; from < n; from += 1024) {
        double lanes[2][32] = {{0}};
        for (size_t i = from; i < n && i < from + 1024; i++) {
            const double d = x[i] - shift;
            lanes[0][i % 32] += d;
            lanes[1][i % 32] = fma(d, d, lanes[1][i % 32]);
        }
        for (size_t k = 0; k < 2; k++) {
            by_halves(lanes[k], 32, 8);
            for (size_t l = 0; l < 8; l++) wide[k][l] += lanes[k][l];
        }
    }
    return (struct plain_sums){by_halves(wide[0], 8, 1), by_halves(wide[1], 8, 1)};
}

static double one_nan(double a)
{
    return isnan(a) ? NAN : a;
}

/* y: the results of a row, and behind them its statistics. */
static void moments_plain(const double *x, size_t n, const double *gamma, const double *beta,
                          double *y)
{
    (void)gamma, (void)beta;
    const double mean = sums_plain(x, n, 0).sum / (double)n;
    const struct plain_sums s = sums_plain(x, n, mean);
    const double squares = s.squares - s.sum / (double)n * s.sum;
    y[0] = one_nan(mean);
    y[1] = one_nan((squares < 0 ? 0 : squares) / (double)n);
}
static void layernorm_plain(const double *x, size_t n, const double *gamma, const double *beta,
                            double *y)
{
    double m[2];
    moments_plain(x, n, NULL, NULL, m);
    const double rstd = one_nan(1 / sqrt(m[1] + eps)),
                 rest = sums_plain(x, n, m[0]).sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double t = fma(x[i] - m[0], rstd, -rest * rstd);
        y[i] = !isfinite(m[0]) || !isfinite(rstd) ? NAN
               : beta                             ? fma(t, gamma ? gamma[i] : 1, beta[i])
                                                  : t * (gamma ? gamma[i] : 1);
    }
    y[n] = m[0];
    y[n + 1] = rstd;
}
static void rmsnorm_plain(const double *x, size_t n, const double *gamma, const double *beta,
                          double *y)
{
    (void)beta;
    y[n] = one_nan(1 / sqrt(sums_plain(x, n, 0).squares / (double)n + eps));
    for (size_t i = 0; i < n; i++) y[i] = one_nan(x[i] * y[n] * (gamma ? gamma[i] : 1));
}

static const struct plain {
    const char *op;
    void (*run)(const double *x, size_t n, const double *gamma, const double *beta, double *y);
    size_t stats;
} plain[] = {{"moments", moments_plain, 0},
             {"layernorm", layernorm_plain, 2},
             {"rmsnorm", rmsnorm_plain, 1}};

enum { LONG_ROW = 5000 };

/* Compares a kernel's results with the plain loops' bits, with gamma and beta, each alone, and
 * without. */
static void check_bits(const struct variant *v, const struct plain *p, const double *x, size_t n)
{
    static double want[LONG_ROW + 2], got[LONG_ROW + 2], gamma[LONG_ROW], beta[LONG_ROW];
    const size_t columns = oracle_columns(v->op, n);
    f64_inputs_affine(n, gamma, beta);
    for (unsigned with = 0; with < 4; with++) {
        const double *g = with & 1 ? gamma : NULL, *b = with & 2 ? beta : NULL;
        memset(got, 0x55, sizeof got);
        p->run(x, n, g, b, want);
        struct job job = row_job(x, n, got, NULL);
        job.gamma = (const void *)g;
        job.beta = (const void *)b;
        job.stats = p->stats ? (void *)(got + columns) : NULL;
        v->kernel->run(&job);
        for (size_t i = 0; i < columns + p->stats; i++)
            if (memcmp(&got[i], &want[i], sizeof *got))
                fail_msg("%s: n = %zu, result %zu: %a, want %a", v->id, n, i, got[i], want[i]);
    }
}

/* `invariant` has the bits of plain loops on every ISA, by every compiler, under every policy. */
TEST(test_one_bit_pattern)
{
    static const enum family families[] = {FAMILY_NORMAL, FAMILY_OFFSET,   FAMILY_WIDE,
                                           FAMILY_HUGE,   FAMILY_CONSTANT, FAMILY_TINY};
    static double x[LONG_ROW];
    struct registry r = registry_or_skip("dtype=f64 algorithm=invariant");
    size_t compared = 0;
    for (size_t n = 0; n <= LONG_ROW; n = n < 70     ? n + 1
                                          : n < 1000 ? 1023
                                          : n < 1060 ? n + 9
                                                     : n + 1313)
        for (size_t f = 0; f < sizeof families / sizeof *families + 3; f++) {
            const size_t special = f - sizeof families / sizeof *families;
            const enum family family = special < 3 ? FAMILY_NORMAL : families[f];
            f64_inputs_row(family, DOMAIN_MOMENTS, 11, n + f, n, x);
            if (special < 3 && n) x[n / 2] = special ? -INFINITY : -NAN;
            if (special == 2 && n) x[n - 1] = NAN, x[0] = INFINITY;
            for (size_t i = 0; i < r.count; i++) {
                const struct variant *v = &r.variants[i];
                for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
                    if (v->status == STATUS_OK && !strcmp(v->op, plain[k].op))
                        check_bits(v, &plain[k], x, n), compared++;
            }
        }
    assert_true(enough(compared, 1000));
}

static int set_up(void **state)
{
    (void)state;
    rows = exact_new(N_MAX, BITS);
    elements = exact_new(N_MAX, EXACT_BITS_UNARY);
    mpfr_init2(off, BITS);
    f64_inputs_affine(N_MAX, gamma_f64, beta_f64);
    guard_x = guard_open(2 * N_MAX);
    guard_y = guard_open(2 * (N_MAX + 2));
    if (filtered_registry(&f64_registry, "dtype=f64 policy=off")) f64_registry.count = 0;
    return 0;
}

TEST_GROUP(set_up, NULL)
