// SPDX-License-Identifier: MIT
#include "oracle/f64_ulp.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "oracle/ulp.h"

static const double largest_error = 0x1p1000;

/* Returns whether |y| is below |hi|, lo pointing towards zero. */
static bool is_below_hi(struct f64_value y)
{
    return y.lo != 0 && signbit(y.lo) != signbit(y.hi);
}

/* Returns e: ulp(y) = 2^(e - 52). */
static int ulp_exponent(struct f64_value y)
{
    if (isinf(y.hi)) return ilogb(y.lo) + 52;
    int e = y.hi == 0 ? -1022 : ilogb(y.hi);
    /* Just below a power of two the unit is that of the lower binade. */
    if (fabs(y.hi) == ldexp(1, e) && is_below_hi(y)) e--;
    return e < -1022 ? -1022 : e;
}

static double limited(double error)
{
    return error > largest_error ? largest_error : error < -largest_error ? -largest_error : error;
}

/* Returns 2^e, e of a normal number. */
static double f64_ulp_power(int64_t e)
{
    int64_t bits = (e + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* Returns (got - y) / ulp(y); both are finite. y = hi + lo 2^-52, or where hi is infinite lo 2^52.
 */
static double signed_error(double got, struct f64_value y)
{
    int64_t bits;
    memcpy(&bits, &y.hi, sizeof bits);
    const int64_t exponent = (bits >> 52 & 2047) - 1023;
    if (exponent > -900 && exponent < 1000) { /* as below, without calls */
        const int64_t e = exponent - (!(bits & 0xfffffffffffff) && is_below_hi(y));
        return limited((got - y.hi) * f64_ulp_power(52 - e) - y.lo * f64_ulp_power(-e));
    }
    int e = ulp_exponent(y);
    return limited(isinf(y.hi) ? ldexp(ldexp(got, -52) - y.lo, 104 - e)
                               : ldexp(got - y.hi, 52 - e) - ldexp(y.lo, -e));
}

/* Returns whether |y| is at least `size`, a double. */
static bool is_at_least(struct f64_value y, double size)
{
    return fabs(y.hi) > size || (fabs(y.hi) == size && !is_below_hi(y));
}

bool f64_ulp_is_lost(double got, struct f64_value want)
{
    if (isnan(got) || isnan(want.hi)) return !(isnan(got) && isnan(want.hi));
    if (isinf(got)) return got != want.hi;
    return isinf(want.lo);
}

/* How a result is counted. */
struct kind {
    bool lost, flushed, agree; /* agree: both NaN, or the infinity to which y rounds */
    bool nan, inf, sign, zero;
};

static struct kind f64_kind_of(double got, struct f64_value want)
{
    struct kind k = {.nan = isnan(got) != isnan(want.hi), .lost = f64_ulp_is_lost(got, want)};
    k.agree = !k.lost && (isnan(got) || isinf(got));
    if (k.nan || isnan(got)) return k;
    bool opposite = !signbit(got) != !signbit(want.hi), exactly_zero = want.hi == 0 && want.lo == 0;
    k.inf = !isinf(got) != !isinf(want.hi);
    bool visible = is_at_least(want, DBL_TRUE_MIN), vanishes = got == 0 && !visible;
    k.sign = opposite && !k.inf && (vanishes || !(got == 0 || exactly_zero));
    bool vanished = got == 0 && visible && !k.inf;
    k.zero = vanished && is_at_least(want, DBL_MIN);
    k.flushed = vanished && !k.zero;
    return k;
}

double f64_ulp_error(double got, struct f64_value want)
{
    struct kind k = f64_kind_of(got, want);
    return k.lost || k.agree || k.flushed ? -1 : fabs(signed_error(got, want));
}

/* Adds one element; returns its E, or -1 if it has none. */
static double f64_add_element(double got, struct f64_value want, uint64_t at, struct ulp_stats *s)
{
    struct kind k = f64_kind_of(got, want);
    if (k.lost && !s->lost) s->lost_at = at;
    if ((k.sign || k.zero) && !(s->sign + s->zero)) s->odd_at = at;
    s->lost += k.lost;
    s->flushed += k.flushed;
    s->nan += k.nan;
    s->inf += k.inf;
    s->sign += k.sign;
    s->zero += k.zero;
    if (k.lost || k.agree || k.flushed) return -1;
    double difference = signed_error(got, want), error = fabs(difference);
    s->measured++;
    s->sum += error;
    s->signed_sum += difference;
    s->misrounded += error > 0.5;
    s->unfaithful += error >= 1;
    if (error > s->max) s->max = error, s->max_at = at;
    return error;
}

void f64_ulp_measure(const double *got, const struct f64_value *want, size_t count, uint64_t first,
                     struct ulp_stats *s, struct ulp_histogram *h)
{
    for (size_t i = 0; i < count; i++) {
        double error = f64_add_element(got[i], want[i], first + i, s);
        if (h && error >= 0) ulp_histogram_add(h, error);
    }
}

double f64_ulp_measure_region(double got, struct f64_value want, uint64_t at, bool at_end,
                              struct ulp_stats *s, struct ulp_regions *r)
{
    double error = f64_add_element(got, want, at, s), size = fabs(want.hi);
    enum ulp_region region = !is_at_least(want, DBL_MIN)    ? ULP_SUBNORMAL
                             : at_end || !(size < 0x1p1023) ? ULP_ENDS
                                                            : ULP_NORMAL;
    if (error > r->of[region].max) r->of[region].max = error, r->of[region].at = at;
    return error;
}

double f64_ulp_scaled_error(const double *got, const struct f64_value *want, size_t n, double floor)
{
    double least = fmax(floor, DBL_MIN), worst = 0;
    for (size_t i = 0; i < n; i++) {
        if (f64_ulp_is_lost(got[i], want[i])) return INFINITY;
        if (!isfinite(got[i]) || isinf(want[i].hi)) continue;
        /* In units of the value's own power of two, so that nothing overflows. */
        int e = ilogb(fmax(fabs(want[i].hi), least));
        double size = ldexp(fmax(fabs(want[i].hi), least), -e);
        double error = ldexp(got[i] / 2 - want[i].hi / 2, 1 - e) - ldexp(want[i].lo, -52 - e);
        worst = fmax(worst, fabs(error) / size);
    }
    return ldexp(worst, 53);
}
