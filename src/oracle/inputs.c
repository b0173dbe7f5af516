// SPDX-License-Identifier: MIT
#include "oracle/inputs.h"

#include <immintrin.h>
#include <math.h>
#include <sleef.h>
#include <stdlib.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/memory.h"
#include "base/random.h"

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

/* Writes x[i] = offset + spread * z[i], rounded once to double and once to float. */
static void inputs_normals(uint64_t key, double offset, double spread, size_t n, float *x)
{
    for (size_t i = 0; i < n; i += 4) {
        float four[4];
        __m256d z = _mm256_mul_pd(normal4(key, i), _mm256_set1_pd(spread));
        _mm_storeu_ps(four, _mm256_cvtpd_ps(_mm256_add_pd(z, _mm256_set1_pd(offset))));
        memcpy(x + i, four, (n - i < 4 ? n - i : 4) * sizeof *x);
    }
}

static void fill_normal(const struct row_request *r, float *x)
{
    inputs_normals(r->key, 0, 1, r->n, x);
}

static void fill_uniform(const struct row_request *r, float *x)
{
    for (size_t i = 0; i < r->n; i++)
        x[i] = (float)((int32_t)(bits_at(r->key, i) >> 40) - (1 << 23)) * 0x1p-23f;
}

static void fill_logits(const struct row_request *r, float *x)
{
    inputs_normals(r->key, 0, 10, r->n, x);
}

/* Fills a row of attention scores. With the axes rotated so that q lies along the first one, q.k_j
 * = |q| k_j1, and the k_j1 are independent normals: the distribution is exact, at a 64th of the
 * cost of the dot products. */
static void fill_attention(const struct row_request *r, float *x)
{
    float q[64];
    double squares = 0;
    inputs_normals(stream(r->key, 1), 0, 1, 64, q);
    for (unsigned i = 0; i < 64; i++) squares += (double)q[i] * q[i];
    inputs_normals(r->key, 0, sqrt(squares) / 8, r->n, x);
}

static void fill_offset(const struct row_request *r, float *x)
{
    inputs_normals(r->key, 1e4, 1, r->n, x);
}

static void plant(const struct row_request *r, float value, float *x)
{
    if (r->n) x[bits_at(stream(r->key, 2), 0) % r->n] = value;
}

static void fill_onehot(const struct row_request *r, float *x)
{
    inputs_normals(r->key, 0, 1, r->n, x);
    plant(r, 20, x);
}

static void fill_constant(const struct row_request *r, float *x)
{
    float value;
    inputs_normals(r->key, 0, 10, 1, &value);
    for (size_t i = 0; i < r->n; i++) x[i] = value;
}

static void fill_alternating(const struct row_request *r, float *x)
{
    for (size_t i = 0; i < r->n; i++) x[i] = (r->row + i) % 2 ? -1e4f : 1e4f;
}

static void fill_tiny(const struct row_request *r, float *x)
{
    if (r->domain == DOMAIN_NORMAL_TAIL) {
        for (size_t i = 0; i < r->n; i++)
            x[i] = (float)(-14.5 + 1.6 * ((double)(bits_at(r->key, i) >> 32) * 0x1p-32));
        return;
    }
    if (r->domain != DOMAIN_EXPONENT) {
        for (size_t i = 0; i < r->n; i++)
            x[i] = float_of_bits((uint32_t)(bits_at(r->key, i) >> 32) & 0x807fffff);
        return;
    }
    for (size_t i = 0; i < r->n; i++)
        x[i] = (float)(-104 + 17 * ((double)(bits_at(r->key, i) >> 32) * 0x1p-32));
    if (r->n > 1) plant(r, 0, x);
}

static void fill_wide(const struct row_request *r, float *x)
{
    for (size_t i = 0; i < r->n; i++) {
        uint64_t b = bits_at(r->key, i);
        uint32_t exponent = 1 + (uint32_t)((b >> 32) * 254 >> 32);
        x[i] = float_of_bits(((uint32_t)b & 0x807fffff) | exponent << 23);
    }
}

/* Returns a number that grows with x; the two zeros have one. */
static uint32_t inputs_order_of(float x)
{
    uint32_t b = bits_of_float(x + 0.0f);
    return b >> 31 ? ~b : b | 0x80000000u;
}

