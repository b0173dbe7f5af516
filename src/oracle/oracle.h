/* The oracle: the exact value of every operation, in fp64, from fp32 rows. Its error is below
 * 2^-10 fp32 ulp (MPFR certifies it in tests/test_oracle.c) or the row is marked `beyond`. The bits
 * are the same on every CPU: SLEEF's functions of one fixed flavour, which needs AVX2 and FMA,
 * and nothing else that a CPU could choose. */
#ifndef ULPLAB_ORACLE_H
#define ULPLAB_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "oracle/inputs.h"

struct parameters {
    float scale;               /* softmax: of scale * x */
    bool log_output;           /* softmax: log_softmax */
    float eps;                 /* layernorm */
    const float *gamma, *beta; /* layernorm: [n], or NULL */
};
extern const struct parameters parameters_default; /* scale 1, eps 1e-5 */

enum { OUTPUTS_MAX = 3 };

/* What the proven bounds and the input-scaled error need to know of a row. */
struct oracle_row {
    bool beyond;       /* at least one value is not known to 2^-10 ulp */
    double max;        /* softmax, logsumexp: of scale * x */
    double shift_cost; /* softmax, logsumexp: sum of g_j (max - x_j), g the softmax */
    double mean;       /* moments, layernorm */
    double deviations; /* sum of (x - mean)^2 */
    /* Input-scaled error: |got - y| / (u * max(|y|, floor)), per output. softmax: the largest
     * component (the norm-wise error); log_softmax, logsumexp: max|x|; mean: mean|x|; variance:
     * mean x^2; layernorm: max|x| * rstd; log: 1; the others 0, the plain relative error. */
    double floor[OUTPUTS_MAX];
};

/* An operation has outputs: perhaps one value per element, then `columns` values per row. Those of
 * a row stand together in y: [n] where elementwise, then [columns]. */
struct oracle {
    const char *op;
    const char *outputs[OUTPUTS_MAX]; /* their names, NULL behind the last */
    bool elementwise;
    unsigned columns;
    bool unary;         /* y[i] depends on x[i] alone */
    bool sign_certain;  /* no cancellation can turn a result's sign */
    enum domain domain; /* of the input families */
    /* Writes y and *facts. x may hold anything: specials as in include/kernel.h. */
    void (*row)(const float *x, size_t n, const struct parameters *, double *y,
                struct oracle_row *facts);
};

const struct oracle *oracle_find(const char *op);      /* NULL: the operation is unknown */
size_t oracle_values(const struct oracle *, size_t n); /* doubles in y per row */

#endif
