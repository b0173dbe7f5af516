/* The proven error bounds of docs/method.md, "Bounds", for the bound that a kernel's file declares,
 * and how far what was measured fills them. Sources: Blanchard, Higham, Higham 2021 (softmax,
 * logsumexp); Chan, Golub, LeVeque 1983 (variance); Hallman, Ipsen arXiv 2107.01604
 * (probabilistic: h becomes 3 sqrt(h)). */
#ifndef ULPLAB_BOUNDS_H
#define ULPLAB_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel.h"
#include "oracle/oracle.h"

/* Largest measured / bound; below 0 where nothing was compared. Above 1 is a finding, in the kernel
 * or in the bound. */
struct bound_ratio {
    double worst, worst_probabilistic;
};

void bounds_begin(struct bound_ratio *r);

/* Compares one row: got and want as the kernel and the oracle leave it (softmax: [n], logsumexp:
 * [1], moments: [2]), facts from the oracle. Results that are not finite on either side are counted
 * elsewhere. Nothing is compared where the kernel has no bound, where log_output asks for another
 * function, and for a variance where all x are equal: kappa is infinite. */
void bounds_row(const struct kernel *, const struct parameters *, const float *x, size_t n,
                const float *got, const double *want, const struct oracle_row *facts,
                struct bound_ratio *r);

/* The largest measured / bound that rows of n numbers in [low, high] can give a kernel that keeps
 * its bound: 1, or less where more than that can be said. */
double bounds_ceiling(const struct kernel *, size_t n, double low, double high);

/* What a kernel's bound takes for the errors of its exp and log; 0: it asks for none. */
double bounds_exp_ulp(const struct kernel *);
double bounds_log_ulp(const struct kernel *);

/* Do two kernels stand under the same bound, figures included? */
bool bounds_equal(const struct kernel *a, const struct kernel *b);

#endif
