// SPDX-License-Identifier: MIT
/* The reference contract: the definition of an operation, and its exact values, in double. The
 * lab's own references are in src/oracle/operations.c. A user's kernel file (make
 * KERNELS=/path/my_op.c) for a new operation contains its reference, and is compiled once more for
 * it, strictly, with -DREFERENCE:
 *
 *     #ifdef REFERENCE
 *     #include "kernel_reference.h"
 *     const struct oracle REFERENCE = {.op = "my", .outputs = {"y"}, .elementwise = true, ..};
 *     #else
 *     #include "vec.h"
 *     const struct kernel KERNEL = {.op = "my", ..};
 *     #endif
 *
 * scripts/examples/ has complete files. */
#ifndef ULPLAB_KERNEL_REFERENCE_H
#define ULPLAB_KERNEL_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

/* The arguments of a job (struct job in kernel.h) on which exact values depend. */
struct parameters {
    float scale;               /* softmax, log_softmax: of scale * x */
    float eps;                 /* layernorm, rmsnorm */
    const float *gamma, *beta; /* [n], or NULL */
    bool bare; /* an absent gamma or beta stays absent; otherwise layernorm gets those of
                  src/oracle/inputs.h */
};

enum { OUTPUTS_MAX = 3 };

/* The domain of an operation's inputs. Three of the input families (src/oracle/inputs.h) depend on
 * it. */
enum domain {
    /* exp, sigmoid, everything computed from exp. tiny: [-104, -87] and, in rows of more than one
     * element, one 0, so that numerators (and log(1 + the others)) are subnormal. wide: all finite
     * normal numbers. */
    DOMAIN_EXPONENT,
    /* Means, variances, sums of squares. tiny: subnormal inputs of both signs. wide: all finite
     * normal numbers. */
    DOMAIN_MOMENTS,
    /* log, log2: |x| of every family, except for one element in 32, which keeps its sign. tiny:
     * subnormal inputs (a logarithm is never subnormal). wide: all finite normal numbers. */
    DOMAIN_POSITIVE,
    /* gelu. tiny: [-14.5, -12.9], where x erfc(-x / sqrt 2) is subnormal. wide: all finite normal
     * numbers. */
    DOMAIN_NORMAL_TAIL,
};

/* Properties of a row that the proven bounds and the input-scaled error need; 0: unknown. A user's
 * reference may set `beyond` and `floor`. */
struct oracle_row {
    bool beyond;       /* at least one value is not known to 2^-10 ulp: the row is left out */
    double max;        /* softmax, log_softmax, logsumexp: the maximum of scale * x */
    double shift_cost; /* softmax, log_softmax, logsumexp: sum of g_j (max - x_j), g the softmax */
    double mean;       /* moments, layernorm */
    double deviations; /* sum of (x - mean)^2 */
    double squares;    /* moments, layernorm, rmsnorm: sum of x^2 */
    /* The floor of each output in its input-scaled error |got - y| / (u * max(|y|, floor)).
     * softmax: the largest component (the norm-wise error); log_softmax: max|x|, or 1; logsumexp:
     * max|x|; mean: mean|x|; variance: sqrt(variance * mean x^2) + 2^-24 mean x^2; layernorm:
     * max|x| * rstd * max|gamma|; log, log2: 1; a dot product: sum |x_i y_i|; the others 0, the
     * plain relative error. */
    double floor[OUTPUTS_MAX];
    /* The floor of each result alone, in the order of y, where a row's results differ in it: of
     * rotated pairs, of the elements of a prefix sum. Points to zeros where it is wanted, which a
     * user's reference may overwrite; NULL: not wanted. The larger of both floors counts. */
    double *floors;
};

/* An operation and its reference. It has one value per element if `elementwise`, and `columns`
 * values per row. A reference writes both into y: [n], then [columns]. A kernel writes the elements
 * to job.y and the columns to job.stats; an operation that is not elementwise has its columns in
 * job.y. */
struct oracle {
    const char *op;
    const char *outputs[OUTPUTS_MAX]; /* the outputs' names, NULL after the last */
    bool elementwise;
    unsigned columns;
    bool unary;         /* y[i] depends on x[i] alone */
    bool sign_certain;  /* no cancellation can change a result's sign. Otherwise results may be near
                           zero, and errors are ranked by the input-scaled error */
    enum domain domain; /* of the inputs */
    /* Writes y and *facts. x may hold any values, and n may be 0. */
    void (*row)(const float *x, size_t n, const struct parameters *, double *y,
                struct oracle_row *facts);
    /* How many values `elementwise` stands for in a row of n, where it is not n: n / 2 of a row
     * that has two operands, one behind the other (a gate, and what it gates). */
    size_t (*results)(size_t n);
    /* row() of a row of doubles, for kernels of dtype f64: y[2 i] is value i rounded to double, and
     * y[2 i + 1] is 2^52 times what that leaves of it, so that both are exact far beyond double.
     * Parameters' gamma and beta point to doubles. NULL: there is none. */
    void (*row_f64)(const double *x, size_t n, const struct parameters *, double *y,
                    struct oracle_row *facts);
};

#endif
