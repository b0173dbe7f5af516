// SPDX-License-Identifier: MIT
/* y = e^x / sum(e^x), every element the float that is nearest to it: docs/correct.md says how. The
 * maximum; exponentials and their sum in double; their quotient, whose rounding is tested, and
 * decided by more bits where the test cannot tell. At most 0.5 ulp. 35 flops, 8 bytes per element,
 * and 16 bytes of scratch. */
#include "rows_softmax.h"

ALWAYS_INLINE void run_of(const struct job *j, enum exp_result result)
{
    struct exp_start starts[ROWS_TOGETHER];
    double *e = (double *)(void *)j->scratch;
    for (size_t r = 0; j->n && r < j->rows; r++) {
        set_starts(starts, result, j, r);
        softmax_row(result, row_in(j, r), row_out(j, r), j->n, starts[r % ROWS_TOGETHER], e);
    }
}
static void run(const struct job *j)
{
    if (j->log_output)
        run_of(j, DIFFERENCE);
    else
        run_of(j, QUOTIENT);
}

static const struct second_form log_form = {
    .op = "log_softmax",
    .flops = 36,
    .promise = {.specials = true},
};

const struct kernel KERNEL = {
    .op = "softmax",
    .algorithm = "correct",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 35,
    .bytes = 2 * sizeof(float),
    .lanes = VL,
    .chains = 1,
    .promise = {.ulp_off = 0.501, .ulp_fused = 0.501, .specials = true},
    .run = run,
    .also = &log_form,
};
