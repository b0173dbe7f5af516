#include "oracle/ulp.h"

#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "oracle/ulp_tile.h"

enum { TILE = ULP_TILE, FIRST_BIN = (1023 - 20) << 6 };

void ulp_begin(struct ulp_stats *s)
{
    *s = (struct ulp_stats){.max = -1};
}

static __m256d magnitude(__m256d a)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

/* A type's figures, in every lane. */
struct scale {
    __m256d least_normal, largest, overflow, least;
    __m256i fields; /* of the exponent: see per_ulp() */
    bool wide;      /* ulp_tile_avx512() may be asked */
};

static bool has_wide_lanes(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}

static struct scale scale_of(const struct dtype *t)
{
    return (struct scale){
        .least_normal = _mm256_set1_pd(ldexp(1, t->min_exponent)),
        .largest = _mm256_set1_pd(t->largest),
        .overflow = _mm256_set1_pd(t->overflow),
        .least = _mm256_set1_pd(t->least),
        .fields = _mm256_set1_epi64x((long long)((2046ull + (unsigned)t->fraction_bits) << 52)),
        .wide = t == &dtype_f32 && has_wide_lanes(),
    };
}

/* 1 / ulp(y), for fp32 2^(23 - max(ilogb(y), -126)), by exponent fields: 2^-k is 2046 less the
 * field. */
static __m256d per_ulp(__m256d y, const struct scale *t)
{
    __m256d exponent_bits = _mm256_castsi256_pd(_mm256_set1_epi64x(0x7ff0000000000000));
    __m256d power = _mm256_max_pd(_mm256_and_pd(y, exponent_bits), t->least_normal);
    __m256i fields = t->fields;
    return _mm256_castsi256_pd(_mm256_sub_epi64(fields, _mm256_castpd_si256(power)));
}

static unsigned lanes(__m256d mask)
{
    return (unsigned)_mm256_movemask_pd(mask);
}

static unsigned count(unsigned mask)
{
    return (unsigned)__builtin_popcount(mask);
}

/* Counts what has no E and returns the lanes that have one. */
static unsigned classify(__m256d got, __m256d want, const struct scale *t, struct ulp_stats *s)
{
    unsigned got_nan = lanes(_mm256_cmp_pd(got, got, _CMP_UNORD_Q));
    unsigned want_nan = lanes(_mm256_cmp_pd(want, want, _CMP_UNORD_Q));
    if ((got_nan & want_nan) == 15) return 0; /* half of all inputs of a logarithm */
    __m256d got_size = magnitude(got), want_size = magnitude(want), zero = _mm256_setzero_pd();
    unsigned got_inf = lanes(_mm256_cmp_pd(got_size, t->largest, _CMP_GT_OQ));
    unsigned want_inf = lanes(_mm256_cmp_pd(want_size, t->overflow, _CMP_GE_OQ));
    unsigned got_zero = lanes(_mm256_cmp_pd(got, zero, _CMP_EQ_OQ));
    unsigned want_zero = lanes(_mm256_cmp_pd(want, zero, _CMP_EQ_OQ));
    unsigned visible = lanes(_mm256_cmp_pd(want_size, t->least, _CMP_GE_OQ));
    unsigned opposite = lanes(_mm256_xor_pd(got, want));

    unsigned numbers = ~(got_nan | want_nan) & 15;
    unsigned inf = (got_inf ^ want_inf) & numbers;
    unsigned sign = opposite & ~got_zero & ~want_zero & numbers & ~inf;
    unsigned flushed = got_zero & visible & numbers & ~inf;
    s->nan += count(got_nan ^ want_nan);
    s->inf += count(inf);
    s->sign += count(sign);
    s->flushed += count(flushed);
    return numbers & ~(got_inf | want_inf | sign | flushed);
}

static __m256d mask_of(unsigned lanes_set)
{
    __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
    __m256i set = _mm256_and_si256(_mm256_set1_epi64x((long long)lanes_set), bit);
    return _mm256_castsi256_pd(_mm256_cmpeq_epi64(set, bit));
}

struct sums {
    __m256d sum, signed_sum, max;
    __m256i misrounded, unfaithful; /* minus the count: a comparison gives -1 */
};

