/* The reference contract: what an operation is, and its exact values, in double. The lab's own are
 * in src/oracle/oracle.c; a kernel file from elsewhere (make KERNELS=/path/my_op.c) brings one for
 * a new operation in the same file, which is then compiled once more, strictly, with -DREFERENCE:
 *
 *     #ifdef REFERENCE
 *     #include "kernel_reference.h"
 *     const struct oracle REFERENCE = {.op = "my", .outputs = {"y"}, .elementwise = true, ..};
 *     #else
 *     #include "vec.h"
 *     const struct kernel KERNEL = {.op = "my", ..};
 *     #endif
 *
 * scripts/examples/ has whole ones. */
#ifndef ULPLAB_KERNEL_REFERENCE_H
#define ULPLAB_KERNEL_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

/* As struct job (kernel.h) has them; a reference takes what its kernel takes. */
struct parameters {
    float scale;               /* softmax: of scale * x */
    bool log_output;           /* softmax: log_softmax */
    float eps;                 /* layernorm */
    const float *gamma, *beta; /* layernorm: [n], or NULL */
};

enum { OUTPUTS_MAX = 3 };

/* Which inputs an operation can make sense of: it bends three of the input families. */
enum domain {
    /* exp, sigmoid, all that stands on exp. tiny: [-104, -87] and, in rows of more than one
     * element, one 0, so that numerators (and log(1 + the others)) are subnormal. wide: all finite
     * normals. */
    DOMAIN_EXPONENT,
    /* Means, variances, sums of squares. tiny: subnormal inputs of both signs. wide: 2^-126 to
     * 2^53, so that the sum of 2^20 squares is still finite: beyond that an overflow is not the
     * kernel's fault. */
    DOMAIN_MOMENTS,
    /* log, log2: |x| of every family but for one element in 32, which keeps its sign. tiny:
     * subnormal inputs (a logarithm is never subnormal). wide: all finite normals. */
    DOMAIN_POSITIVE,
    /* gelu. tiny: [-14.5, -12.9], where x erfc(-x / sqrt 2) is subnormal. wide: all finite
     * normals. */
    DOMAIN_NORMAL_TAIL,
};

/* What the proven bounds and the input-scaled error need to know of a row; zeros say nothing. A
 * reference of one's own may set `beyond` and `floor`. */
struct oracle_row {
    bool beyond;       /* at least one value is not known to 2^-10 ulp: the row is left out */
    double max;        /* softmax, logsumexp: of scale * x */
    double shift_cost; /* softmax, logsumexp: sum of g_j (max - x_j), g the softmax */
    double mean;       /* moments, layernorm */
    double deviations; /* sum of (x - mean)^2 */
    /* Input-scaled error: |got - y| / (u * max(|y|, floor)), per output. softmax: the largest
     * component (the norm-wise error); log_softmax, logsumexp: max|x|; mean: mean|x|; variance:
     * mean x^2; layernorm: max|x| * rstd; log: 1; a dot product: sum |x_i y_i|; the others 0, the
     * plain relative error. */
    double floor[OUTPUTS_MAX];
};

/* An operation has outputs: perhaps one value per element, then `columns` values per row. Those of
 * a row stand together in y: [n] where elementwise, then [columns]. A kernel writes what is per
 * element to job.y and the columns beside it to job.stats; where nothing is per element, the
 * columns to job.y. */
struct oracle {
    const char *op;
    const char *outputs[OUTPUTS_MAX]; /* their names, NULL behind the last */
    bool elementwise;
    unsigned columns;
    bool unary;         /* y[i] depends on x[i] alone */
    bool sign_certain;  /* no cancellation can turn a result's sign. Else results come near zero,
                           and errors are ranked by the input-scaled error */
    enum domain domain; /* of the input families */
    /* Writes y and *facts. x may hold anything, n may be 0. */
    void (*row)(const float *x, size_t n, const struct parameters *, double *y,
                struct oracle_row *facts);
};

#endif
