// SPDX-License-Identifier: MIT
/* The kernel of that name as an earlier build might have had it: twenty times as slow, and with
 * other bits. For test_duel. */
#include "twopass.h"

static void run(const struct job *j)
{
    for (int times = 0; times < 20; times++)
        for (size_t r = 0; r < j->rows; r++) {
            struct moments m = twopass(row_of(j, r), j->n);
            m.variance *= 1.0001f;
            store_moments(j, r, m);
        }
}

const struct kernel KERNEL = {
    .op = "moments",
    .algorithm = "twopass",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 4,
    .bytes = sizeof(element),
    .lanes = VL,
    .chains = CHAINS,
    .bound = BOUND_VARIANCE_TWOPASS,
    .promise = {.specials = true},
    .run = run,
};
