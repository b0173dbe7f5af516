// SPDX-License-Identifier: MIT
/* y = log(1 + exp(x)) in IEEE half arithmetic on a unit whose intermediate 1 + exp(x) is infinite
 * from *limit on (operand, a float of the format): 2^15 for one bit of exponent less than half has;
 * 2^16, which rounds to infinity, for no limit of its own. A hazard: infinite from log(limit) on.
 * 47 flops, 4 bytes per element. */
// build: isas=avx2,avx512,avx512fp16 policies=off,fast,fastmath
#include "fp16.h"
#include "rounded_logsumexp.h"

static void row(const struct job *j, const element *x, element *y)
{
    vr one = r_set1(1.0f), limit = r_set1(*(const float *)j->operand);
    for (size_t i = 0; i < j->n; i += RL) {
        size_t left = j->n - i < RL ? j->n - i : RL;
        vr sum = r_add(one, r_exp(load_upto(x + i, left)));
        r_store_part(y + i, r_log(r_overflow(sum, limit)), left);
    }
}
static void run(const struct job *j) { each_row(j, row); }

const struct kernel KERNEL = {
    .op = "softplus",
    .algorithm = "halflimit",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .study = true,
    .hazard = true,
    .flops = 1 + EXP_FLOPS + LOG_FLOPS,
    .bytes = 4,
    .lanes = RL,
    .chains = 1,
    .run = run,
};
