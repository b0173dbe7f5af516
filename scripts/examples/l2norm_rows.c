// SPDX-License-Identifier: MIT
/* y = x r gamma, r = 1 / sqrt(sum x^2 + eps): rows scaled to length 1, as in embeddings and
 * QK-norm, an operation that the lab does not have. It is written over the vocabulary: one source
 * for every ISA.
 *
 *     make run KERNELS=scripts/examples/l2norm_rows.c RUN='--filter op=l2norm'
 *
 * All terms of the sum are positive: with h the height of its tree, |error| <= (h / 2 + 5) u, and u
 * is at most one ulp. 4 flops, 8 bytes per element. */
#ifdef REFERENCE
#include <math.h>

#include "kernel_reference.h"

/* Squares of floats are exact in double, and the sum has 64 bits. */
static void row(const float *x, size_t n, const struct parameters *p, double *y,
                struct oracle_row *facts)
{
    long double squares = 0;
    for (size_t i = 0; i < n; i++) squares += (double)x[i] * (double)x[i];
    double r = 1 / sqrt((double)squares + (double)p->eps);
    for (size_t i = 0; i < n; i++) y[i] = x[i] * r * (p->gamma ? (double)p->gamma[i] : 1);
    /* Nothing cancels, so that the error in ULP needs no floor. */
    facts->squares = (double)squares; /* rows in which they overflow are in no promise */
}

const struct oracle REFERENCE = {
    .op = "l2norm",
    .outputs = {"y"},
    .elementwise = true,
    .sign_certain = true,
    .domain = DOMAIN_MOMENTS,
    .row = row,
};

#else
#include "row.h"

static vf square(vf x, const struct row_context *c)
{
    (void)c;
    return v_mul(x, x);
}
static vf scaled(vf x, const struct row_context *c)
{
    return v_mul(x, c->scale);
}

static void l2norm(const struct job *j, const float *x, float *y)
{
    float sum = row_sum(x, NULL, j->n, square, NULL);
    struct row_context c = {
        .scale = v_set1(1.0f / _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(sum + j->eps))))};
    row_map(x, y, j->n, scaled, &c);
    for (size_t i = 0; j->gamma && i < j->n; i += VL) {
        size_t left = j->n - i < VL ? j->n - i : VL;
        vf g = v_load_upto(j->gamma + i, left, 0.0f);
        v_store_part(y + i, v_mul(v_load_upto(y + i, left, 0.0f), g), left);
    }
}

static void run(const struct job *j)
{
    each_row(j, l2norm);
}

const struct kernel KERNEL = {
    .op = "l2norm",
    .algorithm = "rows",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 4,
    .bytes = 8,
    .lanes = VL,
    .chains = K,
    .promise = {.ulp_off = 8, .ulp_fused = 8, .specials = true},
    .run = run,
};
#endif
