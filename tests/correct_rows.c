// SPDX-License-Identifier: MIT
#include "correct_rows.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "base/random.h"
#include "oracle/inputs.h"

const char *const correct_operations[] = {"softmax",   "log_softmax",    "logsumexp", "moments",
                                          "layernorm", "layernorm_bare", "rmsnorm",   NULL};

static bool is_op(const char *op, const char *name)
{
    return strcmp(op, name) == 0;
}
static bool has_exponentials(const char *op)
{
    return strstr(op, "softmax") || is_op(op, "logsumexp");
}
size_t correct_columns(const char *op, size_t n)
{
    return is_op(op, "logsumexp") ? 1 : is_op(op, "moments") ? 2 : n;
}
size_t correct_stats(const char *op)
{
    return strstr(op, "layernorm") ? 2 : is_op(op, "rmsnorm") ? 1 : 0;
}

struct correct_kernels correct_kernels_of(const struct registry *r, const char *op)
{
    struct correct_kernels k = {.count = 0};
    const struct variant *kept[CORRECT_KERNELS_MAX];
    for (size_t i = 0; i < r->count && k.count < CORRECT_KERNELS_MAX; i++) {
        const struct variant *v = &r->variants[i];
        if (!is_op(v->op, op) || v->status != STATUS_OK) continue;
        kept[k.count] = v;
        if (first_of_same_code(kept, k.count) < k.count) continue;
        k.items[k.count] = v->kernel;
        k.names[k.count++] = v->id;
    }
    return k;
}

/* ---- The naive program: exponentials --------------------------------------------------------- */

/* Rows whose maximum is finite, without NaN. With p bits, everything is off by less than 2^(40 - p)
 * of its size; the precision is doubled until both ends of that round to one float. */
struct exponentials {
    mpfr_t d, e, others, sum, y, error, bound;
};
static void exponentials_set(struct exponentials *m, const float *x, size_t n, float max)
{
    bool skipped = false;
    mpfr_set_zero(m->others, 1);
    for (size_t i = 0; i < n; i++) {
        if (x[i] == max && !skipped) {
            skipped = true;
            continue;
        }
        mpfr_set_flt(m->d, x[i], MPFR_RNDN);
        mpfr_sub_d(m->d, m->d, (double)max, MPFR_RNDN);
        mpfr_exp(m->e, m->d, MPFR_RNDN);
        if (isfinite(x[i]) && mpfr_zero_p(m->e)) mpfr_set_ui_2exp(m->e, 1, -5000, MPFR_RNDN);
        mpfr_add(m->others, m->others, m->e, MPFR_RNDN);
    }
    mpfr_add_ui(m->sum, m->others, 1, MPFR_RNDN);
}
/* Sets y and its error for element x; logsumexp: none. */
static void exponentials_result(struct exponentials *m, const char *op, float x, float max,
                                mpfr_prec_t p)
{
    mpfr_set_flt(m->d, x, MPFR_RNDN);
    mpfr_sub_d(m->d, m->d, (double)max, MPFR_RNDN);
    if (is_op(op, "softmax")) {
        mpfr_exp(m->e, m->d, MPFR_RNDN);
        mpfr_div(m->y, m->e, m->sum, MPFR_RNDN);
        mpfr_abs(m->error, m->y, MPFR_RNDN);
    } else {
        mpfr_log1p(m->e, m->others, MPFR_RNDN);
        /* Beside a float or a midpoint, one so small shows by its sign alone. */
        if (mpfr_sgn(m->e) && mpfr_get_exp(m->e) < -1000)
            mpfr_set_ui_2exp(m->e, 1, -1000, MPFR_RNDN);
        mpfr_abs(m->error, m->e, MPFR_RNDN);
        if (is_op(op, "logsumexp")) {
            mpfr_add_d(m->y, m->e, (double)max, MPFR_RNDN);
            mpfr_add_d(m->error, m->error, fabs((double)max), MPFR_RNDN);
        } else {
            mpfr_sub(m->y, m->d, m->e, MPFR_RNDN);
            mpfr_abs(m->bound, m->d, MPFR_RNDN);
            mpfr_add(m->error, m->error, m->bound, MPFR_RNDN);
        }
    }
    mpfr_mul_2si(m->error, m->error, 40 - (long)p, MPFR_RNDU);
}
static float exponentials_rounded(struct exponentials *m, const char *op, const float *x, size_t n,
                                  float at, float max, mpfr_prec_t *p)
{
    for (;; *p *= 2) {
        float ends[2];
        if (mpfr_get_prec(m->sum) != *p) {
            mpfr_set_prec(m->d, 400);
            mpfr_set_prec(m->e, *p);
            mpfr_set_prec(m->others, *p);
            mpfr_set_prec(m->sum, *p);
            mpfr_set_prec(m->y, *p);
            exponentials_set(m, x, n, max);
        }
        exponentials_result(m, op, at, max, *p);
        mpfr_sub(m->bound, m->y, m->error, MPFR_RNDD);
        ends[0] = mpfr_get_flt(m->bound, MPFR_RNDN);
        mpfr_add(m->bound, m->y, m->error, MPFR_RNDU);
        ends[1] = mpfr_get_flt(m->bound, MPFR_RNDN);
        if (mpfr_zero_p(m->error)) return ends[1] == 0 ? 0.0f : ends[1];
        if (memcmp(&ends[0], &ends[1], sizeof ends[0]) == 0) return ends[0];
    }
}
static void exponentials_row(const char *op, const float *x, size_t n, float *y)
{
    float max = -INFINITY;
    bool nan = false, lse = is_op(op, "logsumexp");
    for (size_t i = 0; i < n; i++) {
        nan = nan || isnan(x[i]);
        max = fmaxf(max, x[i]);
    }
    if (nan || isinf(max)) {
        for (size_t i = 0; i < correct_columns(op, n); i++) y[i] = lse && !nan ? max : NAN;
        return;
    }
    struct exponentials m;
    mpfr_prec_t p = 160;
    mpfr_inits2(64, m.d, m.e, m.others, m.sum, m.y, m.error, (mpfr_ptr)NULL);
    mpfr_init2(m.bound, 4096);
    for (size_t i = 0; i < correct_columns(op, n); i++) {
        if (!lse && isinf(x[i]))
            y[i] = is_op(op, "softmax") ? 0.0f : -INFINITY;
        else
            y[i] = exponentials_rounded(&m, op, x, n, lse ? max : x[i], max, &p);
    }
    mpfr_clears(m.d, m.e, m.others, m.sum, m.y, m.error, m.bound, (mpfr_ptr)NULL);
}

