// SPDX-License-Identifier: MIT
/* The number of instructions of those operations of vec.h that take more than one, for the counts
 * that kernels declare (struct vector_ops in include/kernel.h). */
#ifndef VEC_OPS_H
#define VEC_OPS_H

enum {
    SCALE_MUL = 0,
    SCALE_OTHER = 1,
    SCALE_DOWN_MUL = 0,
    SCALE_DOWN_OTHER = 1,
    FREXP_MUL = 0,
    FREXP_ADD = 1,
    FREXP_OTHER = 3, /* getmant, getexp, a comparison */
};

#endif
