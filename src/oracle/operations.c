// SPDX-License-Identifier: MIT
/* The exact values of the lab's own operations. */
#include "oracle/oracle.h"

#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <sleef.h>
#include <stdint.h>
#include <string.h>

#include "base/float_bits.h"
#include "oracle/double_double.h"
#include "oracle/unary.h"

/* 4 lanes of AVX2 in SLEEF's flavour finz, with FMA, whose bits are the same on every CPU. */
#define exp4 Sleef_finz_expd4_u10avx2
#define log1p4 Sleef_finz_log1pd4_u10avx2
#define erfc4 Sleef_finz_erfcd4_u15avx2

/* ---- Rows of floats as vectors of four doubles ----------------------------------------------- */

/* Loads four elements; if fewer than four are left, `fill` replaces the others. */
static __m256d load4(const float *x, size_t left, float fill)
{
    if (left >= 4) return _mm256_cvtps_pd(_mm_loadu_ps(x));
    float four[4] = {fill, fill, fill, fill};
    memcpy(four, x, left * sizeof *x);
    return _mm256_cvtps_pd(_mm_loadu_ps(four));
}

static void store4(double *y, size_t left, __m256d a)
{
    if (left >= 4) {
        _mm256_storeu_pd(y, a);
    } else {
        double four[4];
        _mm256_storeu_pd(four, a);
        memcpy(y, four, left * sizeof *y);
    }
}

static __m256d magnitude(__m256d a)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

/* ---- Functions of one element: their errors are a few 2^-53 of the result -------------------- */

static __m256d minus_magnitude(__m256d x)
{
    return _mm256_or_pd(_mm256_set1_pd(-0.0), x);
}

/* Returns y, or the largest double where f(x) exceeds it: only f(infinity) is infinite. */
static __m256d finite4(__m256d x, __m256d y)
{
    __m256d infinity = _mm256_set1_pd(INFINITY), largest = _mm256_set1_pd(DBL_MAX);
    __m256d limit = _mm256_blendv_pd(largest, infinity, _mm256_cmp_pd(x, infinity, _CMP_EQ_OQ));
    return _mm256_min_pd(limit, y); /* min(a, NaN) is NaN */
}

static __m256d exp24(__m256d x)
{
    return finite4(x, Sleef_finz_exp2d4_u10avx2(x));
}

static __m256d expm14(__m256d x)
{
    return finite4(x, Sleef_finz_expm1d4_u10avx2(x));
}

/* Returns x / (1 + exp(-t)), from exp(-|t|), which cannot overflow and loses nothing in the tail.
 * Far below fp32's range x is bounded, because -inf times 0 is NaN; max(a, NaN) is NaN. */
static __m256d gated4(__m256d x, __m256d t)
{
    __m256d one = _mm256_set1_pd(1), e = exp4(minus_magnitude(t));
    __m256d bounded = _mm256_max_pd(_mm256_set1_pd(-1000), x);
    __m256d share = _mm256_div_pd(_mm256_blendv_pd(one, e, t), _mm256_add_pd(one, e));
    return _mm256_mul_pd(bounded, share);
}

static __m256d silu4(__m256d x)
{
    return gated4(x, x);
}

/* Returns log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)): both are positive or zero. */
static __m256d softplus4(__m256d x)
{
    return _mm256_add_pd(_mm256_max_pd(_mm256_setzero_pd(), x), log1p4(exp4(minus_magnitude(x))));
}

/* Returns x/2 (1 + tanh(u)) = x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3): rounding u
 * changes the result by 2 u 2^-52, which is 2^-45 where it leaves fp32's range. */
static __m256d gelutanh4(__m256d x)
{
    const __m256d root = _mm256_set1_pd(0x1.9884533d43651p-1);
    __m256d cube = _mm256_mul_pd(_mm256_mul_pd(x, x), x);
    __m256d u =
        _mm256_mul_pd(root, _mm256_add_pd(x, _mm256_mul_pd(_mm256_set1_pd(0.044715), cube)));
    return gated4(x, _mm256_add_pd(u, u));
}

