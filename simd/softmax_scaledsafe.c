/* HEAD */
#include "exp.h"
#include "log.h"
#include "row.h"

/* +-x: a negative scale turns the order round. */
static inline vf score(vf x, const struct row_context *c)
{
    return v_select(v_lt(c->scale, v_set1(0.0f)), v_sub(v_set1(0.0f), x), x);
}
static inline vf shifted(vf x, const struct row_context *c)
{
    return v_mul(c->scale, v_sub(x, score(c->max, c)));
}
static inline vf exp_of(vf x) { return v_exp_nonpositive(x); }
static inline vf log_of(vf x) { return v_log(x); }
#include "softmax.h"

static void run(const struct job *j) { each_row(j, softmax_threepass_row); }

const struct kernel KERNEL = {
    .op = "softmax", .algorithm = "scaledsafe", .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 5 + EXP_FLOPS, .bytes = 8, .lanes = VL, .chains = K,
    .bound = BOUND_SOFTMAX,
    .run = run,
};
