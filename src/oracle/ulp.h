// SPDX-License-Identifier: MIT
/* The error measure (docs/method.md, "Error measure"): E = |got - y| / ulp(y), y the exact value in
 * fp64, E fractional; ulp(y) = 2^(max(ilogb(y), -126) - 23), or that of the type a result is stored
 * in. A result that has no distance from y is lost; a zero for a subnormal y is flushed. Neither
 * has an E. */
#ifndef ULPLAB_ULP_H
#define ULPLAB_ULP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/dtype.h"

/* The version of this definition, in records as "measure". Errors of different versions are not
 * compared. In version 1 a zero, a wrong sign, and a number where y rounds to infinity had no E. */
enum { ULP_MEASURE = 2 };

/* Sums over elements; they begin as {0} with max < 0, see ulp_begin(). Each element is counted in
 * one of measured, lost and flushed, except that if both are NaN, or y rounds to the infinity that
 * was got, it is in no count. */
struct ulp_stats {
    uint64_t measured; /* elements that have an E */
    uint64_t lost;     /* NaN or infinity against a number or the reverse, or the other infinity */
    uint64_t flushed;  /* a zero where y is subnormal */
    /* Counts among the measured and the lost ones: NaN against anything else; infinity against
     * anything that does not round to it, or the reverse; another sign, also of a zero where y is
     * zero or below the smallest number; a zero where y is normal. */
    uint64_t nan, inf, sign, zero;
    uint64_t lost_at;                /* the first index that is lost; 0 if none is */
    uint64_t odd_at;                 /* the first that `sign` or `zero` counts; 0 if none is */
    uint64_t misrounded, unfaithful; /* measured ones with E > 0.5, E >= 1 */
    double max;                      /* of E; -1 if nothing was measured */
    uint64_t max_at;                 /* the first index at which max occurs */
    double sum, signed_sum;          /* of E, and of (got - y) in ulp */
};

/* Counts of E by magnitude, 64 bins per octave from 2^-20 to 2^44: a percentile is at most 1/64
 * above the true one. */
enum { ULP_BINS = 64 * 64 };
struct ulp_histogram {
    uint64_t bins[ULP_BINS];
};

/* Counts one E. */
void ulp_histogram_add(struct ulp_histogram *h, double error);

void ulp_begin(struct ulp_stats *s);

/* The regions of functions of one element, for the largest E of each: where y is subnormal or zero;
 * at the ends of the domain, which are the largest binade of y and the values that round to
 * infinity, and the inputs that the caller names; and elsewhere. max is -1 if nothing was
 * measured. */
enum ulp_region { ULP_NORMAL, ULP_SUBNORMAL, ULP_ENDS, ULP_REGIONS };
struct ulp_regions {
    struct {
        double max;
        uint64_t at; /* the first index at which max occurs */
    } of[ULP_REGIONS];
};
void ulp_begin_regions(struct ulp_regions *r);

/* Adds the errors of got[0 .. count) against want[0 .. count). `first` is the index of got[0]. h
 * may be NULL. y of at least FLT_MAX + half an ulp rounds to infinity; a flush is a zero where |y|
 * >= 2^-149. */
void ulp_measure(const float *got, const double *want, size_t count, uint64_t first,
                 struct ulp_stats *s, struct ulp_histogram *h);

/* ulp_measure() with the regions' maxima. at_end: the inputs are at an end of the domain. */
void ulp_measure_regions(const float *got, const double *want, size_t count, uint64_t first,
                         bool at_end, struct ulp_stats *s, struct ulp_regions *r);

/* ulp_measure() for results that are stored as `type`, widened. */
void ulp_measure_as(const struct dtype *type, const float *got, const double *want, size_t count,
                    uint64_t first, struct ulp_stats *s, struct ulp_histogram *h);

/* Adds `later`, whose indices are higher. Merged in a fixed order, the sums have the same bits. */
void ulp_merge(struct ulp_stats *s, const struct ulp_stats *later);
void ulp_merge_histogram(struct ulp_histogram *h, const struct ulp_histogram *other);
void ulp_merge_regions(struct ulp_regions *r, const struct ulp_regions *later);

/* Returns the E that a share p of the elements does not exceed, where a lost one exceeds
 * everything: infinite if the share includes lost ones, NaN if there are no elements. */
double ulp_percentile(const struct ulp_histogram *h, const struct ulp_stats *s, double p);

/* Returns the number of elements of which shares are taken: measured, lost and flushed. */
uint64_t ulp_elements(const struct ulp_stats *s);
/* Return the shares of elements that are not correctly rounded, and not faithful: lost and flushed
 * elements are neither. NaN if there are no elements. */
double ulp_misrounded(const struct ulp_stats *s);
double ulp_unfaithful(const struct ulp_stats *s);
/* Returns the mean of E; infinite if an element was lost, NaN if there are none. */
double ulp_mean(const struct ulp_stats *s);
/* Returns the signed mean; NaN if an element was lost. */
double ulp_bias(const struct ulp_stats *s);

/* Returns E of one element; both are finite. */
double ulp_error(float got, double want);
/* Returns whether a result that is stored as `type` is lost. */
bool ulp_is_lost(const struct dtype *type, float got, double want);

/* Returns the input-scaled error: the largest |got - y| / (u * max(|y|, floor, 2^-126)), u = 2^-24,
 * where `floor` is the magnitude of what the result was computed from. Infinite if a result is
 * lost. */
double ulp_scaled_error(const float *got, const double *want, size_t count, double floor);
/* ulp_scaled_error() with the u of a type, 2^-8 for bf16, and its least normal number. */
double ulp_scaled_error_as(const struct dtype *type, const float *got, const double *want,
                           size_t count, double floor);

#endif
