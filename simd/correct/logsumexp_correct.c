// SPDX-License-Identifier: MIT
/* y = log(sum(e^x)), the float that is nearest to it: docs/correct.md says how. The maximum;
 * exponentials and their sum in double; the logarithm, whose rounding is tested, and decided by
 * more bits where the test cannot tell. At most 0.5 ulp. 28 flops, 4 bytes per element. */
#include "rows_softmax.h"

static void run(const struct job *j)
{
    struct exp_start starts[ROWS_TOGETHER];
    for (size_t r = 0; r < j->rows; r++) {
        set_starts(starts, LOGARITHM, j, r);
        row_out(j, r)[0] =
            j->n ? logsumexp_row(row_in(j, r), j->n, starts[r % ROWS_TOGETHER]) : f_infinity(1);
    }
}

const struct kernel KERNEL = {
    .op = "logsumexp",
    .algorithm = "correct",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 28,
    .bytes = sizeof(float),
    .lanes = VL,
    .chains = 1,
    .promise = {.specials = true},
    .run = run,
};
