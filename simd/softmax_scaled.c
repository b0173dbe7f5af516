/* HEAD */
#include "exp.h"
#include "log.h"
#include "row.h"

static inline vf score(vf x, const struct row_context *c) { return v_mul(x, c->scale); }
static inline vf shifted(vf x, const struct row_context *c)
{
    return v_sub(v_mul(x, c->scale), c->max);
}
/* v_exp, not v_exp_nonpositive: contracted, the difference may be positive and large. */
static inline vf exp_of(vf x) { return v_exp(x); }
static inline vf log_of(vf x) { return v_log(x); }
#include "softmax.h"

static void run(const struct job *j) { each_row(j, softmax_threepass_row); }

const struct kernel KERNEL = {
    .op = "softmax", .algorithm = "scaled", .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY, .hazard = true,
    .flops = 6 + EXP_FLOPS, .bytes = 8, .lanes = VL, .chains = K,
    .bound = BOUND_NONE,
    .run = run,
};
