/* HEAD */
#include "exp.h"
#include "row.h"

static inline vf y_of(vf x, const struct row_context *c) { (void)c; return v_exp(x); }
static inline void row(const struct job *j, const float *x, float *y)
{
    row_map(x, y, j->n, y_of, NULL);
}
static void run(const struct job *j) { each_row(j, row); }

const struct kernel KERNEL = {
    .op = "exp", .algorithm = "own", .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = EXP_FLOPS, .bytes = 8, .lanes = VL,
    .promise = {0},
    .run = run,
};
