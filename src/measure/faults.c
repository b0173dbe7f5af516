// SPDX-License-Identifier: MIT
#include "measure/faults.h"

#include <math.h>
#include <string.h>

#include "base/float_bits.h"
#include "oracle/f64_ulp.h"
#include "oracle/ulp.h"

/* The number of steps from zero at which a subnormal result is more than a rounding error. */
enum { VISIBLE_STEPS = 16 };

/* Beyond half of the digits of a type an error is no rounding error any more: so far a result may
 * be off to be an accurate one beside which another's is looked at. */
static double accurate_ulp(const struct dtype *t)
{
    return t == &dtype_f64 ? 0x1p26 : 0x1p12;
}

static double faults_value(const struct faults_row *r, const void *values, size_t i)
{
    if (r->want_f64) return ((const double *)values)[i];
    return (double)((const float *)values)[i];
}

/* Returns the exact value, in double rounded to it. */
static double faults_want(const struct faults_row *r, size_t i)
{
    return r->want_f64 ? r->want_f64[i].hi : r->want[i];
}

static bool faults_is_lost(const struct faults_row *r, size_t i, double got)
{
    if (r->want_f64) return f64_ulp_is_lost(got, r->want_f64[i]);
    return ulp_is_lost(r->type, (float)got, r->want[i]);
}