/* ---- The naive program: moments -------------------------------------------------------------- */

/* Sums, products and differences are exact in so many bits; a root or a quotient is exact where it
 * has so few digits, as every tie has, and else is no nearer to one. */
enum { MOMENT_BITS = 4000 };
struct moments_exact {
    mpfr_t sum, squares, w, root, a, b;
};
static float rounded(const mpfr_t a)
{
    float y = mpfr_get_flt(a, MPFR_RNDN);
    return mpfr_zero_p(a) ? 0.0f : y;
}
/* w = n^2 (variance + eps), or n^2 (mean of squares + eps): a square if rstd is rational. */
static void moments_set(struct moments_exact *m, const float *x, size_t n, float eps, bool centred)
{
    mpfr_set_zero(m->sum, 1);
    mpfr_set_zero(m->squares, 1);
    for (size_t i = 0; i < n; i++) {
        mpfr_add_d(m->sum, m->sum, (double)x[i], MPFR_RNDN);
        mpfr_add_d(m->squares, m->squares, (double)x[i] * (double)x[i], MPFR_RNDN);
    }
    mpfr_mul_ui(m->w, m->squares, n, MPFR_RNDN);
    if (centred) {
        mpfr_sqr(m->a, m->sum, MPFR_RNDN);
        mpfr_sub(m->w, m->w, m->a, MPFR_RNDN);
    }
    mpfr_set_flt(m->a, eps, MPFR_RNDN);
    mpfr_mul_ui(m->a, m->a, n, MPFR_RNDN);
    mpfr_mul_ui(m->a, m->a, n, MPFR_RNDN);
    mpfr_add(m->w, m->w, m->a, MPFR_RNDN);
    if (mpfr_sgn(m->w) >= 0) mpfr_sqrt(m->root, m->w, MPFR_RNDN);
}
static float product_zero(float a, float b)
{
    return signbit(a) == signbit(b) ? 0.0f : -0.0f;
}
/* The limit where something is not finite, or rstd is 0, infinite or NaN. */
static float affine_limit(double deviation, double rstd, double gamma, double beta)
{
    float y = (float)(deviation * rstd * gamma + beta);
    return isnan(y) ? NAN : y;
}
static float affine_result(struct moments_exact *m, size_t n, float x, float gamma, float beta,
                           bool centred, bool ordinary, float rstd)
{
    mpfr_set_flt(m->a, x, MPFR_RNDN);
    mpfr_mul_ui(m->a, m->a, n, MPFR_RNDN);
    if (centred) mpfr_sub(m->a, m->a, m->sum, MPFR_RNDN);
    if (!ordinary || !isfinite(gamma) || !isfinite(beta)) {
        int sign = mpfr_sgn(m->a);
        double deviation = centred ? sign : (double)x;
        return affine_limit(deviation, ordinary ? 1 : (double)rstd, (double)gamma, (double)beta);
    }
    if (!centred && (x == 0 || gamma == 0)) return product_zero(x, gamma);
    mpfr_set_flt(m->b, gamma, MPFR_RNDN);
    mpfr_mul(m->a, m->a, m->b, MPFR_RNDN);
    mpfr_div(m->a, m->a, m->root, MPFR_RNDN);
    mpfr_set_flt(m->b, beta, MPFR_RNDN);
    mpfr_add(m->a, m->a, m->b, MPFR_RNDN);
    return rounded(m->a);
}
static void norm_row(struct moments_exact *m, const struct job *j, const float *x, bool centred,
                     float *y, float *stats)
{
    bool ordinary = isfinite(j->eps) && mpfr_sgn(m->w) > 0;
    float rstd;
    if (!isfinite(j->eps)) {
        rstd = j->eps > 0 ? 0.0f : NAN;
    } else if (!ordinary) {
        rstd = mpfr_sgn(m->w) ? NAN : INFINITY;
    } else {
        mpfr_ui_div(m->a, j->n, m->root, MPFR_RNDN);
        rstd = rounded(m->a);
    }
    if (centred) {
        mpfr_div_ui(m->a, m->sum, j->n, MPFR_RNDN);
        stats[0] = rounded(m->a);
    }
    stats[centred] = rstd;
    for (size_t i = 0; i < j->n; i++)
        y[i] = affine_result(m, j->n, x[i], j->gamma ? j->gamma[i] : 1,
                             centred && j->beta ? j->beta[i] : 0, centred, ordinary, rstd);
}
static void special_moments(const char *op, const struct job *j, const float *x, float *y,
                            float *stats)
{
    double sum = j->n ? 0 : (double)NAN;
    for (size_t i = 0; i < j->n; i++) sum += isfinite(x[i]) ? 0 : (double)x[i];
    float mean = isnan(sum) ? NAN : (float)sum;
    bool rms = is_op(op, "rmsnorm"), nan = !j->n;
    for (size_t i = 0; i < j->n; i++) nan = nan || isnan(x[i]);
    float rstd = rms && !nan && !isnan(j->eps) ? 0 : NAN;
    if (is_op(op, "moments")) {
        y[0] = mean;
        y[1] = NAN;
        return;
    }
    if (!rms) stats[0] = mean;
    stats[!rms] = rstd;
    for (size_t i = 0; i < j->n; i++)
        y[i] = affine_limit((double)x[i], (double)rstd, j->gamma ? (double)j->gamma[i] : 1, 0);
    for (size_t i = 0; i < j->n && rms; i++)
        if (y[i] == 0) y[i] = product_zero(x[i], j->gamma ? j->gamma[i] : 1);
}
static void moments_row(const char *op, const struct job *j, const float *x, float *y, float *stats)
{
    bool finite = j->n > 0, centred = !is_op(op, "rmsnorm");
    for (size_t i = 0; i < j->n; i++) finite = finite && isfinite(x[i]);
    if (!finite) {
        special_moments(op, j, x, y, stats);
        return;
    }
    struct moments_exact m;
    mpfr_inits2(MOMENT_BITS, m.sum, m.squares, m.w, m.root, m.a, m.b, (mpfr_ptr)NULL);
    moments_set(&m, x, j->n, is_op(op, "moments") || !isfinite(j->eps) ? 0 : j->eps, centred);
    if (is_op(op, "moments")) {
        mpfr_div_ui(m.a, m.sum, j->n, MPFR_RNDN);
        y[0] = rounded(m.a);
        mpfr_set_ui(m.b, j->n, MPFR_RNDN);
        mpfr_sqr(m.b, m.b, MPFR_RNDN);
        mpfr_div(m.a, m.w, m.b, MPFR_RNDN);
        y[1] = rounded(m.a);
    } else {
        norm_row(&m, j, x, centred, y, stats);
    }
    mpfr_clears(m.sum, m.squares, m.w, m.root, m.a, m.b, (mpfr_ptr)NULL);
}

