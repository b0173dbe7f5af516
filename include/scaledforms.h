// SPDX-License-Identifier: MIT
/* The operand (job.operand) with which src/cases/fma_softmax.c calls
 * simd/softmax/softmax_scaledforms.c. */
#ifndef ULPLAB_SCALEDFORMS_H
#define ULPLAB_SCALEDFORMS_H

#include <stdbool.h>

/* The way in which scores s_i are computed from x_i. With _STORED they are computed once, before
 * the maximum is taken. The others recompute them in every pass, as a compiler does that takes
 * arithmetic for cheaper than loads. */
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
