// SPDX-License-Identifier: MIT
/* The proven error bounds of docs/method.md, "Bounds", for the bound that a kernel's file declares,
 * and the share of them that the measured errors use. Sources: Blanchard, Higham, Higham 2021
 * (softmax, logsumexp); Chan, Golub, LeVeque 1983 (variance); Hallman, Ipsen arXiv 2107.01604
 * (probabilistic: 3 sqrt(h) instead of h); the bound of rmsnorm is the lab's own. */
#ifndef ULPLAB_BOUNDS_H
#define ULPLAB_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel.h"
#include "oracle/oracle.h"

/* The largest measured / bound; below 0 if nothing was compared, infinite if a result was lost
 * (oracle/ulp.h). Above 1 is a finding, in the kernel or in the bound. */
struct bound_ratio {
    double worst, worst_probabilistic;
};

void bounds_begin(struct bound_ratio *r);

/* Compares one row: got and want as the kernel and the oracle write it (softmax, rmsnorm: [n],
 * logsumexp: [1], moments: [2]), facts from the oracle. Nothing is compared if the kernel has no
 * bound, nor a variance of equal x, whose kappa is infinite. */
void bounds_row(const struct kernel *, const struct parameters *, const float *x, size_t n,
                const float *got, const double *want, const struct oracle_row *facts,
                struct bound_ratio *r);

/* Returns the largest measured / bound of a kernel that keeps its bound, on rows of n numbers from
 * low to high: 1, or less where that is known. */
double bounds_ceiling(const struct kernel *, size_t n, double low, double high);

/* Return the errors of exp and log that a kernel's bound assumes, in ulp; 0: the bound has no such
 * term. */
double bounds_exp_ulp(const struct kernel *);
double bounds_log_ulp(const struct kernel *);

/* Returns whether two kernels have the same bound, figures included. */
bool bounds_equal(const struct kernel *a, const struct kernel *b);

#endif