/* Returns 2^k. */
static double power_of_two(int k)
{
    const uint64_t bits = (uint64_t)(1023 + k) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* Returns the exponent of a number, of those below the least normal one that one's. */
static int exponent_of(double y, const struct dtype *t)
{
    uint64_t bits;
    memcpy(&bits, &y, sizeof bits);
    const int exponent = (int)(bits >> 52 & 2047) - 1023;
    return exponent < t->min_exponent ? t->min_exponent : exponent;
}

/* Returns the error in the unit to read; both are finite. */
static double error_of(const struct faults_row *r, size_t i, double got)
{
    const double want = faults_want(r, i);
    const struct dtype *t = r->type;
    const double off = fabs(got - want);
    if (r->want_f64 && r->op->sign_certain) return f64_ulp_error(got, r->want_f64[i]);
    if (r->op->sign_certain) return off * power_of_two(t->fraction_bits - exponent_of(want, t));
    const double floor = fmax(r->floor, r->floors ? r->floors[i] : 0);
    if (r->want_f64) return f64_ulp_scaled_error(&got, &r->want_f64[i], 1, floor);
    const double size = fmax(fmax(fabs(want), floor), power_of_two(t->min_exponent));
    return off / size * power_of_two(t->fraction_bits + 1);
}

static bool is_flushed(const struct faults_row *r, double got, double want)
{
    const double size = fabs(want);
    return got == 0 && size >= r->type->least && size < power_of_two(r->type->min_exponent);
}

/* Returns whether the result has an error: a flushed one has a count of its own. */
static bool has_error(const struct faults_row *r, double got, double want)
{
    return isfinite(got) && isfinite(want) && !is_flushed(r, got, want);
}

static bool is_wrong(const struct faults_row *r, size_t i, double got)
{
    const double want = faults_want(r, i);
    if (faults_is_lost(r, i, got)) return true;
    if (!has_error(r, got, want)) return false;
    if (r->op->sign_certain && !signbit(got) != !signbit(want) &&
        ((got != 0 && want != 0) || (got == 0 && fabs(want) < r->type->least)))
        return true;
    return error_of(r, i, got) >= power_of_two(r->type->fraction_bits);
}

static bool has_nan(const struct faults_row *r, size_t i)
{
    if (r->op->unary) return isnan(faults_value(r, r->x, i));
    size_t k = 0;
    while (k < r->n && !isnan(faults_value(r, r->x, k))) k++;
    return k < r->n;
}

static void add_wrong(struct faults *f, const struct faults_row *r, size_t i)
{
    const bool answered = isnan(faults_want(r, i)) && has_nan(r, i);
    if (!f->wrong || (f->wrong == f->answered && !answered)) {
        f->wrong_at = (struct fault_at){r->row, r->index + i};
    }
    f->wrong++;
    f->answered += answered;
}

/* A zero is told from a number where rounding alone cannot make one of the other; where terms
 * cancel it can. */
static bool is_zero_alone(const struct faults_row *r, double a, double b)
{
    return r->op->sign_certain && (a == 0) != (b == 0) &&
           fabs(a + b) >= VISIBLE_STEPS * r->type->least;
}

/* Returns how many results differ from the other variant's other than by an error. */
static uint64_t different(const struct faults *f)
{
    return f->its_wrong + f->nan + f->inf + f->zero;
}

static uint64_t bits_of(double a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static void add_beside(struct faults *f, const struct faults_row *r, size_t i, bool wrong)
{
    const double got = faults_value(r, r->got, i), other = faults_value(r, r->other, i);
    const double want = faults_want(r, i);
    const struct fault_at at = {r->row, r->index + i};
    const uint64_t before = different(f);
    f->its_wrong += wrong && !is_wrong(r, i, other);
    f->nan += !isnan(got) != !isnan(other);
    f->inf += !isnan(got) && !isnan(other) && !isinf(got) != !isinf(other);
    f->zero += isfinite(got) && isfinite(other) && is_zero_alone(r, got, other);
    if (!before && different(f)) f->beside_at = at;
    if (isnan(got) && isnan(other) && bits_of(got) != bits_of(other)) {
        if (!f->payloads) f->payload_at = at;
        f->payloads++;
    }
    if (!has_error(r, got, want) || !has_error(r, other, want)) return;
    const double there = error_of(r, i, other), here = error_of(r, i, got);
    if (there > accurate_ulp(r->type)) return;
    f->accurate++;
    f->here = fmax(f->here, here);
    f->there = fmax(f->there, there);
    f->here_sum += here;
    f->there_sum += there;
}

static uint64_t mixed(const struct faults_row *r, uint64_t h, double y)
{
    const uint64_t bits = isnan(y)      ? 0x7fc00000u
                          : r->want_f64 ? bits_of(y)
                                        : bits_of_float((float)y);
    h = (h ^ bits) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

void faults_add(struct faults *f, const struct faults_row *r)
{
    uint64_t hash = 0xcbf29ce484222325u + r->row * OUTPUTS_MAX + r->index;
    for (size_t i = 0; i < r->count; i++) {
        const double got = faults_value(r, r->got, i), want = faults_want(r, i);
        const bool wrong = is_wrong(r, i, got);
        hash = mixed(r, hash, got);
        if (wrong) add_wrong(f, r, i);
        f->lost += wrong && !has_error(r, got, want);
        f->flushed += is_flushed(r, got, want);
        if (has_error(r, got, want)) {
            const double error = error_of(r, i, got);
            f->compared += want != 0;
            f->measured++;
            f->error = fmax(f->error, error);
            f->sum += error;
        }
        if (r->other) add_beside(f, r, i, wrong);
    }
    f->numbers += hash;
}

void faults_merge(struct faults *f, const struct faults *later)
{
    if (later->wrong && (!f->wrong || (f->wrong == f->answered && later->wrong > later->answered)))
        f->wrong_at = later->wrong_at;
    if (!different(f)) f->beside_at = later->beside_at;
    if (!f->payloads) f->payload_at = later->payload_at;
    f->payloads += later->payloads;
    f->compared += later->compared;
    f->wrong += later->wrong;
    f->answered += later->answered;
    f->lost += later->lost;
    f->flushed += later->flushed;
    f->error = fmax(f->error, later->error);
    f->sum += later->sum;
    f->measured += later->measured;
    f->numbers += later->numbers;
    f->its_wrong += later->its_wrong;
    f->nan += later->nan;
    f->inf += later->inf;
    f->zero += later->zero;
    f->here = fmax(f->here, later->here);
    f->there = fmax(f->there, later->there);
    f->here_sum += later->here_sum;
    f->there_sum += later->there_sum;
    f->accurate += later->accurate;
}

double faults_mean(const struct faults *f)
{
    if (f->lost > f->answered) return INFINITY;
    return f->measured ? f->sum / (double)f->measured : NAN;
}
