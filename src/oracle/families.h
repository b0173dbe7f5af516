// SPDX-License-Identifier: MIT
/* The input families of inputs.h, written once for floats and for doubles. The including file has
 * included inputs.h, defined the type `real` and what depends on it (the first declarations below),
 * and includes this file last; it then has families_row(). Every value is made in double, and
 * rounded once to the type. */
#ifndef ULPLAB_FAMILIES_H
#define ULPLAB_FAMILIES_H

#include <immintrin.h>
#include <math.h>
#include <sleef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

/* The families' values in this type. */
struct family_limits {
    double exp_tiny, exp_span;   /* from there on, so far, exp is subnormal */
    double tail_tiny, tail_span; /* where gelu is subnormal */
    int below;                   /* exponents of `below` are less */
    int outlier;                 /* exponents of `outlier` are less */
    int huge;      /* squares of 2^huge overflow; no normal number times 2^most does */
    int sum, most; /* sums of a few 2^sum overflow */
};
static const struct family_limits limits;
/* Return a number from 64 random bits: uniform in [-1, 1), subnormal or zero, of any exponent. */
static real uniform_real(uint64_t bits);
static real subnormal_real(uint64_t bits);
static real wide_real(uint64_t bits, uint64_t more);
/* Returns a number that grows with x; the two zeros have one. */
static uint64_t order_of_real(real x);

/* ---- Random bits: splitmix64 on a counter ---------------------------------------------------- */

/* Returns 64 random bits: element i of the stream `key`. */
static uint64_t bits_at(uint64_t key, uint64_t i)
{
    return random_mix(key + RANDOM_STEP * (i + 1));
}

static uint64_t stream(uint64_t key, uint64_t name)
{
    return random_mix(key ^ random_mix(name + 0x632be59bd9b4e019u));
}

/* ---- Values ---------------------------------------------------------------------------------- */

struct row_request {
    uint64_t key; /* the row's stream */
    uint64_t row;
    enum domain domain;
    size_t n;
};

/* Returns four normals by Box and Muller, each from both halves of 64 bits, so that |z| <= 6.66. */
static __m256d normal4(uint64_t key, uint64_t i)
{
    double u[4], turn[4];
    for (unsigned k = 0; k < 4; k++) {
        uint64_t b = bits_at(key, i + k);
        u[k] = ((double)(b >> 32) + 0.5) * 0x1p-32;
        turn[k] = (double)(b & 0xffffffff) * 0x1p-31;
    }
    __m256d log_u = Sleef_finz_logd4_u10avx2(_mm256_loadu_pd(u));
    __m256d radius = _mm256_sqrt_pd(_mm256_mul_pd(_mm256_set1_pd(-2), log_u));
    return _mm256_mul_pd(radius, Sleef_finz_cospid4_u05avx2(_mm256_loadu_pd(turn)));
}

/* Writes x[i] = offset + spread * z[i], rounded once to double and once to the type. */
static void inputs_normals(uint64_t key, double offset, double spread, size_t n, real *x)
{
    for (size_t i = 0; i < n; i += 4) {
        double four[4];
        __m256d z = _mm256_mul_pd(normal4(key, i), _mm256_set1_pd(spread));
        _mm256_storeu_pd(four, _mm256_add_pd(z, _mm256_set1_pd(offset)));
        for (size_t k = 0; k < 4 && i + k < n; k++) x[i + k] = (real)four[k];
    }
}

static void fill_normal(const struct row_request *r, real *x)
{
    inputs_normals(r->key, 0, 1, r->n, x);
}

static void fill_uniform(const struct row_request *r, real *x)
{
    for (size_t i = 0; i < r->n; i++) x[i] = uniform_real(bits_at(r->key, i));
}

static void fill_logits(const struct row_request *r, real *x)
{
    inputs_normals(r->key, 0, 10, r->n, x);
}

/* Fills a row of attention scores. With the axes rotated so that q lies along the first one, q.k_j
 * = |q| k_j1, and the k_j1 are independent normals: the distribution is exact, at a 64th of the
 * cost of the dot products. */
static void fill_attention(const struct row_request *r, real *x)
{
    real q[64];
    double squares = 0;
    inputs_normals(stream(r->key, 1), 0, 1, 64, q);
    for (unsigned i = 0; i < 64; i++) squares += (double)q[i] * (double)q[i];
    inputs_normals(r->key, 0, sqrt(squares) / 8, r->n, x);
}