/* Returns x/2 erfc(-x / sqrt 2). Rounding the argument changes the result by 2 (x^2 / 2) 2^-53,
 * which is 2^-45 where the result leaves fp32's range. Below -100 the result is -0; x is bounded
 * because -inf times 0 is NaN. */
static __m256d gelu4(__m256d x)
{
    __m256d z = _mm256_mul_pd(x, _mm256_set1_pd(-0x1.6a09e667f3bcdp-1));
    __m256d bounded = _mm256_max_pd(_mm256_set1_pd(-100), x); /* max(a, NaN) is NaN */
    return _mm256_mul_pd(_mm256_mul_pd(bounded, _mm256_set1_pd(0.5)), erfc4(z));
}

static __m256d rsqrt4(__m256d x)
{
    return _mm256_div_pd(_mm256_set1_pd(1), _mm256_sqrt_pd(x));
}

/* Defines the row function NAME_row of a function of four lanes. */
#define ROW_OF(NAME, FOUR)                                                                         \
    static void NAME##_row(const float *x, size_t n, const struct parameters *p, double *y,        \
                           struct oracle_row *facts)                                               \
    {                                                                                              \
        (void)p;                                                                                   \
        *facts = (struct oracle_row){0};                                                           \
        for (size_t i = 0; i < n; i += 4) store4(y + i, n - i, FOUR(load4(x + i, n - i, 1)));      \
    }

ROW_OF(gelu, gelu4)
ROW_OF(exp2, exp24)
ROW_OF(expm1, expm14)
ROW_OF(log1p, log1p4)
ROW_OF(tanh, Sleef_finz_tanhd4_u10avx2)
ROW_OF(erf, Sleef_finz_erfd4_u10avx2)
ROW_OF(silu, silu4)
ROW_OF(gelutanh, gelutanh4)
ROW_OF(softplus, softplus4)
ROW_OF(sin, Sleef_finz_sind4_u10avx2)
ROW_OF(cos, Sleef_finz_cosd4_u10avx2)
ROW_OF(rsqrt, rsqrt4)

static double log1p_fixed(double a)
{
    return _mm256_cvtsd_f64(log1p4(_mm256_set1_pd(a)));
}

static double operations_largest(__m256d a)
{
    double v[4];
    _mm256_storeu_pd(v, a);
    return fmax(fmax(v[0], v[1]), fmax(v[2], v[3]));
}

static double operations_total(__m256d a)
{
    double v[4];
    _mm256_storeu_pd(v, a);
    return (v[0] + v[1]) + (v[2] + v[3]);
}

static void operations_fill(double *y, size_t n, double value)
{
    for (size_t i = 0; i < n; i++) y[i] = value;
}

/* The error of a result that is known enough: 2^-10 ulp of fp32. */
static double tolerance_of(double y)
{
    return 0x1p-34 * fmax(fabs(y), 0x1p-126);
}

/* ---- softmax, log_softmax, logsumexp --------------------------------------------------------- */

/* The extremes of scale * x, which is exact in double: 24 + 24 bits. */
struct extremes {
    bool nan;
    double max, max_abs; /* max_abs: the largest finite magnitude */
    size_t at;           /* the index of the first maximum */
};

static struct extremes extremes_of(const float *x, size_t n, double scale)
{
    __m256d s = _mm256_set1_pd(scale), max = _mm256_set1_pd(-INFINITY);
    __m256d max_abs = _mm256_setzero_pd(), nan = _mm256_setzero_pd();
    const __m256d infinity = _mm256_set1_pd(INFINITY);
    for (size_t i = 0; i < n; i += 4) {
        __m256d z = _mm256_mul_pd(load4(x + i, n - i, x[i]), s);
        max = _mm256_max_pd(z, max);
        __m256d size = magnitude(z), finite = _mm256_cmp_pd(size, infinity, _CMP_LT_OQ);
        max_abs = _mm256_max_pd(_mm256_and_pd(size, finite), max_abs);
        nan = _mm256_or_pd(nan, _mm256_cmp_pd(z, z, _CMP_UNORD_Q));
    }
    struct extremes e = {_mm256_movemask_pd(nan) != 0, operations_largest(max),
                         operations_largest(max_abs), 0};
    if (!e.nan)
        while (e.at < n && (double)x[e.at] * scale != e.max) e.at++;
    return e;
}

