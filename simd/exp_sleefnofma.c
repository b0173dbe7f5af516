/* y = exp(x) by SLEEF 3.5.1, built without FMA: sleef_vec.h. Promised 1.0 ulp; over all 2^32
 * inputs at most 0.951453, at -0x1.762532p+2.
 * 21 flops as its source counts them, 8 bytes per element. */
#include "sleef_vec.h"
#include "row.h"
#include "scanned.h"

static inline vf y_of(vf x, const struct row_context *c) { (void)c; return sleefnofma_exp(x); }
static inline void row(const struct job *j, const float *x, float *y)
{
    row_map(x, y, j->n, y_of, NULL);
}
static void run(const struct job *j) { each_row(j, row); }

const struct kernel KERNEL = {
    .op = "exp", .algorithm = "sleefnofma", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 21, .bytes = 8, .lanes = VL,
    .exp_ulp = SLEEFNOFMA_EXP_ULP,
    .promise = {.ulp_off = 1.0, .ulp_fused = 1.0, .specials = true},
    .run = run,
};
