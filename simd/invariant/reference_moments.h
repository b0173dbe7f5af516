// SPDX-License-Identifier: MIT
/* Rows of moments, layernorm and rmsnorm, for reference.h.
 *
 * With a pivot c near the mean,
 *   sum = sum_i (x_i - c),  squares = sum_i (x_i - c)^2,
 *   mean = c + sum / n,     variance = (squares - sum^2 / n) / n */
#ifndef INVARIANT_REFERENCE_MOMENTS_H
#define INVARIANT_REFERENCE_MOMENTS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "reference_order.h"

/* ---- Sums about a pivot ---------------------------------------------------------------------- */

enum { CHAINS = 4, CHUNK = 1024, PILOT = 128, SHORT_ROW = 512, ONE_CHAIN = 2 * LANES };
struct moment_sums {
    double sum, squares;
};

/* Sums one lane of a chunk, in steps of four registers, with zeros behind the end. The deviations d
 * of a step are added in pairs; each of its squares goes to a chain of its own, or all go to
 * one. */
static inline void sum_chunk_lane(const float *x, size_t n, size_t lane, float c, size_t chains,
                                  float *sum, float *squares)
{
    float pair[2] = {0.0f}, chain[CHAINS] = {0.0f};
    for (size_t step = 0; step < n; step += CHAINS * LANES) {
        float d[CHAINS] = {0.0f};
        for (size_t k = 0, i = step + lane; k < CHAINS && i < n; k++, i += LANES) d[k] = x[i] - c;
        for (size_t k = 0; k < 2; k++) pair[k] += d[2 * k] + d[2 * k + 1];
        for (size_t k = 0; k < CHAINS; k++) chain[k % chains] = fmaf(d[k], d[k], chain[k % chains]);
    }
    *sum = pair[0] + pair[1];
    *squares = (chain[0] + chain[1]) + (chain[2] + chain[3]);
}
static inline void sum_chunk(const float *x, size_t n, float c, size_t chains, float sum[LANES],
                             float squares[LANES])
{
    for (size_t l = 0; l < LANES; l++) sum_chunk_lane(x, n, l, c, chains, &sum[l], &squares[l]);
}
/* Sums a row of at most SHORT_ROW elements: one chunk, folded in float. */
static inline struct moment_sums short_sums(const float *x, size_t n, float c)
{
    float sum[LANES], squares[LANES];
    sum_chunk(x, n, c, n <= ONE_CHAIN ? 1 : CHAINS, sum, squares);
    return (struct moment_sums){fold_lanes(sum), fold_lanes(squares)};
}
/* Sums a longer row, whose chunks are added up in double. */
static inline struct moment_sums long_sums(const float *x, size_t n, float c)
{
    double wide_sum[LANES / 2] = {0.0}, wide_squares[LANES / 2] = {0.0};
    for (size_t i = 0; i < n; i += CHUNK) {
        float sum[LANES], squares[LANES];
        sum_chunk(x + i, piece_length(i, n, CHUNK), c, CHAINS, sum, squares);
        add_lanes(wide_sum, sum);
        add_lanes(wide_squares, squares);
    }
    return (struct moment_sums){fold_wide(wide_sum), fold_wide(wide_squares)};
}

/* ---- Moments --------------------------------------------------------------------------------- */

struct moments {
    double mean, variance;
};

/* Computes moments from sums; squares - sum^2 / n enlarges the relative error by 1 + (c - mean)^2 /
 * variance. Returns whether the pivot was near enough, distance (c - mean)^2 <= variance, and the
 * squares stayed within the range of floats. */
static inline bool settle_moments(struct moments *m, struct moment_sums s, float c, size_t n,
                                  double distance)
{
    double inverse = 1.0 / (double)n, part = s.sum * inverse, shift = s.sum * part;
    double squares = fmax(0.0, s.squares - shift);
    *m = (struct moments){c + part, squares * inverse};
    return distance * shift <= squares && squares <= FLT_MAX;
}
/* Computes moments in double, one element after the other. NaN and infinities give what
 * include/kernel.h demands. */
static inline struct moments careful_moments(const float *x, size_t n)
{
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < n; i++) sum += (double)x[i];
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) squares = fma(x[i] - mean, x[i] - mean, squares);
    return (struct moments){mean, squares / (double)n};
}
/* Returns a row's moments. The pivot is 0, or for a long row the mean of its first elements if 0 is
 * too far from them; a second pass takes the mean itself. */
static inline struct moments moments_of(const float *x, size_t n)
{
    struct moment_sums (*sums)(const float *, size_t, float) =
        n <= SHORT_ROW ? short_sums : long_sums;
    struct moments m = {NAN, NAN};
    float c = 0.0f;
    if (!n) return m;
    if (n > CHUNK && !settle_moments(&m, long_sums(x, PILOT, c), c, PILOT, 4.0)) c = (float)m.mean;
    if (settle_moments(&m, sums(x, n, c), c, n, 4.0)) return m;
    c = (float)m.mean;
    return settle_moments(&m, sums(x, n, c), c, n, 0.0) ? m : careful_moments(x, n);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Returns a rounded, with one NaN for all: which NaN an operation returns depends on the order of
 * its operands. */
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
/* y = (x - mean) rstd gamma + beta, rstd = 1 / sqrt(variance + eps). The mean is a double-float,
 * high + low. Its low part is subtracted as -low rstd, which keeps the digits that a large offset
 * would hide. stats: (mean, rstd), or NULL. */
static inline void layernorm_row(const float *x, size_t n, float eps, const float *gamma,
                                 const float *beta, float *y, float *stats)
{
    struct moments m = moments_of(x, n);
    double exact_rstd = 1.0 / sqrt(m.variance + eps);
    float mean = canonical(m.mean), rstd = canonical(exact_rstd),
          offset = (float)((mean - m.mean) * exact_rstd);
    bool nan = !isfinite(mean) || isnan(rstd);
    if (stats) stats[0] = mean, stats[1] = rstd;
    for (size_t i = 0; i < n; i++)
        y[i] = nan ? NAN : affine(fmaf(x[i] - mean, rstd, offset), gamma, beta, i);
}

/* Returns 1 / sqrt(mean of x^2 + eps), one element after the other in double. NaN and infinities
 * give what include/kernel.h demands. */
static inline double careful_rstd(const float *x, size_t n, float eps)
{
    double squares = 0.0;
    for (size_t i = 0; i < n; i++) squares += (double)x[i] * (double)x[i];
    return 1.0 / sqrt(squares / (double)n + eps);
}
/* y = x rstd gamma, rstd = 1 / sqrt(mean of x^2 + eps) as a float, by the squares of moments about
 * 0. Where the squares leave the range of floats, or are so small that digits were lost, everything
 * is computed in double. rstd_out: NULL, or one float. */
static inline void rmsnorm_row(const float *x, size_t n, float eps, const float *gamma, float *y,
                               float *rstd_out)
{
    struct moment_sums sums = (n <= SHORT_ROW ? short_sums : long_sums)(x, n, 0.0f);
    double square = sums.squares * (1.0 / (double)n) + eps, rstd = 1.0 / sqrt(square);
    bool settled = sums.squares <= DBL_MAX && square >= 0x1p-120;
    if (!settled) rstd = careful_rstd(x, n, eps);
    if (rstd_out) *rstd_out = canonical(rstd);
    for (size_t i = 0; i < n; i++) {
        float t = settled ? x[i] * (float)rstd : (float)((double)x[i] * rstd);
        if (gamma) t *= gamma[i];
        y[i] = settled ? t : canonical((double)t);
    }
}

#endif