/* Four elements; returns E, or -1 where there is none. */
static inline __m256d measure4(__m256d got, __m256d want, const struct scale *t, struct sums *a,
                               struct ulp_stats *s)
{
    __m256d difference = _mm256_mul_pd(_mm256_sub_pd(got, want), per_ulp(want, t));
    __m256d error = magnitude(difference);
    __m256d numbers = _mm256_and_pd(_mm256_cmp_pd(magnitude(got), t->largest, _CMP_LE_OQ),
                                    _mm256_cmp_pd(magnitude(want), t->overflow, _CMP_LT_OQ));
    __m256d zeros = _mm256_cmp_pd(got, _mm256_setzero_pd(), _CMP_EQ_OQ);
    unsigned odd = lanes(_mm256_or_pd(_mm256_xor_pd(got, want), zeros)) | (lanes(numbers) ^ 15);
    if (__builtin_expect(odd != 0, 0)) {
        unsigned ordinary = classify(got, want, t, s);
        __m256d mask = mask_of(ordinary);
        s->measured += count(ordinary);
        difference = _mm256_and_pd(difference, mask);
        error = _mm256_blendv_pd(_mm256_set1_pd(-1), error, mask);
        a->sum = _mm256_add_pd(a->sum, magnitude(difference));
    } else {
        s->measured += 4;
        a->sum = _mm256_add_pd(a->sum, error);
    }
    a->signed_sum = _mm256_add_pd(a->signed_sum, difference);
    a->max = _mm256_max_pd(a->max, error);
    __m256d above_half = _mm256_cmp_pd(error, _mm256_set1_pd(0.5), _CMP_GT_OQ);
    __m256d above_one = _mm256_cmp_pd(error, _mm256_set1_pd(1), _CMP_GE_OQ);
    a->misrounded = _mm256_add_epi64(a->misrounded, _mm256_castpd_si256(above_half));
    a->unfaithful = _mm256_add_epi64(a->unfaithful, _mm256_castpd_si256(above_one));
    return error;
}

static double total(__m256d a)
{
    double v[4];
    _mm256_storeu_pd(v, a);
    return (v[0] + v[1]) + (v[2] + v[3]);
}

static uint64_t total_count(__m256i minus)
{
    long long v[4];
    _mm256_storeu_si256((__m256i *)v, minus);
    return (uint64_t) - (v[0] + v[1] + v[2] + v[3]);
}

static void add_to_histogram(const double *error, size_t n, struct ulp_histogram *h)
{
    for (size_t i = 0; i < n; i++) {
        if (error[i] < 0) continue;
        int64_t bits, bin;
        memcpy(&bits, &error[i], sizeof bits);
        bin = (bits >> 46) - FIRST_BIN;
        h->bins[bin < 0 ? 0 : bin < ULP_BINS ? bin : ULP_BINS - 1]++;
    }
}

/* A tile of any length, with whatever is in it. Eight lanes, in two halves: the sums are those of
 * ulp_tile_avx512(). */
static struct ulp_tile measure_any(const struct scale *t, const float *got, const double *want,
                                   size_t n, double *error, struct ulp_stats *s)
{
    struct sums a[2] = {{.max = _mm256_set1_pd(-1)}, {.max = _mm256_set1_pd(-1)}};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        __m256d g = _mm256_cvtps_pd(_mm_loadu_ps(got + i)), w = _mm256_loadu_pd(want + i);
        _mm256_storeu_pd(error + i, measure4(g, w, t, &a[i / 4 % 2], s));
    }
    if (i < n) { /* two NaNs are in no count */
        double g[4] = {NAN, NAN, NAN, NAN}, w[4] = {NAN, NAN, NAN, NAN};
        for (size_t k = i; k < n; k++) g[k - i] = (double)got[k], w[k - i] = want[k];
        __m256d e = measure4(_mm256_loadu_pd(g), _mm256_loadu_pd(w), t, &a[i / 4 % 2], s);
        _mm256_storeu_pd(error + i, e);
    }
    double most[4];
    _mm256_storeu_pd(most, _mm256_max_pd(a[0].max, a[1].max));
    return (struct ulp_tile){
        .sum = total(_mm256_add_pd(a[0].sum, a[1].sum)),
        .signed_sum = total(_mm256_add_pd(a[0].signed_sum, a[1].signed_sum)),
        .max = fmax(fmax(most[0], most[1]), fmax(most[2], most[3])),
        .misrounded = total_count(_mm256_add_epi64(a[0].misrounded, a[1].misrounded)),
        .unfaithful = total_count(_mm256_add_epi64(a[0].unfaithful, a[1].unfaithful))};
}

