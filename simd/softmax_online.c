/* HEAD */
#include "own.h"
#include "online.h"
#include "softmax.h"

static inline void row(const struct job *j, const float *x, float *y)
{
    struct online_row o = online_row(x, j->n);
    struct row_context c = {.max = v_set1(o.max)};
    softmax_finish(j, x, y, &c, o.sum);
}
static void run(const struct job *j) { each_row(j, row); }

const struct kernel KERNEL = {
    .op = "softmax", .algorithm = "online", .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 6 + 2 * EXP_FLOPS + (EXP_FLOPS + 3) / (double)WIDE, .bytes = 8,
    .lanes = VL, .chains = WIDE,
    .bound = BOUND_SOFTMAX,
    .run = run,
};
