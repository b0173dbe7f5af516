// SPDX-License-Identifier: MIT
/* logsumexp in IEEE half arithmetic as six primitives, each a pass over its operand that leaves its
 * result in memory: t = x - max(x); t = exp(t); y = log(sum(t)) + max. It has the bits of
 * logsumexp_halfshifted.c wherever the maximum is finite; else max - max is NaN, and so is y.
 * 22 flops, 2 bytes per element; it moves 12. */
// build: isas=avx2,avx512,avx512fp16 policies=off,fast,fastmath
#include "fp16.h"
#include "rounded_logsumexp.h"

/* Not inlined, as in a framework: each primitive reads from memory what the one before it has
 * stored. */
#define PRIMITIVE static __attribute__((noinline)) void

PRIMITIVE max_of(const element *x, size_t n, element *max) { r_store_part(max, row_max(x, n), 1); }
PRIMITIVE sub(const element *x, size_t n, const element *max, element *t)
{
    for (size_t i = 0; i < n; i += RL) r_store(t + i, r_sub(load_upto(x + i, n - i), r_all(max)));
}
PRIMITIVE exp_of_each(const element *x, size_t n, element *t)
{
    for (size_t i = 0; i < n; i += RL) r_store(t + i, r_exp(load_upto(x + i, n - i)));
}
static inline vr unchanged(vr x, vr max)
{
    (void)max;
    return x;
}
PRIMITIVE sum(const element *t, size_t whole, element *y)
{
    r_store_part(y, pairwise_sum(t, whole, unchanged, r_set1(0.0f)), 1);
}
PRIMITIVE log_of_sum(const element *x, element *y) { r_store_part(y, r_log(r_all(x)), 1); }
PRIMITIVE add(const element *a, const element *b, element *y)
{
    r_store_part(y, r_add(r_all(a), r_all(b)), 1);
}

static void row(const struct job *j, const element *x, element *y)
{
    size_t whole =
        (j->n + RL - 1) / RL * RL; /* the last vector is filled with -inf: exp(-inf) = 0 */
    element *t = (element *)(void *)j->scratch, *u = t + whole, max, total, logarithm;
    max_of(x, j->n, &max);
    sub(x, j->n, &max, t);
    exp_of_each(t, whole, u);
    sum(u, whole, &total);
    log_of_sum(&total, &logarithm);
    add(&logarithm, &max, y);
}
static void run(const struct job *j) { each_row(j, row); }

const struct kernel KERNEL = {
    .op = "logsumexp",
    .algorithm = "halfsix",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .study = true,
    .flops = 3 + EXP_FLOPS,
    .bytes = 2,
    .lanes = RL,
    .chains = 1,
    .run = run,
};
