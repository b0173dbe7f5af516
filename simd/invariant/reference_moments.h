/* Rows of moments and layernorm, for reference.h.
 *
 * With a pivot c near the mean, e = sum(x - c) and q = sum((x - c)^2):
 *   mean = c + e / n,  variance = (q - e^2 / n) / n */
#ifndef INVARIANT_REFERENCE_MOMENTS_H
#define INVARIANT_REFERENCE_MOMENTS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "reference_order.h"

/* ---- Sums about a pivot ---------------------------------------------------------------------- */

enum { CHAINS = 4, CHUNK = 1024, PILOT = 128, SHORT_ROW = 512, ONE_CHAIN = 2 * LANES };
struct moment_sums {
    double e, q;
};

/* One lane of a chunk, in steps of four registers: deviations are added by twos, and their squares to a chain each. */
static inline void sum_chunk_lane(const float *x, size_t n, size_t lane, float c, size_t chains, float *e, float *q)
{
    float pair[2] = {0.0f}, square[CHAINS] = {0.0f};
    for (size_t step = 0; step < n; step += CHAINS * LANES) {
        float d[CHAINS] = {0.0f};
        for (size_t k = 0, i = step + lane; k < CHAINS && i < n; k++, i += LANES) d[k] = x[i] - c;
        for (size_t k = 0; k < CHAINS; k++) square[k % chains] = fmaf(d[k], d[k], square[k % chains]);
        for (size_t k = 0; k < 2; k++) pair[k] += d[2 * k] + d[2 * k + 1];
    }
    *e = pair[0] + pair[1];
    *q = (square[0] + square[1]) + (square[2] + square[3]);
}
static inline void sum_chunk(const float *x, size_t n, float c, size_t chains, float e[LANES], float q[LANES])
{
    for (size_t l = 0; l < LANES; l++) sum_chunk_lane(x, n, l, c, chains, &e[l], &q[l]);
}
static inline struct moment_sums short_sums(const float *x, size_t n, float c)
{
    float e[LANES], q[LANES];
    sum_chunk(x, n, c, n <= ONE_CHAIN ? 1 : CHAINS, e, q);
    return (struct moment_sums){fold_lanes(e), fold_lanes(q)};
}
static inline struct moment_sums long_sums(const float *x, size_t n, float c)
{
    double wide_e[LANES / 2] = {0.0}, wide_q[LANES / 2] = {0.0};
    for (size_t i = 0; i < n; i += CHUNK) {
        float e[LANES], q[LANES];
        sum_chunk(x + i, piece_length(i, n, CHUNK), c, CHAINS, e, q);
        add_lanes(wide_e, e);
        add_lanes(wide_q, q);
    }
    return (struct moment_sums){fold_wide(wide_e), fold_wide(wide_q)};
}

/* ---- Moments --------------------------------------------------------------------------------- */

struct moments {
    double mean, variance;
};

/* False if the pivot was too far off, or squares left the range of floats: q - e^2 / n loses a factor
 * 1 + (c - mean)^2 / variance, and distance (c - mean)^2 is to be within the variance. */
static inline bool settle(struct moments *m, struct moment_sums s, float c, size_t n, double distance)
{
    double inverse = 1.0 / (double)n, part = s.e * inverse, shift = s.e * part, squares = fmax(0.0, s.q - shift);
    *m = (struct moments){c + part, squares * inverse};
    return distance * shift <= squares && squares <= FLT_MAX;
}
/* One element after the other, in double; it gives NaN and infinities as they are asked for. */
static inline struct moments careful_moments(const float *x, size_t n)
{
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < n; i++) sum += (double)x[i];
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) squares = fma(x[i] - mean, x[i] - mean, squares);
    return (struct moments){mean, squares / (double)n};
}
/* The pivot is 0, or what the beginning of a long row says is nearer; if that does not do, the mean that came of it. */
static inline struct moments moments_of(const float *x, size_t n)
{
    struct moment_sums (*sums)(const float *, size_t, float) = n <= SHORT_ROW ? short_sums : long_sums;
    struct moments m = {NAN, NAN};
    float c = 0.0f;
    if (!n) return m;
    if (n > CHUNK && !settle(&m, long_sums(x, PILOT, c), c, PILOT, 4.0)) c = (float)m.mean;
    if (settle(&m, sums(x, n, c), c, n, 4.0)) return m;
    c = (float)m.mean;
    return settle(&m, sums(x, n, c), c, n, 0.0) ? m : careful_moments(x, n);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* One NaN: which one an operation gives depends on the order of its operands. */
static inline float canonical(double a) { return isnan(a) ? NAN : (float)a; }

static inline void moments_row(const float *x, size_t n, float y[2])
{
    struct moments m = moments_of(x, n);
    y[0] = canonical(m.mean);
    y[1] = canonical(m.variance);
}

static inline float affine(float t, const float *gamma, const float *beta, size_t i)
{
    if (gamma && beta) return fmaf(t, gamma[i], beta[i]);
    return gamma ? t * gamma[i] : beta ? t + beta[i] : t;
}
/* y = (x - mean) rstd gamma + beta, rstd = 1 / sqrt(variance + eps). The mean is a double-float, high + low, whose low
 * part is subtracted as -low rstd: it keeps the digits that an offset would take. stats: (mean, rstd), or NULL. */
static inline void layernorm_row(const float *x, size_t n, float eps, const float *gamma, const float *beta, float *y,
                                 float *stats)
{
    struct moments m = moments_of(x, n);
    double exact_rstd = 1.0 / sqrt(m.variance + eps);
    float mean = canonical(m.mean), rstd = canonical(exact_rstd), offset = (float)((mean - m.mean) * exact_rstd);
    bool nan = !isfinite(mean) || isnan(rstd);
    if (stats) stats[0] = mean, stats[1] = rstd;
    for (size_t i = 0; i < n; i++) y[i] = nan ? NAN : affine(fmaf(x[i] - mean, rstd, offset), gamma, beta, i);
}

#endif
