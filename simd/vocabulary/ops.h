// SPDX-License-Identifier: MIT
/* Instruction counts of functions that several kernels share, for the counts that kernels declare
 * (struct vector_ops in include/kernel.h). tests/test_ops.c compares the sums with the instructions
 * that are executed. */
#ifndef OPS_H
#define OPS_H

#include "vec_ops.h"

enum {
    /* v_exp_parts: n; r twice; q four times; r + r^2 q. Then r^2, the 1, the rounding of n. */
    EXP_MAD = 8,
    EXP_PARTS_MUL = 1,
    EXP_ADD = 1,
    EXP_PARTS_OTHER = 1,
    /* v_exp_nonpositive: one clamp, one scaling. */
    EXP_NONPOSITIVE_MUL = EXP_PARTS_MUL + SCALE_DOWN_MUL,
    EXP_NONPOSITIVE_OTHER = EXP_PARTS_OTHER + SCALE_DOWN_OTHER,
    /* v_exp: two clamps. */
    EXP_MUL = EXP_PARTS_MUL + SCALE_MUL,
    EXP_OTHER = EXP_PARTS_OTHER + SCALE_OTHER,
    /* v_log, v_log2: three comparisons and three choices around the positive ones. */
    CHOICES = 6,
};

#endif