static void fill_offset(const struct row_request *r, real *x)
{
    inputs_normals(r->key, 1e4, 1, r->n, x);
}

static void plant(const struct row_request *r, real value, real *x)
{
    if (r->n) x[bits_at(stream(r->key, 2), 0) % r->n] = value;
}

static void fill_onehot(const struct row_request *r, real *x)
{
    inputs_normals(r->key, 0, 1, r->n, x);
    plant(r, 20, x);
}

static void fill_constant(const struct row_request *r, real *x)
{
    real value;
    inputs_normals(r->key, 0, 10, 1, &value);
    for (size_t i = 0; i < r->n; i++) x[i] = value;
}

static void fill_alternating(const struct row_request *r, real *x)
{
    for (size_t i = 0; i < r->n; i++) x[i] = (r->row + i) % 2 ? (real)-1e4 : (real)1e4;
}

static void fill_tiny(const struct row_request *r, real *x)
{
    if (r->domain == DOMAIN_NORMAL_TAIL) {
        for (size_t i = 0; i < r->n; i++)
            x[i] = (real)(limits.tail_tiny +
                          limits.tail_span * ((double)(bits_at(r->key, i) >> 32) * 0x1p-32));
        return;
    }
    if (r->domain != DOMAIN_EXPONENT) {
        for (size_t i = 0; i < r->n; i++) x[i] = subnormal_real(bits_at(r->key, i));
        return;
    }
    for (size_t i = 0; i < r->n; i++)
        x[i] = (real)(limits.exp_tiny +
                      limits.exp_span * ((double)(bits_at(r->key, i) >> 32) * 0x1p-32));
    if (r->n > 1) plant(r, 0, x);
}

static void fill_wide(const struct row_request *r, real *x)
{
    uint64_t key = stream(r->key, 6);
    for (size_t i = 0; i < r->n; i++) x[i] = wide_real(bits_at(r->key, i), bits_at(key, i));
}

/* Sorts by one byte of order_of_real() after the other; equal numbers stay in their order. */
static void sort(real *x, size_t n)
{
    real *other = memory_new((n + 1) * sizeof *other), *from = x, *to = other;
    for (unsigned shift = 0; shift < 8 * sizeof *x; shift += 8) {
        size_t place[257] = {0};
        for (size_t i = 0; i < n; i++) place[1 + (order_of_real(from[i]) >> shift & 255)]++;
        for (size_t k = 0; k < 256; k++) place[k + 1] += place[k];
        for (size_t i = 0; i < n; i++) to[place[order_of_real(from[i]) >> shift & 255]++] = from[i];
        real *sorted = to;
        to = from;
        from = sorted;
    }
    free(other); /* an even number of passes ends in x */
}

static void inputs_fill_sorted(const struct row_request *r, real *x)
{
    inputs_normals(r->key, 0, 1, r->n, x);
    sort(x, r->n);
}

/* Fills a masked row, in which at least one element is left. Padding is -inf for operations that
 * take exponentials, and 0 for all others. */
static void fill_masked(const struct row_request *r, real *x)
{
    uint64_t key = stream(r->key, 4);
    size_t place = r->n ? bits_at(key, 0) % r->n : 0;
    inputs_normals(r->key, 0, 1, r->n, x);
    for (size_t i = 0; i < r->n; i++) {
        bool hidden[] = {i > place, i < place, i != place && bits_at(key, i + 1) % 2};
        if (hidden[r->row % 3]) x[i] = r->domain == DOMAIN_EXPONENT ? (real)-INFINITY : 0;
    }
}

/* Returns number `i` of the row's own, uniform in [low, high). */
static double row_number(const struct row_request *r, uint64_t i, double low, double high)
{
    return low + (high - low) * ((double)(bits_at(stream(r->key, 5), i) >> 32) * 0x1p-32);
}

static void fill_below(const struct row_request *r, real *x)
{
    inputs_normals(r->key, -ldexp(row_number(r, 1, 1, 2), (int)row_number(r, 0, 6, limits.below)),
                   1, r->n, x);
}

static void fill_outlier(const struct row_request *r, real *x)
{
    int small = (int)row_number(r, 0, 0, limits.outlier);
    int large = (int)row_number(r, 1, 0, limits.outlier);
    inputs_normals(r->key, 0, ldexp(1, -small), r->n, x);
    plant(r, (real)ldexp((real)row_number(r, 2, 1, 2), large) * (r->row % 2 ? -1 : 1), x);
}