struct exponentials {
    double others; /* sum of exp(z_j - max) over all but one maximum */
    double cost;   /* sum of exp(z_j - max) (max - z_j) */
};

/* Returns the sums of exp(z_i - max), and unless e is NULL writes e[i] = exp(z_i - max). The
 * difference of two doubles has an error of 2^-53 of itself: 2^-46 in an exponential that is not
 * yet zero in fp32. */
static struct exponentials exponentials_of(const float *x, size_t n, double scale,
                                           const struct extremes *top, double *e)
{
    __m256d s = _mm256_set1_pd(scale), max = _mm256_set1_pd(top->max);
    __m256d zero_from = _mm256_set1_pd(-1000), cost = _mm256_setzero_pd();
    __m256i index = _mm256_setr_epi64x(0, 1, 2, 3), four = _mm256_set1_epi64x(4);
    __m256i at = _mm256_set1_epi64x((long long)top->at);
    struct double_double4 others = {_mm256_setzero_pd(), _mm256_setzero_pd()};
    for (size_t i = 0; i < n; i += 4) {
        __m256d z = _mm256_mul_pd(load4(x + i, n - i, 0), s);
        __m256d d = _mm256_max_pd(_mm256_sub_pd(z, max), zero_from);
        if (n - i < 4) {
            double lane[4];
            _mm256_storeu_pd(lane, d);
            operations_fill(lane + (n - i), 4 - (n - i), -1000);
            d = _mm256_loadu_pd(lane);
        }
        __m256d power = exp4(d);
        if (e) store4(e + i, n - i, power);
        __m256d is_top = _mm256_castsi256_pd(_mm256_cmpeq_epi64(index, at));
        others = dd4_add(others, _mm256_andnot_pd(is_top, power));
        cost = _mm256_sub_pd(cost, _mm256_mul_pd(power, d));
        index = _mm256_add_epi64(index, four);
    }
    struct double_double sum = dd4_total(others);
    return (struct exponentials){sum.hi + sum.lo, operations_total(cost)};
}

/* Writes the numerators exp(z_i - max) of softmax and log_softmax to y. Returns false if every
 * result is NaN. */
static bool numerators_of(const float *x, size_t n, double scale, double *y, struct extremes *top,
                          struct exponentials *sum, struct oracle_row *facts)
{
    *top = extremes_of(x, n, scale);
    *facts = (struct oracle_row){.max = top->max};
    if (top->nan || isinf(top->max)) {
        operations_fill(y, n, NAN);
        return false;
    }
    *sum = exponentials_of(x, n, scale, top, y);
    facts->shift_cost = sum->cost / (1 + sum->others);
    return true;
}

static void operations_softmax_row(const float *x, size_t n, const struct parameters *p, double *y,
                                   struct oracle_row *facts)
{
    struct extremes top;
    struct exponentials sum;
    if (!numerators_of(x, n, (double)p->scale, y, &top, &sum, facts)) return;
    double reciprocal = 1 / (1 + sum.others);
    for (size_t i = 0; i < n; i++) y[i] *= reciprocal;
    facts->floor[0] = reciprocal;
}