void correct_row(const char *op, const struct job *j, const float *x, float *y, float *stats)
{
    if (has_exponentials(op))
        exponentials_row(op, x, j->n, y);
    else
        moments_row(op, j, x, y, stats);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static uint64_t state_of(uint64_t row, size_t n)
{
    return row * 0xd1342543de82ef95u + n * 0x2545f4914f6cdd1du;
}
static float step_of(uint64_t *state, int bits) /* an integer of so many bits, with sign */
{
    return (float)((int64_t)random_below(state, (size_t)2 << bits) - ((int64_t)1 << bits));
}

/* Sums of which one bit decides a tie, with one element that is too small for doubles to show. */
static void fill_ties(uint64_t row, size_t n, float *x)
{
    uint64_t state = state_of(row, n);
    for (size_t i = 0; i < n; i++) x[i] = 1 + 0x1p-23f * (float)random_below(&state, 16);
}
static void fill_near_ties(uint64_t row, size_t n, float *x)
{
    uint64_t state = state_of(row, n);
    fill_ties(row, n, x);
    if (n > 1)
        x[random_below(&state, n)] = ldexpf(row % 2 ? 1 : -1, -40 - (int)random_below(&state, 109));
}
static void fill_integers(uint64_t row, size_t n, float *x)
{
    uint64_t state = state_of(row, n);
    int bits = 1 + (int)(row % 8);
    for (size_t i = 0; i < n; i++) x[i] = step_of(&state, bits);
}
/* One magnitude, both signs: the variance is a square, and rstd rational. */
static void fill_signs(uint64_t row, size_t n, float *x)
{
    float size = (float[]){1, 3, 0.75f, 0x1p-60f, 0x1.8p70f, 0x1.000002p0f}[row % 6];
    for (size_t i = 0; i < n; i++) x[i] = (i ^ row / 6) % 2 ? size : -size;
}
static void fill_zeros(uint64_t row, size_t n, float *x)
{
    for (size_t i = 0; i < n; i++) x[i] = (i + row) % 3 ? 0.0f : -0.0f;
    if (row % 4 == 1 && n > 1) x[row % n] = (row & 4) ? 0x1p-149f : -0x1p-149f;
    if (row % 4 == 3) /* a tie of zero and the least float, of either sign */
        for (size_t i = 0; i < n; i++) x[i] = i % 2 ? 0.0f : row % 8 == 3 ? -0x1p-149f : 0x1p-149f;
    if (row % 4 == 2) /* cancels */
        for (size_t i = 0; i + 1 < n; i += 2) x[i + 1] = -(x[i] = (float)(i + row));
}
static void fill_limits(uint64_t row, size_t n, float *x)
{
    static const float at[] = {FLT_MAX,         -FLT_MAX,  0x1p-149f, -0x1p-149f, 0x1p-126f,
                               0x1.fffffep126f, 1,         -88.5f,    -103.9f,    104.5f,
                               0x1p64f,         -0x1p100f, 0,         -INFINITY};
    uint64_t state = state_of(row, n);
    size_t values = row % 3 ? 13 : 14;
    for (size_t i = 0; i < n; i++) x[i] = at[random_below(&state, values)];
}
/* Few values that differ, by an ulp, and everything between. */
static void fill_close(uint64_t row, size_t n, float *x)
{
    uint64_t state = state_of(row, n);
    float base =
        ldexpf(1 + (float)random_below(&state, 1 << 20) * 0x1p-20f, (int)(row % 200) - 100);
    for (size_t i = 0; i < n; i++)
        x[i] = base * (1 + 0x1p-23f * (float)random_below(&state, (size_t)1 << row % 20));
}
static void fill_tiny_mixed(uint64_t row, size_t n, float *x)
{
    uint64_t state = state_of(row, n);
    for (size_t i = 0; i < n; i++)
        x[i] = ldexpf(step_of(&state, 20), -149 + (int)random_below(&state, 1 + row % 160));
}

/* Greedily: the first result of softmax, or of the logarithms, comes nearer to a midpoint by some
 * 20 bits with each element. Between elements 1 and n - 1, `others` is what their exponentials
 * still have to add to. */
static void fill_greedy(const char *op, uint64_t row, size_t n, float *x)
{
    uint64_t state = state_of(row, n);
    mpfr_t others, e;
    mpfr_inits2(4096, others, e, (mpfr_ptr)NULL);
    float first = row % 4 ? step_of(&state, 20) * 0x1p-18f : 0.0f,
          share = 0.05f + 0.4f * (float)random_unit(&state);
    x[0] = first;
    uint32_t bits;
    /* The midpoint above a float near the result. */
    float near = is_op(op, "softmax")     ? share
                 : is_op(op, "logsumexp") ? first - logf(share)
                                          : logf(share);
    memcpy(&bits, &near, sizeof bits);
    bits++;
    float next;
    memcpy(&next, &bits, sizeof next);
    mpfr_set_d(others, ((double)near + (double)next) / 2, MPFR_RNDN);
    /* What S must be: e^x / y, e^(x - y) or e^y. */
    mpfr_set_flt(e, first, MPFR_RNDN);
    if (is_op(op, "softmax")) {
        mpfr_exp(e, e, MPFR_RNDN);
        mpfr_div(others, e, others, MPFR_RNDN);
    } else {
        if (!is_op(op, "logsumexp")) mpfr_sub(others, e, others, MPFR_RNDN);
        mpfr_exp(others, others, MPFR_RNDN);
        mpfr_exp(e, e, MPFR_RNDN);
    }
    for (size_t i = 1; i < n; i++) {
        mpfr_sub(others, others, e, MPFR_RNDN);
        mpfr_log(e, others, MPFR_RNDN);
        x[i] = mpfr_get_flt(e, row % 8 == 7 && i == n - 1 ? MPFR_RNDU : MPFR_RNDD);
        mpfr_set_flt(e, x[i], MPFR_RNDN);
        mpfr_exp(e, e, MPFR_RNDN);
    }
    mpfr_clears(others, e, (mpfr_ptr)NULL);
}
/* Greedy rows are of 2 to 32 elements; where n is larger, the rest is masked. */
static void fill_greedy_row(const char *op, uint64_t row, size_t n, float *x)
{
    size_t part = 2 + row % 31;
    if (part > n) part = n;
    if (!has_exponentials(op)) op = "softmax";
    for (size_t i = part; i < n; i++) x[i] = -INFINITY;
    if (part) fill_greedy(op, row, part, x);
}

static const struct {
    const char *name;
    void (*fill)(uint64_t row, size_t n, float *x);
} more[] = {
    {"greedy", NULL},
    {"ties", fill_ties},
    {"near-ties", fill_near_ties},
    {"integers", fill_integers},
    {"signs", fill_signs},
    {"zeros", fill_zeros},
    {"limits", fill_limits},
    {"close", fill_close},
    {"tiny-mixed", fill_tiny_mixed},
};
size_t correct_kinds(void)
{
    return FAMILY_COUNT + sizeof more / sizeof *more;
}
const char *correct_kind_name(size_t kind)
{
    return kind < FAMILY_COUNT ? family_name((enum family)kind) : more[kind - FAMILY_COUNT].name;
}
void correct_fill(const char *op, size_t kind, uint64_t row, size_t n, float *x)
{
    enum domain domain = has_exponentials(op) ? DOMAIN_EXPONENT : DOMAIN_MOMENTS;
    if (kind < FAMILY_COUNT)
        inputs_row((enum family)kind, domain, 1, row, n, x);
    else if (more[kind - FAMILY_COUNT].fill)
        more[kind - FAMILY_COUNT].fill(row, n, x);
    else
        fill_greedy_row(op, row, n, x);
}
float correct_parameters(size_t kind, uint64_t row, size_t n, float *gamma, float *beta)
{
    static const float eps[] = {1e-5f, 0, 1e-12f, 0x1p-149f, 1, 1e30f};
    uint64_t state = state_of(row + 1, n);
    inputs_affine(n, gamma, beta);
    if (kind < FAMILY_COUNT) return row % 2 ? 1e-5f : eps[row / 2 % 6];
    for (size_t i = 0; i < n && row % 3 == 1; i++) { /* gamma / rstd + beta is often a tie */
        gamma[i] = step_of(&state, 3);
        beta[i] = ldexpf(step_of(&state, 2), -24);
    }
    if (row % 16 == 5 && n) gamma[row % n] = INFINITY;
    if (row % 16 == 7 && n) beta[row / 16 % n] = row % 32 == 7 ? -INFINITY : NAN;
    if (row % 16 == 9) return (float[]){INFINITY, NAN, -1, -0x1p-149f}[row / 16 % 4];
    return eps[row % 6];
}

/* ---- Comparing ------------------------------------------------------------------------------- */

enum { BATCH = 4 };

/* Room for a batch of rows of n elements, each behind the other. */
struct room {
    float *x, *gamma, *beta, *scratch, *got, *want, *got_stats, *want_stats;
};
static float *floats(size_t count)
{
    float *p = aligned_alloc(64, (count * sizeof *p + 127) / 64 * 64);
    if (!p) abort();
    memset(p, 0xff, count * sizeof *p);
    return p;
}
static struct room room_open(size_t n)
{
    return (struct room){floats(BATCH * n),
                         floats(n),
                         floats(n),
                         floats(2 * n + 256),
                         floats(BATCH * n + 8),
                         floats(BATCH * n + 8),
                         floats(2 * BATCH),
                         floats(2 * BATCH)};
}
static void room_close(struct room *r)
{
    float *all[] = {r->x,   r->gamma, r->beta,      r->scratch,
                    r->got, r->want,  r->got_stats, r->want_stats};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static size_t wrong_results(struct correct_count *c, const char *text, const float *x, size_t n,
                            const float *got, const float *want, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        if (memcmp(got + i, want + i, sizeof *got) == 0) continue;
        if (!wrong++ && !c->first[0])
            snprintf(c->first, sizeof c->first, "%s: result %zu of %zu: %a for %a (x = %a, %a ..)",
                     text, i, n, (double)got[i], (double)want[i], (double)x[i < n ? i : 0],
                     (double)x[n - 1]);
    }
    return wrong;
}

/* Compares a batch, whose rows share gamma, beta and eps. */
static void compare_batch(struct correct_count *c, const char *op,
                          const struct kernel *const *kernels, const char *const *names,
                          size_t count, size_t kind, uint64_t first, size_t n)
{
    struct room r = room_open(n);
    size_t columns = correct_columns(op, n), stats = correct_stats(op);
    struct job j = {.rows = BATCH,
                    .n = n,
                    .x = r.x,
                    .x_stride = n,
                    .y = r.got,
                    .y_stride = columns,
                    .scale = 1,
                    .log_output = is_op(op, "log_softmax"),
                    .scratch = r.scratch,
                    .caches = {32 << 10, 512 << 10, 16 << 20}};
    j.eps = correct_parameters(kind, first, n, r.gamma, r.beta);
    if (!strstr(op, "_bare") && first % 5 != 4) {
        j.gamma = first % 5 == 3 ? NULL : r.gamma;
        if (!is_op(op, "rmsnorm")) j.beta = first % 5 == 2 ? NULL : r.beta;
    }
    j.stats = stats ? r.got_stats : NULL;
    for (size_t k = 0; k < BATCH; k++) {
        correct_fill(op, kind, first * BATCH + k, n, r.x + k * n);
        correct_row(op, &j, r.x + k * n, r.want + k * columns, r.want_stats + k * stats);
    }
    for (size_t v = 0; v < count; v++) {
        char text[160];
        kernels[v]->run(&j);
        for (size_t k = 0; k < BATCH; k++) {
            snprintf(text, sizeof text, "%s %s, row %zu", names[v], correct_kind_name(kind),
                     (size_t)first * BATCH + k);
            c->wrong += wrong_results(c, text, r.x + k * n, n, r.got + k * columns,
                                      r.want + k * columns, columns);
            c->wrong += wrong_results(c, text, r.x + k * n, n, r.got_stats + k * stats,
                                      r.want_stats + k * stats, stats);
        }
    }
    c->rows += BATCH;
    c->results += BATCH * (columns + stats);
    room_close(&r);
}

struct correct_count correct_compare(const char *op, const struct kernel *const *kernels,
                                     const char *const *names, size_t count, size_t kind,
                                     size_t elements)
{
    static const size_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 33, 64, 100, 257, 600, 1031};
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    struct correct_count c = {0};
    size_t done = 0;
    for (uint64_t first = 0; done < elements; first++) {
        size_t n = lengths[first % LENGTHS];
        compare_batch(&c, op, kernels, names, count, kind, first, n);
        done += BATCH * (correct_columns(op, n) < n ? n / 8 + 1 : n); /* more rows of few results */
    }
    return c;
}
