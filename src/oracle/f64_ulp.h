// SPDX-License-Identifier: MIT
/* The error measure of oracle/ulp.h for results in double: E = |got - y| / ulp(y), ulp(y) =
 * 2^(max(ilogb(y), -1022) - 52), with the same counts of what is lost, flushed, and of another
 * sign. E is bounded by 2^1000, so that sums of it stay finite. */
#ifndef ULPLAB_ULP_F64_H
#define ULPLAB_ULP_F64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oracle/f64.h"
#include "oracle/ulp.h"

/* Adds the errors of got[0 .. count) against want[0 .. count). `first` is the index of got[0]. h
 * may be NULL. */
void f64_ulp_measure(const double *got, const struct f64_value *want, size_t count, uint64_t first,
                     struct ulp_stats *s, struct ulp_histogram *h);

/* f64_ulp_measure() of one element, with the regions' maxima; returns f64_ulp_error(). at_end: the
 * input is at an end of the domain. */
double f64_ulp_measure_region(double got, struct f64_value want, uint64_t at, bool at_end,
                              struct ulp_stats *s, struct ulp_regions *r);

/* Returns E of one element, or -1 if it has none. */
double f64_ulp_error(double got, struct f64_value want);
/* Returns whether a result is lost. */
bool f64_ulp_is_lost(double got, struct f64_value want);

/* Returns the input-scaled error: the largest |got - y| / (u * max(|y|, floor, 2^-1022)), u =
 * 2^-53, where `floor` is the magnitude of what the result was computed from. Infinite if a result
 * is lost. */
double f64_ulp_scaled_error(const double *got, const struct f64_value *want, size_t count,
                            double floor);

#endif