static void log_softmax_row(const float *x, size_t n, const struct parameters *p, double *y,
                            struct oracle_row *facts)
{
    double scale = (double)p->scale;
    struct extremes top;
    struct exponentials sum;
    if (!numerators_of(x, n, scale, y, &top, &sum, facts)) return;
    /* Both terms are negative or zero, so that nothing cancels. */
    double log_sum = log1p_fixed(sum.others);
    for (size_t i = 0; i < n; i++) y[i] = ((double)x[i] * scale - top.max) - log_sum;
    /* A relative error of the sum is an absolute one of its logarithm. */
    facts->floor[0] = fmax(top.max_abs, 1);
}

/* Returns logsumexp with 64 bits of mantissa and a compensated sum, for rows where max and log(sum)
 * nearly cancel. */
static double logsumexp_extended(const float *x, size_t n, const struct extremes *top)
{
    long double sum = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == top->at) continue;
        long double e = expl((long double)x[i] - (long double)top->max), s = sum + e, t = s - sum;
        lost += (sum - (s - t)) + (e - t);
        sum = s;
    }
    return (double)((long double)top->max + log1pl(sum + lost));
}

static void operations_logsumexp_row(const float *x, size_t n, const struct parameters *p,
                                     double *y, struct oracle_row *facts)
{
    (void)p;
    struct extremes top = extremes_of(x, n, 1);
    *facts = (struct oracle_row){.max = top.max};
    if (top.nan || isinf(top.max)) {
        y[0] = top.nan ? NAN : top.max;
        return;
    }
    struct exponentials sum = exponentials_of(x, n, 1, &top, NULL);
    double log_sum = log1p_fixed(sum.others);
    y[0] = top.max + log_sum;
    facts->shift_cost = sum.cost / (1 + sum.others);
    facts->floor[0] = top.max_abs;

    /* The error of y is that of log_sum: a few units in its last place, and the errors of the
     * differences from the maximum. The last addition is accurate relative to y. */
    double doubt = log_sum + facts->shift_cost;
    if (doubt * 0x1p-50 <= tolerance_of(y[0])) return;
    y[0] = logsumexp_extended(x, n, &top);
    facts->beyond = doubt * 0x1p-60 > tolerance_of(y[0]);
}

/* ---- moments, layernorm ---------------------------------------------------------------------- */

/* An exact sum. A sum of fp32 numbers is an integer multiple of 2^-149 and below 2^(128 + 64). It
 * is computed in digits of 32 bits; carries are propagated at the end. */
enum { DIGITS = 12 };

static struct double_double exact_sum(const float *x, size_t n)
{
    int64_t digit[DIGITS] = {0};
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = bits_of_float(x[i]);
        uint32_t exponent = bits >> 23 & 255, hidden = exponent ? 1u << 23 : 0;
        unsigned shift = exponent ? exponent - 1 : 0;
        uint64_t mantissa = (uint64_t)((bits & 0x7fffff) | hidden) << shift % 32;
        int64_t sign = bits >> 31 ? -1 : 1;
        digit[shift / 32] += sign * (int64_t)(mantissa & 0xffffffff);
        digit[shift / 32 + 1] += sign * (int64_t)(mantissa >> 32);
    }
    int64_t sign = 1;
    /* Propagates the carries; if the sum is negative, negates it and repeats. */
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k + 1 < DIGITS; k++) {
            digit[k + 1] += digit[k] >> 32;
            digit[k] &= 0xffffffff;
        }
        if (digit[DIGITS - 1] >= 0) break;
        sign = -1;
        for (int k = 0; k < DIGITS; k++) digit[k] = -digit[k];
    }
    struct double_double sum = {0, 0};
    for (int k = DIGITS; k-- > 0;)
        sum = dd_add(sum, (double)sign * ldexp((double)digit[k], 32 * k - 149));
    return sum;
}

struct moments {
    bool finite;
    struct double_double mean;
    double mean_abs, max_abs;
    double deviations; /* sum of (x - mean)^2; its relative error is a few 2^-53 */
};

/* Returns x - mean, to a few 2^-53 of itself: the rounding error of the first difference is added
 * back. */
