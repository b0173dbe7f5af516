// SPDX-License-Identifier: MIT
/* The number of instructions of those operations of vec.h that take more than one, for the counts
 * that kernels declare (struct vector_ops in include/kernel.h). */
#ifndef VEC_OPS_H
#define VEC_OPS_H

enum {
    SCALE_MUL = 2,
    SCALE_OTHER = 7, /* a conversion, half of it, the rest, two biases, two shifts */
    SCALE_DOWN_MUL = 2,
    SCALE_DOWN_OTHER = 3,
    FREXP_MUL = 1,
    FREXP_ADD = 1,
    FREXP_OTHER = 8,
};

#endif