static void measure_tile(const struct scale *t, const float *got, const double *want, size_t n,
                         uint64_t first, struct ulp_stats *s, struct ulp_histogram *h)
{
    double error[TILE];
    struct ulp_tile tile;
    if (n == TILE && t->wide && ulp_tile_avx512(got, want, error, &tile))
        s->measured += TILE;
    else
        tile = measure_any(t, got, want, n, error, s);
    s->sum += tile.sum;
    s->signed_sum += tile.signed_sum;
    s->misrounded += tile.misrounded;
    s->unfaithful += tile.unfaithful;
    if (tile.max > s->max) {
        size_t at = 0;
        while (error[at] != tile.max) at++;
        s->max = tile.max;
        s->max_at = first + at;
    }
    if (h) add_to_histogram(error, n, h);
}

void ulp_measure_as(const struct dtype *type, const float *got, const double *want, size_t n,
                    uint64_t first, struct ulp_stats *s, struct ulp_histogram *h)
{
    struct scale t = scale_of(type);
    for (size_t i = 0; i < n; i += TILE)
        measure_tile(&t, got + i, want + i, n - i < TILE ? n - i : TILE, first + i, s, h);
}

void ulp_measure(const float *got, const double *want, size_t n, uint64_t first,
                 struct ulp_stats *s, struct ulp_histogram *h)
{
    ulp_measure_as(&dtype_f32, got, want, n, first, s, h);
}

void ulp_merge(struct ulp_stats *s, const struct ulp_stats *later)
{
    if (later->max > s->max) {
        s->max = later->max;
        s->max_at = later->max_at;
    }
    s->measured += later->measured;
    s->nan += later->nan;
    s->inf += later->inf;
    s->sign += later->sign;
    s->flushed += later->flushed;
    s->misrounded += later->misrounded;
    s->unfaithful += later->unfaithful;
    s->sum += later->sum;
    s->signed_sum += later->signed_sum;
}

void ulp_merge_histogram(struct ulp_histogram *h, const struct ulp_histogram *other)
{
    for (size_t i = 0; i < ULP_BINS; i++) h->bins[i] += other->bins[i];
}

/* The upper end of a bin; the first one holds what is below 2^-20 ulp, which is 0. */
static double bin_end(size_t bin)
{
    if (bin == 0) return 0;
    int64_t bits = (int64_t)(bin + 1 + FIRST_BIN) << 46;
    double end;
    memcpy(&end, &bits, sizeof end);
    return end;
}

double ulp_percentile(const struct ulp_histogram *h, const struct ulp_stats *s, double p)
{
    if (!s->measured) return NAN;
    double rank = ceil(p * (double)s->measured);
    uint64_t seen = 0;
    for (size_t i = 0; i < ULP_BINS - 1; i++) {
        seen += h->bins[i];
        if (seen && (double)seen >= rank) return fmin(bin_end(i), s->max);
    }
    return s->max;
}

static uint64_t outside(const struct ulp_stats *s)
{
    return s->nan + s->inf + s->sign + s->flushed;
}

uint64_t ulp_elements(const struct ulp_stats *s)
{
    return s->measured + outside(s);
}

static double share(double part, uint64_t whole)
{
    return whole ? part / (double)whole : NAN;
}

double ulp_misrounded(const struct ulp_stats *s)
{
    return share((double)(s->misrounded + outside(s)), ulp_elements(s));
}

double ulp_unfaithful(const struct ulp_stats *s)
{
    return share((double)(s->unfaithful + outside(s)), ulp_elements(s));
}

double ulp_mean(const struct ulp_stats *s)
{
    return share(s->sum, s->measured);
}

double ulp_bias(const struct ulp_stats *s)
{
    return share(s->signed_sum, s->measured);
}

double ulp_error(float got, double want)
{
    int exponent = want == 0 ? -126 : ilogb(want);
    return fabs((double)got - want) * ldexp(1, 23 - (exponent < -126 ? -126 : exponent));
}

double ulp_scaled_error(const float *got, const double *want, size_t n, double floor)
{
    return ulp_scaled_error_as(&dtype_f32, got, want, n, floor);
}

double ulp_scaled_error_as(const struct dtype *type, const float *got, const double *want, size_t n,
                           double floor)
{
    double least = fmax(floor, ldexp(1, type->min_exponent)), worst = 0;
    for (size_t i = 0; i < n; i++) {
        double size = fabs(want[i]), unit = size > least ? size : least;
        double error = fabs((double)got[i] - want[i]) / unit;
        /* An infinity or a NaN on either side makes no finite quotient and is counted elsewhere. */
        worst = error > worst && error <= DBL_MAX ? error : worst;
    }
    return ldexp(worst, type->fraction_bits + 1);
}
