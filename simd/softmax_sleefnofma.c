/* HEAD */
#include "sleef_vec.h"
#include "plain.h"

static inline vf exp_of(vf x) { return sleefnofma_exp(x); }
static inline vf log_of(vf x) { return sleefnofma_log(x); }
#include "softmax.h"

static void run(const struct job *j) { each_row(j, softmax_threepass_row); }

const struct kernel KERNEL = {
    .op = "softmax", .algorithm = "sleefnofma", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 23, .bytes = 8, .lanes = VL, .chains = K,
    .bound = BOUND_SOFTMAX,
    .run = run,
};
