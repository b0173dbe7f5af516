/* HEAD */
#include "sleef_vec.h"
#include "plain.h"

static inline vf exp_of(vf x) { return sleefnofma_exp(x); }
static inline vf log_of(vf x) { return sleefnofma_log(x); }
#include "logsumexp.h"

static void run(const struct job *j) { each_row(j, logsumexp_shifted_row); }

const struct kernel KERNEL = {
    .op = "logsumexp", .algorithm = "sleefnofma", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 22, .bytes = 4, .lanes = VL, .chains = K,
    .bound = BOUND_LOGSUMEXP_SHIFTED,
    .run = run,
};
