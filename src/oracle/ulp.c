// SPDX-License-Identifier: MIT
#include "oracle/ulp.h"

#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { TILE = 256, FIRST_BIN = (1023 - 20) << 6 };

void ulp_begin(struct ulp_stats *s)
{
    *s = (struct ulp_stats){.max = -1};
}

static __m256d ulp_magnitude(__m256d a)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

void ulp_begin_regions(struct ulp_regions *r)
{
    for (size_t k = 0; k < ULP_REGIONS; k++) r->of[k].max = -1, r->of[k].at = 0;
}

/* The figures of a storage type, in every lane. */
struct scale {
    const struct dtype *type;
    __m256d least_normal, largest, overflow, least;
    __m256i fields; /* for per_ulp() */
    double nearby;  /* in ulp: results this close to a normal number are neither 0 nor of the other
                       sign */
    double last_binade; /* the start of the last binade; results before it hold no infinity */
};

static struct scale scale_of(const struct dtype *t)
{
    return (struct scale){
        .type = t,
        .least_normal = _mm256_set1_pd(ldexp(1, t->min_exponent)),
        .largest = _mm256_set1_pd(t->largest),
        .overflow = _mm256_set1_pd(t->overflow),
        .least = _mm256_set1_pd(t->least),
        .fields = _mm256_set1_epi64x((long long)((2046ull + (unsigned)t->fraction_bits) << 52)),
        .nearby = ldexp(1, t->fraction_bits - 1),
        .last_binade = ldexp(1, ilogb(t->largest)),
    };
}

/* Returns 1 / ulp(y), for fp32 2^(23 - max(ilogb(y), -126)), by integer arithmetic on exponent
 * fields: the field of 2^-k is 2046 less the field of 2^k. */
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

static unsigned ulp_count(unsigned mask)
{
    return (unsigned)__builtin_popcount(mask);
}

