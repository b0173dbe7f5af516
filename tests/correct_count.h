// SPDX-License-Identifier: MIT
/* Is included before the text of simd/correct's kernels, which are compiled once more for
 * tests/test_correct_rows.c: they count what doubles cannot tell, and leave the stack after the
 * first stage of fixed point. */
#ifndef ULPLAB_TEST_CORRECT_COUNT_H
#define ULPLAB_TEST_CORRECT_COUNT_H

#include <stddef.h>

extern size_t correct_counts[4]; /* by enum rows_stage of simd/correct/rows.h */
#define ROWS_COUNT(stage) ((void)correct_counts[stage]++)
#define FIXED_LIMBS 5
#define FIXED_LIMBS_ON_STACK 5

#endif