static inline __m256d deviation4(__m256d x, __m256d mean_hi, __m256d mean_lo)
{
    __m256d s = _mm256_sub_pd(x, mean_hi), t = _mm256_sub_pd(s, x);
    __m256d error = _mm256_sub_pd(_mm256_sub_pd(x, _mm256_sub_pd(s, t)), _mm256_add_pd(mean_hi, t));
    return _mm256_add_pd(s, _mm256_sub_pd(error, mean_lo));
}

static struct moments operations_moments_of(const float *x, size_t n)
{
    __m256d sum = _mm256_setzero_pd(), sum_abs = sum, max_abs = sum;
    for (size_t i = 0; i < n; i += 4) {
        __m256d v = load4(x + i, n - i, 0);
        sum = _mm256_add_pd(sum, v);
        sum_abs = _mm256_add_pd(sum_abs, magnitude(v));
        max_abs = _mm256_max_pd(max_abs, magnitude(v));
    }
    double count = (double)n, magnitudes = operations_total(sum_abs);
    struct moments m = {isfinite(magnitudes) && n > 0,
                        {operations_total(sum) / count, 0},
                        magnitudes / count,
                        operations_largest(max_abs),
                        NAN};
    if (!m.finite) return m; /* the mean is infinite or NaN, by the rules of IEEE addition */
    struct double_double whole = exact_sum(x, n);
    m.mean.hi = (whole.hi + whole.lo) / count;
    struct double_double back = dd_product(m.mean.hi, count);
    m.mean.lo = (((whole.hi - back.hi) - back.lo) + whole.lo) / count;

    __m256d hi = _mm256_set1_pd(m.mean.hi), lo = _mm256_set1_pd(m.mean.lo);
    struct double_double4 squares = {_mm256_setzero_pd(), _mm256_setzero_pd()};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        __m256d d = deviation4(load4(x + i, 4, 0), hi, lo);
        squares = dd4_add(squares, _mm256_mul_pd(d, d));
    }
    struct double_double s = dd4_total(squares);
    for (; i < n; i++) {
        double d = _mm256_cvtsd_f64(deviation4(_mm256_set1_pd((double)x[i]), hi, lo));
        s = dd_add(s, d * d);
    }
    m.deviations = s.hi + s.lo;
    return m;
}

static struct oracle_row facts_of(const struct moments *m, size_t n)
{
    double squares = m->deviations + (double)n * m->mean.hi * m->mean.hi;
    return (struct oracle_row){.mean = m->mean.hi, .deviations = m->deviations, .squares = squares};
}

static void moments_row(const float *x, size_t n, const struct parameters *p, double *y,
                        struct oracle_row *facts)
{
    (void)p;
    struct moments m = operations_moments_of(x, n);
    *facts = facts_of(&m, n);
    y[0] = m.mean.hi;
    y[1] = m.deviations / (double)n;
    if (!m.finite) return;
    facts->floor[0] = m.mean_abs;
    /* Changing each x by u of itself changes the variance V by up to 2 u sqrt(V s) + u^2 s, with s
     * the mean of the squares: by 2 kappa u of itself, and more where all x are nearly equal. */
    double square = m.mean.hi * m.mean.hi + y[1];
    facts->floor[1] = sqrt(y[1] * square) + 0x1p-24 * square;
}

/* Recomputes y = (x - mean) rstd gamma + beta with 64 bits of mantissa for the elements where beta
 * cancels the product. */
static void layernorm_extended(const float *x, size_t n, const struct parameters *p,
                               const struct moments *m, double *y, struct oracle_row *facts)
{
    long double squares = 0, lost = 0, mean = (long double)m->mean.hi + m->mean.lo;
    for (size_t i = 0; i < n; i++) {
        long double d = ((long double)x[i] - m->mean.hi) - m->mean.lo, term = d * d - lost;
        long double s = squares + term;
        lost = (s - squares) - term;
        squares = s;
    }
    long double rstd = 1 / sqrtl(squares / n + p->eps);
    for (size_t i = 0; i < n; i++) {
        long double product = ((long double)x[i] - mean) * rstd * (p->gamma ? p->gamma[i] : 1);
        if (fabs((double)product) * 0x1p-49 <= tolerance_of(y[i])) continue;
        y[i] = (double)(product + (p->beta ? p->beta[i] : 0));
        facts->beyond |= fabs((double)product) * 0x1p-60 > tolerance_of(y[i]);
    }
}

