// SPDX-License-Identifier: MIT
/* A kernel that does a known amount of work: STEPS times 10 dependent additions of integers for
 * each row, which take STEPS times 10 cycles. For scripts/aa. */
#ifndef AA_STEPS_H
#define AA_STEPS_H

#include "kernel.h"

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        long sum = 1;
        for (int i = 0; i < STEPS; i++)
            __asm__ volatile(
                "add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\t"
                "add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0"
                : "+r"(sum));
        ((float *)j->y)[r * j->y_stride] = (float)sum;
    }
}

const struct kernel KERNEL = {
    .op = "logsumexp",
    .algorithm = NAME,
    .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 1,
    .bytes = 4,
    .hazard = true,
    .run = run,
};

#endif
