/* What src/cases/fma_softmax.c asks of simd/softmax_scaledforms.c (job.operand). */
#ifndef ULPLAB_SCALEDFORMS_H
#define ULPLAB_SCALEDFORMS_H

#include <stdbool.h>

/* How scores s_i are made of x_i, and when. Stored: once, before the maximum is taken of them.
 * Rematerialized: in every pass anew, as a compiler does that would rather compute than load. */
enum scaled_form {
    FORM_PRODUCT_STORED, /* x * scale */
    FORM_PRODUCT,
    FORM_QUOTIENT_STORED, /* x / scale */
    FORM_QUOTIENT,
    FORM_RECIPROCAL_STORED, /* x * (1 / scale) */
    FORM_RECIPROCAL,
    FORM_MIXED, /* x / scale for the maximum and the sum, x * (1 / scale) for the output */
    FORM_COUNT
};

struct scaled_request {
    enum scaled_form form;
    bool numerators; /* exp(s_i - max) instead of the probabilities */
};

#endif
