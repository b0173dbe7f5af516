/* HEAD */
#include "own.h"
#include "online.h"
#include "logsumexp.h"

static inline void row(const struct job *j, const float *x, float *y)
{
    struct online_row o = online_row(x, j->n);
    *y = logsumexp_finish(x, j->n, o.max, o.sum);
}
static void run(const struct job *j) { each_row(j, row); }

const struct kernel KERNEL = {
    .op = "logsumexp", .algorithm = "online", .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 3 + EXP_FLOPS + (EXP_FLOPS + 3) / (double)WIDE, .bytes = 4,
    .lanes = VL, .chains = WIDE,
    .bound = BOUND_LOGSUMEXP_SHIFTED,
    .run = run,
};