/* Fills a row with finite elements, for which results of layernorm and rmsnorm are finite, too, but
 * the sum or the sum of squares overflows the type. */
static void fill_huge(const struct row_request *r, real *x)
{
    bool one = r->row % 3 == 2, sum = r->row % 3 == 1;
    int exponent =
        (int)row_number(r, 0, sum ? limits.sum : limits.huge, sum ? limits.most : limits.sum);
    inputs_normals(r->key, 0, one ? 1 : ldexp(1, exponent), r->n, x);
    if (one) plant(r, (real)ldexp((real)row_number(r, 1, 1, 2), exponent), x);
    for (size_t i = 0; i < r->n && sum; i++) x[i] = (real)fabs((double)x[i]);
}

/* Fills a row whose results, or some of them, are NaN or infinite: what -ffinite-math-only gives
 * up. Moments get infinities of both signs: of one alone the mean is infinite or, where deviations
 * are summed, NaN. */
static void fill_special(const struct row_request *r, real *x)
{
    static const real special[] = {(real)NAN, (real)INFINITY, (real)-INFINITY};
    static const struct {
        size_t first, count;
    } planted[2][4] = {{{0, 1}, {1, 1}, {2, 1}, {0, 3}}, {{0, 1}, {1, 2}, {1, 2}, {0, 3}}};
    inputs_normals(r->key, 0, 1, r->n, x);
    size_t place = r->n ? bits_at(stream(r->key, 2), 0) % r->n : 0;
    size_t first = planted[r->domain == DOMAIN_MOMENTS][r->row % 4].first;
    size_t count = planted[r->domain == DOMAIN_MOMENTS][r->row % 4].count;
    for (size_t k = 0; k < count && k < r->n; k++) x[(place + k) % r->n] = special[first + k];
}

static const struct {
    const char *name;
    void (*fill)(const struct row_request *, real *x);
} families[FAMILY_COUNT] = {
    [FAMILY_NORMAL] = {"normal", fill_normal},
    [FAMILY_UNIFORM] = {"uniform", fill_uniform},
    [FAMILY_LOGITS] = {"logits", fill_logits},
    [FAMILY_ATTENTION] = {"attention", fill_attention},
    [FAMILY_OFFSET] = {"offset", fill_offset},
    [FAMILY_ONEHOT] = {"onehot", fill_onehot},
    [FAMILY_CONSTANT] = {"constant", fill_constant},
    [FAMILY_ALTERNATING] = {"alternating", fill_alternating},
    [FAMILY_TINY] = {"tiny", fill_tiny},
    [FAMILY_WIDE] = {"wide", fill_wide},
    [FAMILY_SORTED] = {"sorted", inputs_fill_sorted},
    [FAMILY_MASKED] = {"masked", fill_masked},
    [FAMILY_BELOW] = {"below", fill_below},
    [FAMILY_OUTLIER] = {"outlier", fill_outlier},
    [FAMILY_HUGE] = {"huge", fill_huge},
    [FAMILY_SPECIAL] = {"special", fill_special},
};

static void families_row(enum family f, enum domain d, uint64_t seed, uint64_t row, size_t n,
                         real *x)
{
    uint64_t key = stream(stream(random_mix(seed), f), row);
    families[f].fill(&(struct row_request){key, row, d, n}, x);
    if (d != DOMAIN_POSITIVE) return;
    uint64_t signs = stream(key, 3);
    for (size_t i = 0; i < n; i++)
        if (bits_at(signs, i) % 32) x[i] = (real)fabs((double)x[i]);
}

/* Writes gamma and beta as in models (inputs_affine). */
static void families_affine(size_t n, real *gamma, real *beta)
{
    enum { SEED = 1, GAMMA, BETA };
    families_row(FAMILY_NORMAL, DOMAIN_MOMENTS, SEED, UINT64_MAX - GAMMA, n, gamma);
    families_row(FAMILY_NORMAL, DOMAIN_MOMENTS, SEED, UINT64_MAX - BETA, n, beta);
    for (size_t i = 0; i < n; i++) {
        gamma[i] = 1 + gamma[i] / 8;
        beta[i] /= 8;
    }
}

#endif
