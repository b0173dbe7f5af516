// SPDX-License-Identifier: MIT
/* erfgelu.h as a compiler generates code for the whole expression: erf is inlined, by Abramowitz
 * and Stegun 7.1.26 as in PyTorch's vector classes (Vectorized<float>::erf), and the policy decides
 * what fuses:
 *
 *   erf(t) = sign(t) (1 - w p(w) exp(-t^2)),  w = 1 / (1 + 0.3275911 |t|),  |error| < 1.5e-7
 *
 * 38 flops, 8 bytes per element. */
#include "erfgelu.h"
#include "exp.h"

static const struct {
    float p, a1, a2, a3, a4, a5;
} erf_k = {
    .p = 0.3275911f,
    .a1 = 0.254829592f,
    .a2 = -0.284496736f,
    .a3 = 1.421413741f,
    .a4 = -1.453152027f,
    .a5 = 1.061405429f,
};

/* Returns erf(t); square is -t^2. The caller computes it without negating a product, because clang
 * 14 would turn the negated product into an FNMSUB under reassoc: that rounds the same, but would
 * count as a contraction, which reassoc does not allow. */
static inline vf inline_erf(vf t, vf square)
{
    vf one = v_set1(1.0f), w = v_div(one, v_mad(v_set1(erf_k.p), v_abs(t), one));
    vf p = v_mad(v_set1(erf_k.a5), w, v_set1(erf_k.a4));
    p = v_mad(p, w, v_set1(erf_k.a3));
    p = v_mad(p, w, v_set1(erf_k.a2));
    p = v_mad(p, w, v_set1(erf_k.a1));
    vf e = v_exp_nonpositive(square);
    vf y = v_nmad(v_mul(e, w), p, one);
    return v_float(vi_or(v_bits(y), vi_and(v_bits(t), vi_set1(INT32_MIN))));
}

static inline vf y_of(vf x)
{
    vf half = v_mul(v_set1(0.5f), x), square = v_mul(v_mul(v_set1(-0.5f), x), x);
    return v_mul(half, v_add(v_set1(1.0f), inline_erf(erfgelu_argument(x), square)));
}
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "erfgelu",
    .algorithm = "inline",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .hazard = true,
    .flops = 38,
    .bytes = 8,
    .lanes = VL,
    .study = true,
    .run = run,
};
