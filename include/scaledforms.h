/* The operand (job.operand) with which src/cases/fma_softmax.c calls simd/softmax_scaledforms.c. */
#ifndef ULPLAB_SCALEDFORMS_H
#define ULPLAB_SCALEDFORMS_H

#include <stdbool.h>

/* How scores s_i are computed from x_i, and when. _STORED: once, before the maximum is taken.
 * Others are recomputed in every pass, as by a compiler to which arithmetic is cheaper than loads.
 */
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
