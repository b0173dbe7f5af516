/* HEAD */
#include "sleef_vec.h"
#include "plain.h"

static inline vf exp_of(vf x) { return sleef_exp(x); }
static inline vf log_of(vf x) { return sleef_log(x); }
#include "softmax.h"

static void run(const struct job *j) { each_row(j, softmax_threepass_row); }

const struct kernel KERNEL = {
    .op = "softmax", .algorithm = "sleef", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 23, .bytes = 8, .lanes = VL, .chains = K,
    .bound = BOUND_SOFTMAX,
    .run = run,
};
