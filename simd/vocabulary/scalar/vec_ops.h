// SPDX-License-Identifier: MIT
/* The number of instructions of those operations of vec.h that take more than one, for the counts
 * that kernels declare (struct vector_ops in include/kernel.h). Only vector instructions are
 * counted: integer operations, comparisons and selections of a single lane may be scalar
 * instructions, and `other` is 1 to say that there are some. */
#ifndef VEC_OPS_H
#define VEC_OPS_H

enum {
    SCALE_MUL = 2,
    SCALE_OTHER = 1,
    SCALE_DOWN_MUL = 2,
    SCALE_DOWN_OTHER = 1,
    FREXP_MUL = 0,
    FREXP_ADD = 0,
    FREXP_OTHER = 1,
};

#endif