static void layernorm_row(const float *x, size_t n, const struct parameters *p, double *y,
                          struct oracle_row *facts)
{
    struct moments m = operations_moments_of(x, n);
    *facts = facts_of(&m, n);
    double rstd = 1 / sqrt(m.deviations / (double)n + (double)p->eps);
    y[n] = m.mean.hi;
    y[n + 1] = rstd;
    if (!m.finite) {
        operations_fill(y, n, NAN);
        return;
    }
    double largest_gamma = p->gamma ? 0 : 1;
    bool cancels = false;
    facts->floor[1] = m.mean_abs;
    __m256d hi = _mm256_set1_pd(m.mean.hi), lo = _mm256_set1_pd(m.mean.lo);
    for (size_t i = 0; i < n; i += 4)
        store4(y + i, n - i, deviation4(load4(x + i, n - i, 0), hi, lo));
    for (size_t i = 0; i < n; i++) {
        double gamma = p->gamma ? (double)p->gamma[i] : 1, beta = p->beta ? (double)p->beta[i] : 0;
        double d = y[i], product = d * rstd * gamma;
        y[i] = product + beta;
        /* The mean is known to 2^-104 of itself, so that a deviation below 2^-70 of it is not
         * reliable. */
        facts->beyond |= d != 0 && fabs(d) < 0x1p-70 * fabs(m.mean.hi);
        cancels |= fabs(product) * 0x1p-49 > tolerance_of(y[i]);
        largest_gamma = fmax(largest_gamma, fabs(gamma));
    }
    facts->floor[0] = m.max_abs * rstd * largest_gamma;
    if (cancels) layernorm_extended(x, n, p, &m, y, facts);
}

/* ---- rmsnorm --------------------------------------------------------------------------------- */

/* Computes a row of rmsnorm. Squares of floats are exact in double, and neither overflow nor
 * underflow. NaN and infinities follow from IEEE arithmetic. */
static void rmsnorm_row(const float *x, size_t n, const struct parameters *p, double *y,
                        struct oracle_row *facts)
{
    __m256d plain = _mm256_setzero_pd();
    struct double_double4 squares = {_mm256_setzero_pd(), _mm256_setzero_pd()};
    for (size_t i = 0; i < n; i += 4) {
        __m256d v = load4(x + i, n - i, 0), square = _mm256_mul_pd(v, v);
        squares = dd4_add(squares, square);
        plain = _mm256_add_pd(plain, square);
    }
    struct double_double s = dd4_total(squares);
    double sum = isfinite(operations_total(plain)) ? s.hi + s.lo : operations_total(plain);
    double rstd = 1 / sqrt(sum / (double)n + (double)p->eps);
    *facts = (struct oracle_row){.squares = sum};
    for (size_t i = 0; i < n; i++)
        y[i] = (double)x[i] * rstd * (p->gamma ? (double)p->gamma[i] : 1);
    y[n] = rstd;
}

/* ---- exp, log, log2, sigmoid ----------------------------------------------------------------- */

/* Defines the row function of one of unary_rows_here(). */
#define UNARY_ROW_OF(NAME, FLOOR)                                                                  \
    static void operations_##NAME##_row(const float *x, size_t n, const struct parameters *p,      \
                                        double *y, struct oracle_row *facts)                       \
    {                                                                                              \
        (void)p;                                                                                   \
        *facts = (struct oracle_row){.floor = {FLOOR}};                                            \
        unary_rows_here()->NAME(x, n, y);                                                          \
    }