/* Counts the results that are not ordinary, and returns the lanes that have an E. */
static unsigned ulp_classify(__m256d got, __m256d want, const struct scale *t, struct ulp_stats *s)
{
    unsigned got_nan = lanes(_mm256_cmp_pd(got, got, _CMP_UNORD_Q));
    unsigned want_nan = lanes(_mm256_cmp_pd(want, want, _CMP_UNORD_Q));
    if ((got_nan & want_nan) == 15) return 0; /* a quick path: half of a logarithm's inputs */
    __m256d got_size = ulp_magnitude(got), want_size = ulp_magnitude(want),
            zero = _mm256_setzero_pd();
    unsigned got_inf = lanes(_mm256_cmp_pd(got_size, t->largest, _CMP_GT_OQ));
    unsigned want_inf = lanes(_mm256_cmp_pd(want_size, _mm256_set1_pd(DBL_MAX), _CMP_GT_OQ));
    unsigned overflows = lanes(_mm256_cmp_pd(want_size, t->overflow, _CMP_GE_OQ));
    unsigned got_zero = lanes(_mm256_cmp_pd(got, zero, _CMP_EQ_OQ));
    unsigned want_zero = lanes(_mm256_cmp_pd(want, zero, _CMP_EQ_OQ));
    unsigned visible = lanes(_mm256_cmp_pd(want_size, t->least, _CMP_GE_OQ));
    unsigned normal = lanes(_mm256_cmp_pd(want_size, t->least_normal, _CMP_GE_OQ));
    unsigned opposite = lanes(_mm256_xor_pd(got, want));

    unsigned nan = got_nan ^ want_nan, numbers = ~(got_nan | want_nan) & 15;
    unsigned inf = (got_inf ^ overflows) & numbers;
    unsigned both_vanish = got_zero & ~visible, neither = ~(got_zero | want_zero);
    unsigned sign = opposite & (both_vanish | neither) & numbers & ~inf;
    unsigned vanished = got_zero & visible & numbers & ~inf;
    unsigned agree = got_inf & overflows & ~opposite;
    unsigned lost = nan | (((got_inf & ~agree) | (want_inf & ~got_inf)) & numbers);
    s->nan += ulp_count(nan);
    s->inf += ulp_count(inf);
    s->sign += ulp_count(sign);
    s->zero += ulp_count(vanished & normal);
    s->flushed += ulp_count(vanished & ~normal);
    s->lost += ulp_count(lost);
    return numbers & ~(lost | agree | (vanished & ~normal));
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

/* Adds four elements; returns their E, or -1 for those that have none. */
static inline __m256d measure4(__m256d got, __m256d want, const struct scale *t, struct sums *a,
                               struct ulp_stats *s)
{
    __m256d difference = _mm256_mul_pd(_mm256_sub_pd(got, want), per_ulp(want, t));
    __m256d error = ulp_magnitude(difference);
    __m256d numbers = _mm256_and_pd(_mm256_cmp_pd(ulp_magnitude(got), t->largest, _CMP_LE_OQ),
                                    _mm256_cmp_pd(ulp_magnitude(want), t->overflow, _CMP_LT_OQ));
    __m256d zeros = _mm256_cmp_pd(got, _mm256_setzero_pd(), _CMP_EQ_OQ);
    unsigned odd = lanes(_mm256_or_pd(_mm256_xor_pd(got, want), zeros)) | (lanes(numbers) ^ 15);
    if (__builtin_expect(odd != 0, 0)) {
        unsigned ordinary = ulp_classify(got, want, t, s);
        __m256d mask = mask_of(ordinary);
        s->measured += ulp_count(ordinary);
        difference = _mm256_and_pd(difference, mask);
        error = _mm256_blendv_pd(_mm256_set1_pd(-1), error, mask);
        a->sum = _mm256_add_pd(a->sum, ulp_magnitude(difference));
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

void ulp_histogram_add(struct ulp_histogram *h, double error)
{
    int64_t bits, bin;
    memcpy(&bits, &error, sizeof bits);
    bin = (bits >> 46) - FIRST_BIN;
    h->bins[bin < 0 ? 0 : bin < ULP_BINS ? bin : ULP_BINS - 1]++;
}

static void add_to_histogram(const double *error, size_t n, struct ulp_histogram *h)
{
    for (size_t i = 0; i < n; i++)
        if (error[i] >= 0) ulp_histogram_add(h, error[i]);
}

/* The sums over one tile. Every path adds in the same order, that of 8 lanes (two vectors of 4). */
struct tile {
    double sum, signed_sum, max;
    size_t at; /* index of max; set only if max is above all before it */
    uint64_t misrounded, unfaithful;
};

static struct tile tile_of(const struct sums a[2])
{
    double most[4];
    _mm256_storeu_pd(most, _mm256_max_pd(a[0].max, a[1].max));
    return (struct tile){
        .sum = total(_mm256_add_pd(a[0].sum, a[1].sum)),
        .signed_sum = total(_mm256_add_pd(a[0].signed_sum, a[1].signed_sum)),
        .max = fmax(fmax(most[0], most[1]), fmax(most[2], most[3])),
        .misrounded = total_count(_mm256_add_epi64(a[0].misrounded, a[1].misrounded)),
        .unfaithful = total_count(_mm256_add_epi64(a[0].unfaithful, a[1].unfaithful))};
}

/* Measures a tile of any length with any values: the general path. */
static struct tile measure_general(const struct scale *t, const float *got, const double *want,
                                   size_t n, double *error, struct ulp_stats *s)
{
    struct sums a[2] = {{.max = _mm256_set1_pd(-1)}, {.max = _mm256_set1_pd(-1)}};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        __m256d g = _mm256_cvtps_pd(_mm_loadu_ps(got + i)), w = _mm256_loadu_pd(want + i);
        _mm256_storeu_pd(error + i, measure4(g, w, t, &a[i / 4 % 2], s));
    }
    if (i < n) { /* filled with pairs of NaN, which are not counted */
        double g[4] = {NAN, NAN, NAN, NAN}, w[4] = {NAN, NAN, NAN, NAN};
        for (size_t k = i; k < n; k++) g[k - i] = (double)got[k], w[k - i] = want[k];
        __m256d e = measure4(_mm256_loadu_pd(g), _mm256_loadu_pd(w), t, &a[i / 4 % 2], s);
        _mm256_storeu_pd(error + i, e);
    }
    return tile_of(a);
}

/* ---- Quick paths for whole tiles ------------------------------------------------------------- */

/* Fast paths, one of which nearly every tile of a scan takes, because its floats are
 * consecutive. */

/* Returns whether all exact values have the sign and the exponent of the first one. */
static bool in_one_binade(const double *want)
{
    __m256d first = _mm256_set1_pd(want[0]), differ = _mm256_setzero_pd();
    for (size_t i = 0; i < TILE; i += 4)
        differ = _mm256_or_pd(differ, _mm256_xor_pd(_mm256_loadu_pd(want + i), first));
    __m256i fields = _mm256_set1_epi64x((long long)0xfff0000000000000);
    return _mm256_testz_si256(_mm256_castpd_si256(differ), fields);
}

static inline __m256d distance4(const float *got, const double *want)
{
    return _mm256_sub_pd(_mm256_cvtps_pd(_mm_loadu_ps(got)), _mm256_loadu_pd(want));
}

static inline void add_distance4(__m256d d, __m256d half, struct sums *a)
{
    __m256d error = ulp_magnitude(d);
    a->sum = _mm256_add_pd(a->sum, error);
    a->signed_sum = _mm256_add_pd(a->signed_sum, d);
    a->max = _mm256_max_pd(a->max, error);
    __m256d above_half = _mm256_cmp_pd(error, half, _CMP_GT_OQ);
    a->misrounded = _mm256_add_epi64(a->misrounded, _mm256_castpd_si256(above_half));
}

static size_t first_at(const float *got, const double *want, double distance)
{
    __m256d sought = _mm256_set1_pd(distance);
    size_t i = 0;
    unsigned found = 0;
    for (; !found; i += 4) {
        __m256d error = ulp_magnitude(distance4(got + i, want + i));
        found = lanes(_mm256_cmp_pd(error, sought, _CMP_EQ_OQ));
    }
    return i - 4 + (size_t)__builtin_ctz(found);
}

static uint64_t count_from(const float *got, const double *want, double least)
{
    uint64_t found = 0;
    for (size_t i = 0; i < TILE; i += 4) {
        __m256d error = ulp_magnitude(distance4(got + i, want + i));
        found += ulp_count(lanes(_mm256_cmp_pd(error, _mm256_set1_pd(least), _CMP_GE_OQ)));
    }
    return found;
}

/* Measures a tile in one binade of normal numbers, where all have the same ulp, so that the sums
 * are scaled at the end; a power of two changes no bit. tile->at is found if the tile's maximum is
 * above `known`. Returns false if a result is so far off that it may be zero or have the other
 * sign, or is NaN (then the sum is NaN). */
static bool measure_binade(const struct scale *t, const float *got, const double *want,
                           double known, struct ulp_stats *s, struct tile *tile)
{
    __m256d power =
        _mm256_and_pd(_mm256_set1_pd(want[0]), _mm256_set1_pd(INFINITY)); /* the exponent alone */
    double begin = _mm256_cvtsd_f64(power), scale = _mm256_cvtsd_f64(per_ulp(power, t));
    if (!(begin >= _mm256_cvtsd_f64(t->least_normal) && begin < t->last_binade) ||
        !in_one_binade(want))
        return false;
    __m256d half = _mm256_set1_pd(0.5 / scale);
    struct sums a[2] = {{.max = _mm256_setzero_pd()}, {.max = _mm256_setzero_pd()}};
    for (size_t i = 0; i < TILE; i += 8) {
        add_distance4(distance4(got + i, want + i), half, &a[0]);
        add_distance4(distance4(got + i + 4, want + i + 4), half, &a[1]);
    }
    *tile = tile_of(a);
    double farthest = tile->max;
    tile->sum *= scale;
    tile->signed_sum *= scale;
    tile->max *= scale;
    if (!(tile->max < t->nearby && tile->sum < INFINITY)) return false;
    tile->unfaithful = tile->max >= 1 ? count_from(got, want, 1 / scale) : 0;
    tile->at = tile->max > known ? first_at(got, want, farthest) : 0;
    s->measured += TILE;
    return true;
}

static bool all_pairs_equal(const float *got, const double *want)
{
    __m256i g = _mm256_castps_si256(_mm256_set1_ps(got[0])), g_differ = _mm256_setzero_si256();
    __m256i w = _mm256_castpd_si256(_mm256_set1_pd(want[0])), w_differ = g_differ;
    for (size_t i = 0; i < TILE; i += 8) {
        const __m256i *pair = (const __m256i *)(want + i);
        g_differ = _mm256_or_si256(
            g_differ, _mm256_xor_si256(g, _mm256_loadu_si256((const __m256i *)(got + i))));
        w_differ = _mm256_or_si256(w_differ, _mm256_xor_si256(w, _mm256_loadu_si256(pair)));
        w_differ = _mm256_or_si256(w_differ, _mm256_xor_si256(w, _mm256_loadu_si256(pair + 1)));
    }
    __m256i differ = _mm256_or_si256(g_differ, w_differ);
    return _mm256_testz_si256(differ, differ);
}

static void add_counts(struct ulp_stats *s, const struct ulp_stats *more, uint64_t times)
{
    s->measured += times * more->measured;
    s->lost += times * more->lost;
    s->flushed += times * more->flushed;
    s->nan += times * more->nan;
    s->inf += times * more->inf;
    s->sign += times * more->sign;
    s->zero += times * more->zero;
}

/* Measures a tile outside a function's range, where all pairs are equal and most have an E of 0 or
 * none. */
static bool measure_equal_pairs(const struct scale *t, const float *got, const double *want,
                                struct ulp_stats *s, struct tile *tile)
{
    if (!all_pairs_equal(got, want)) return false;
    struct sums a = {.max = _mm256_set1_pd(-1)};
    struct ulp_stats four = {0};
    measure4(_mm256_set1_pd((double)got[0]), _mm256_set1_pd(want[0]), t, &a, &four);
    double max = _mm256_cvtsd_f64(a.max);
    if (max > 0) return false;
    *tile = (struct tile){.max = max};
    add_counts(s, &four, TILE / 4);
    return true;
}

/* ---- All tiles ------------------------------------------------------------------------------- */

/* The optional results beside the sums. */
struct extra {
    struct ulp_histogram *histogram; /* or NULL */
    struct ulp_regions *regions;     /* or NULL */
    bool at_end;
};

static enum ulp_region region_of(const struct scale *t, double want, bool at_end)
{
    double size = fabs(want);
    return size < _mm256_cvtsd_f64(t->least_normal) ? ULP_SUBNORMAL
           : at_end || size >= t->last_binade       ? ULP_ENDS
                                                    : ULP_NORMAL;
}

static void raise_region(struct ulp_regions *r, enum ulp_region region, double error, uint64_t at)
{
    if (error > r->of[region].max) r->of[region].max = error, r->of[region].at = at;
}

static size_t first_lost(const struct dtype *type, const float *got, const double *want)
{
    size_t i = 0;
    while (!ulp_is_lost(type, got[i], want[i])) i++;
    return i;
}

/* Returns the first result that has another sign, or is zero where the exact value is normal. */
static size_t first_odd(const struct scale *t, const float *got, const double *want)
{
    struct ulp_stats four = {0};
    size_t i = 0;
    for (;; i++) {
        struct sums a = {.max = _mm256_set1_pd(-1)};
        measure4(_mm256_set1_pd((double)got[i]), _mm256_set1_pd(want[i]), t, &a, &four);
        if (four.sign || four.zero) return i;
    }
}

static void measure_tile(const struct scale *t, const float *got, const double *want, size_t n,
                         uint64_t first, struct ulp_stats *s, const struct extra *more)
{
    double error[TILE];
    struct tile tile;
    struct ulp_regions *regions = more->regions;
    /* On a fast path all exact values are of one region. */
    enum ulp_region region = region_of(t, want[0], more->at_end);
    const uint64_t lost = s->lost, odd = s->sign + s->zero;
    double known = regions ? fmin(regions->of[region].max, s->max) : s->max;
    bool simple = n == TILE && !more->histogram &&
                  (measure_binade(t, got, want, known, s, &tile) ||
                   measure_equal_pairs(t, got, want, s, &tile));
    if (!simple) {
        tile = measure_general(t, got, want, n, error, s);
        while (tile.max > s->max && error[tile.at] != tile.max) tile.at++;
    }
    if (s->lost && !lost) s->lost_at = first + first_lost(t->type, got, want);
    if (s->sign + s->zero && !odd) s->odd_at = first + first_odd(t, got, want);
    if (regions && simple) raise_region(regions, region, tile.max, first + tile.at);
    for (size_t i = 0; regions && !simple && i < n; i++)
        raise_region(regions, region_of(t, want[i], more->at_end), error[i], first + i);
    s->sum += tile.sum;
    s->signed_sum += tile.signed_sum;
    s->misrounded += tile.misrounded;
    s->unfaithful += tile.unfaithful;
    if (tile.max > s->max) {
        s->max = tile.max;
        s->max_at = first + tile.at;
    }
    if (more->histogram) add_to_histogram(error, n, more->histogram);
}

static void measure(const struct dtype *type, const float *got, const double *want, size_t n,
                    uint64_t first, struct ulp_stats *s, const struct extra *more)
{
    struct scale t = scale_of(type);
    for (size_t i = 0; i < n; i += TILE)
        measure_tile(&t, got + i, want + i, n - i < TILE ? n - i : TILE, first + i, s, more);
}

void ulp_measure_as(const struct dtype *type, const float *got, const double *want, size_t n,
                    uint64_t first, struct ulp_stats *s, struct ulp_histogram *h)
{
    measure(type, got, want, n, first, s, &(struct extra){.histogram = h});
}

void ulp_measure_regions(const float *got, const double *want, size_t n, uint64_t first,
                         bool at_end, struct ulp_stats *s, struct ulp_regions *r)
{
    measure(&dtype_f32, got, want, n, first, s, &(struct extra){.regions = r, .at_end = at_end});
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
    if (!s->lost) s->lost_at = later->lost_at;
    if (!(s->sign + s->zero)) s->odd_at = later->odd_at;
    add_counts(s, later, 1);
    s->misrounded += later->misrounded;
    s->unfaithful += later->unfaithful;
    s->sum += later->sum;
    s->signed_sum += later->signed_sum;
}

void ulp_merge_histogram(struct ulp_histogram *h, const struct ulp_histogram *other)
{
    for (size_t i = 0; i < ULP_BINS; i++) h->bins[i] += other->bins[i];
}

void ulp_merge_regions(struct ulp_regions *r, const struct ulp_regions *later)
{
    for (enum ulp_region k = 0; k < ULP_REGIONS; k++)
        raise_region(r, k, later->of[k].max, later->of[k].at);
}

/* Returns the upper end of a bin. The first bin holds the errors below 2^-20 ulp, which count as
 * 0. */
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
    if (!(s->measured + s->lost)) return NAN;
    double rank = ceil(p * (double)(s->measured + s->lost));
    if (rank > (double)s->measured) return INFINITY;
    uint64_t seen = 0;
    for (size_t i = 0; i < ULP_BINS - 1; i++) {
        seen += h->bins[i];
        if (seen && (double)seen >= rank) return fmin(bin_end(i), s->max);
    }
    return s->max;
}

static uint64_t outside(const struct ulp_stats *s)
{
    return s->lost + s->flushed;
}

uint64_t ulp_elements(const struct ulp_stats *s)
{
    return s->measured + outside(s);
}

static double ulp_share(double part, uint64_t whole)
{
    return whole ? part / (double)whole : NAN;
}

double ulp_misrounded(const struct ulp_stats *s)
{
    return ulp_share((double)(s->misrounded + outside(s)), ulp_elements(s));
}

double ulp_unfaithful(const struct ulp_stats *s)
{
    return ulp_share((double)(s->unfaithful + outside(s)), ulp_elements(s));
}

double ulp_mean(const struct ulp_stats *s)
{
    return s->lost ? INFINITY : ulp_share(s->sum, s->measured);
}

double ulp_bias(const struct ulp_stats *s)
{
    return s->lost ? NAN : ulp_share(s->signed_sum, s->measured);
}

double ulp_error(float got, double want)
{
    int exponent = want == 0 ? -126 : ilogb(want);
    return fabs((double)got - want) * ldexp(1, 23 - (exponent < -126 ? -126 : exponent));
}

bool ulp_is_lost(const struct dtype *type, float got, double want)
{
    bool overflows = fabs(want) >= type->overflow;
    if (isnan(got) || isnan(want)) return !(isnan(got) && isnan(want));
    if (isinf(got)) return !(overflows && !signbit(got) == !signbit(want));
    return isinf(want);
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
        if (error > worst && error <= DBL_MAX)
            worst = error;
        else if (!(error <= DBL_MAX) && ulp_is_lost(type, got[i], want[i]))
            worst = INFINITY;
    }
    return ldexp(worst, type->fraction_bits + 1);
}
