/* The error measure (docs/method.md, "Error measure"): E = |got - y| / ulp(y), y the exact value in
 * fp64, E fractional; ulp(y) = 2^(max(ilogb(y), -126) - 23), or that of the type a result is stored
 * in. What cannot be a distance has a counter of its own and no E: NaN or infinity against a
 * number, a wrong sign, a nonzero result flushed to zero. */
#ifndef ULPLAB_ULP_H
#define ULPLAB_ULP_H

#include <stddef.h>
#include <stdint.h>

#include "model/dtype.h"

/* Sums over elements; begins as {0} with max < 0, see ulp_begin(). */
struct ulp_stats {
    uint64_t measured;                /* elements that have an E */
    uint64_t nan, inf, sign, flushed; /* elements that have none, by reason; where both are NaN, or
                                         both the same infinity, an element is in no count */
    uint64_t misrounded, unfaithful;  /* measured ones with E > 0.5, E >= 1 */
    double max;                       /* of E; -1 where nothing was measured */
    uint64_t max_at;                  /* the first index at which max occurs */
    double sum, signed_sum;           /* of E, and of (got - y) in ulp */
};

/* E by magnitude, 64 bins per octave from 2^-20 to 2^44: a percentile is at most 1/64 above the
 * true one. */
enum { ULP_BINS = 64 * 64 };
struct ulp_histogram {
    uint64_t bins[ULP_BINS];
};

void ulp_begin(struct ulp_stats *s);

/* Adds got[0 .. count) against want[0 .. count). `first` is the index of got[0]. h may be NULL. y
 * of at least FLT_MAX + half an ulp counts as infinite; a flush is a zero where |y| >= 2^-149. */
void ulp_measure(const float *got, const double *want, size_t count, uint64_t first,
                 struct ulp_stats *s, struct ulp_histogram *h);

/* The same for results that are stored as `type`, widened. */
void ulp_measure_as(const struct dtype *type, const float *got, const double *want, size_t count,
                    uint64_t first, struct ulp_stats *s, struct ulp_histogram *h);

/* Adds `later`, whose indices are higher. Merged in a fixed order, the sums have the same bits. */
void ulp_merge(struct ulp_stats *s, const struct ulp_stats *later);
void ulp_merge_histogram(struct ulp_histogram *h, const struct ulp_histogram *other);

/* The E that a share p of the measured elements does not exceed; NaN where there are none. */
double ulp_percentile(const struct ulp_histogram *h, const struct ulp_stats *s, double p);

/* The elements of which shares are taken: those that have an E, and those that have a counter of
 * their own. */
uint64_t ulp_elements(const struct ulp_stats *s);
/* The shares of them that are not correctly rounded, and not faithful. An element with a counter of
 * its own is neither correctly rounded nor faithful. NaN where there are no elements. */
double ulp_misrounded(const struct ulp_stats *s);
double ulp_unfaithful(const struct ulp_stats *s);
double ulp_mean(const struct ulp_stats *s);
double ulp_bias(const struct ulp_stats *s);

/* E of one element, both finite. */
double ulp_error(float got, double want);

/* The largest |got - y| / (u * max(|y|, floor, 2^-126)) over finite pairs, u = 2^-24: the
 * input-scaled error, `floor` the magnitude of what the result was computed from. */
double ulp_scaled_error(const float *got, const double *want, size_t count, double floor);
/* The same with u of a type, 2^-8 for bf16, and its least normal number. */
double ulp_scaled_error_as(const struct dtype *type, const float *got, const double *want,
                           size_t count, double floor);

#endif