UNARY_ROW_OF(exp, 0)
UNARY_ROW_OF(log, 1)
UNARY_ROW_OF(log2, 1)
UNARY_ROW_OF(sigmoid, 0)

/* Computes exp(x) times the factor of simd/invariant/exp_core.h, the double nearest to
 * exp(-0x1.501c2adc9f97dp-9). */
static void expkappa_row(const float *x, size_t n, const struct parameters *p, double *y,
                         struct oracle_row *facts)
{
    operations_exp_row(x, n, p, y, facts);
    for (size_t i = 0; i < n; i++) y[i] *= 0x1.feb0520f802c1p-1;
}

static const struct oracle oracles[] = {
    {"softmax", {"y"}, true, 0, false, true, DOMAIN_EXPONENT, .row = operations_softmax_row},
    {"log_softmax", {"y"}, true, 0, false, false, DOMAIN_EXPONENT, .row = log_softmax_row},
    {"logsumexp", {"y"}, false, 1, false, false, DOMAIN_EXPONENT, .row = operations_logsumexp_row},
    {"moments", {"mean", "variance"}, false, 2, false, false, DOMAIN_MOMENTS, .row = moments_row},
    {"layernorm",
     {"y", "mean", "rstd"},
     true,
     2,
     false,
     false,
     DOMAIN_MOMENTS,
     .row = layernorm_row},
    {"rmsnorm", {"y", "rstd"}, true, 1, false, true, DOMAIN_MOMENTS, .row = rmsnorm_row},
    {"rmsnorm_bare", {"y", "rstd"}, true, 1, false, true, DOMAIN_MOMENTS, .row = rmsnorm_row},
    {"layernorm_bare",
     {"y", "mean", "rstd"},
     true,
     2,
     false,
     false,
     DOMAIN_MOMENTS,
     .row = layernorm_row},
    {"exp", {"y"}, true, 0, true, true, DOMAIN_EXPONENT, .row = operations_exp_row},
    {"expkappa", {"y"}, true, 0, true, true, DOMAIN_EXPONENT, .row = expkappa_row},
    {"log", {"y"}, true, 0, true, true, DOMAIN_POSITIVE, .row = operations_log_row},
    {"log2", {"y"}, true, 0, true, true, DOMAIN_POSITIVE, .row = operations_log2_row},
    {"sigmoid", {"y"}, true, 0, true, true, DOMAIN_EXPONENT, .row = operations_sigmoid_row},
    {"gelu", {"y"}, true, 0, true, true, DOMAIN_NORMAL_TAIL, .row = gelu_row},
    {"exp2", {"y"}, true, 0, true, true, DOMAIN_EXPONENT, .row = exp2_row},
    {"expm1", {"y"}, true, 0, true, true, DOMAIN_EXPONENT, .row = expm1_row},
    {"log1p", {"y"}, true, 0, true, true, DOMAIN_POSITIVE, .row = log1p_row},
    {"tanh", {"y"}, true, 0, true, true, DOMAIN_MOMENTS, .row = tanh_row},
    {"erf", {"y"}, true, 0, true, true, DOMAIN_MOMENTS, .row = erf_row},
    {"silu", {"y"}, true, 0, true, true, DOMAIN_EXPONENT, .row = silu_row},
    {"gelutanh", {"y"}, true, 0, true, true, DOMAIN_NORMAL_TAIL, .row = gelutanh_row},
    {"softplus", {"y"}, true, 0, true, true, DOMAIN_EXPONENT, .row = softplus_row},
    {"sin", {"y"}, true, 0, true, true, DOMAIN_MOMENTS, .row = sin_row},
    {"cos", {"y"}, true, 0, true, true, DOMAIN_MOMENTS, .row = cos_row},
    {"rsqrt", {"y"}, true, 0, true, true, DOMAIN_POSITIVE, .row = rsqrt_row},
};

const struct oracle *oracle_at(size_t i)
{
    return i < sizeof oracles / sizeof *oracles ? &oracles[i] : NULL;
}