/* Sorts by one byte of order_of() after the other; equal numbers stay in their order. */
static void sort(float *x, size_t n)
{
    float *other = memory_new((n + 1) * sizeof *other), *from = x, *to = other;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        size_t place[257] = {0};
        for (size_t i = 0; i < n; i++) place[1 + (inputs_order_of(from[i]) >> shift & 255)]++;
        for (size_t k = 0; k < 256; k++) place[k + 1] += place[k];
        for (size_t i = 0; i < n; i++)
            to[place[inputs_order_of(from[i]) >> shift & 255]++] = from[i];
        float *sorted = to;
        to = from;
        from = sorted;
    }
    free(other); /* four passes end in x */
}

static void inputs_fill_sorted(const struct row_request *r, float *x)
{
    inputs_normals(r->key, 0, 1, r->n, x);
    sort(x, r->n);
}

/* Fills a masked row, in which at least one element is left. Padding is -inf for operations that
 * take exponentials, and 0 for all others. */
static void fill_masked(const struct row_request *r, float *x)
{
    uint64_t key = stream(r->key, 4);
    size_t place = r->n ? bits_at(key, 0) % r->n : 0;
    inputs_normals(r->key, 0, 1, r->n, x);
    for (size_t i = 0; i < r->n; i++) {
        bool hidden[] = {i > place, i < place, i != place && bits_at(key, i + 1) % 2};
        if (hidden[r->row % 3]) x[i] = r->domain == DOMAIN_EXPONENT ? -INFINITY : 0;
    }
}

/* Returns number `i` of the row's own, uniform in [low, high). */
static double row_number(const struct row_request *r, uint64_t i, double low, double high)
{
    return low + (high - low) * ((double)(bits_at(stream(r->key, 5), i) >> 32) * 0x1p-32);
}

static void fill_below(const struct row_request *r, float *x)
{
    inputs_normals(r->key, -ldexp(row_number(r, 1, 1, 2), (int)row_number(r, 0, 6, 24)), 1, r->n,
                   x);
}

static void fill_outlier(const struct row_request *r, float *x)
{
    int small = (int)row_number(r, 0, 0, 60), large = (int)row_number(r, 1, 0, 60);
    inputs_normals(r->key, 0, ldexp(1, -small), r->n, x);
    plant(r, ldexpf((float)row_number(r, 2, 1, 2), large) * (r->row % 2 ? -1 : 1), x);
}

/* Fills a row whose elements are finite, and so is what layernorm and rmsnorm make of them, but
 * which has a sum or a sum of squares beyond fp32. */
static void fill_huge(const struct row_request *r, float *x)
{
    bool one = r->row % 3 == 2, sum = r->row % 3 == 1;
    int exponent = (int)row_number(r, 0, sum ? 124 : 66, sum ? 126 : 124);
    inputs_normals(r->key, 0, one ? 1 : ldexp(1, exponent), r->n, x);
    if (one) plant(r, ldexpf((float)row_number(r, 1, 1, 2), exponent), x);
    for (size_t i = 0; i < r->n && sum; i++) x[i] = fabsf(x[i]);
}

/* Fills a row whose results, or some of them, are NaN or infinite: what -ffinite-math-only gives
 * up. Moments get infinities of both signs: of one alone the mean is infinite or, where deviations
 * are summed, NaN. */
static void fill_special(const struct row_request *r, float *x)
{
    static const float special[] = {NAN, INFINITY, -INFINITY};
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
    void (*fill)(const struct row_request *, float *x);
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

const char *family_name(enum family f)
{
    return families[f].name;
}

enum family family_find(const char *name)
{
    enum family f = 0;
    while (f < FAMILY_COUNT && strcmp(families[f].name, name) != 0) f++;
    return f;
}

void inputs_row(enum family f, enum domain d, uint64_t seed, uint64_t row, size_t n, float *x)
{
    uint64_t key = stream(stream(random_mix(seed), f), row);
    families[f].fill(&(struct row_request){key, row, d, n}, x);
    if (d != DOMAIN_POSITIVE) return;
    uint64_t signs = stream(key, 3);
    for (size_t i = 0; i < n; i++)
        if (bits_at(signs, i) % 32) x[i] = fabsf(x[i]);
}

void inputs_affine(size_t n, float *gamma, float *beta)
{
    enum { SEED = 1, GAMMA, BETA };
    inputs_row(FAMILY_NORMAL, DOMAIN_MOMENTS, SEED, UINT64_MAX - GAMMA, n, gamma);
    inputs_row(FAMILY_NORMAL, DOMAIN_MOMENTS, SEED, UINT64_MAX - BETA, n, beta);
    for (size_t i = 0; i < n; i++) {
        gamma[i] = 1 + gamma[i] / 8;
        beta[i] /= 8;
    }
}
