// SPDX-License-Identifier: MIT
/* softmax of x * scale or x / scale in the forms that compilers make of it (scaledforms.h): max_j
 * s_j; sum_j exp(s_j - max); exp(s_i - max) / sum. A form is right as long as every pass computes
 * the same s_i: the largest element's exponent is then 0. If s_i - max is contracted where s_i is a
 * product, that exponent is the product's rounding error instead. A quotient offers nothing to
 * contract, unless a policy has turned it into a product. For case studies: no promise, no bound.
 * Source: PyTorch issues 121558 and 122260. */
#include "exp.h"
#include "row.h"
#include "scaledforms.h"
#include "scanned.h"

/* c->scale holds the factor; for a quotient, the divisor. */
static inline vf product(vf x, const struct row_context *c) { return v_mul(x, c->scale); }
static inline vf quotient(vf x, const struct row_context *c) { return v_div(x, c->scale); }
static inline vf stored(vf x, const struct row_context *c)
{
    (void)c;
    return x;
}

static inline vf e_product(vf x, const struct row_context *c)
{
    return v_exp(v_mad(x, c->scale, v_sub(v_set1(0.0f), c->max)));
}
static inline vf e_quotient(vf x, const struct row_context *c)
{
    return v_exp(v_sub(v_div(x, c->scale), c->max));
}
static inline vf e_stored(vf x, const struct row_context *c) { return v_exp(v_sub(x, c->max)); }
static inline vf normalised(vf e, const struct row_context *c) { return v_mul(e, c->norm); }
static inline vf p_product(vf x, const struct row_context *c)
{
    return normalised(e_product(x, c), c);
}
static inline vf p_quotient(vf x, const struct row_context *c)
{
    return normalised(e_quotient(x, c), c);
}

/* Each pass is a function of its own, so that nothing stays in registers between passes. */
#define PASS static __attribute__((noinline))

PASS void scores_product(const float *x, float *y, size_t n, const struct row_context *c)
{
    row_map(x, y, n, product, c);
}
PASS void scores_quotient(const float *x, float *y, size_t n, const struct row_context *c)
{
    row_map(x, y, n, quotient, c);
}
PASS float max_product(const float *x, size_t n, const struct row_context *c)
{
    return row_max(x, n, product, c);
}
PASS float max_quotient(const float *x, size_t n, const struct row_context *c)
{
    return row_max(x, n, quotient, c);
}
PASS float max_stored(const float *x, size_t n, const struct row_context *c)
{
    return row_max(x, n, stored, c);
}
PASS float sum_product(const float *x, size_t n, const struct row_context *c)
{
    return row_sum(x, NULL, n, e_product, c);
}
PASS float sum_quotient(const float *x, size_t n, const struct row_context *c)
{
    return row_sum(x, NULL, n, e_quotient, c);
}
PASS float sum_stored(const float *x, float *y, size_t n, const struct row_context *c)
{
    return row_sum(x, y, n, e_stored, c);
}
PASS void output_product(const float *x, float *y, size_t n, const struct row_context *c)
{
    row_map(x, y, n, p_product, c);
}
PASS void output_quotient(const float *x, float *y, size_t n, const struct row_context *c)
{
    row_map(x, y, n, p_quotient, c);
}
PASS void output_stored(float *y, size_t n, const struct row_context *c)
{
    row_map(y, y, n, normalised, c);
}

/* The ways in which a form computes its scores. reciprocal: by the factor 1 / scale; quotient: by
 * division; stored: once; mixed: the output by another operation than the maximum and the sum. */
static const struct form {
    bool reciprocal, quotient, stored, mixed;
} forms[FORM_COUNT] = {
    [FORM_PRODUCT_STORED] = {.stored = true},
    [FORM_PRODUCT] = {0},
    [FORM_QUOTIENT_STORED] = {.quotient = true, .stored = true},
    [FORM_QUOTIENT] = {.quotient = true},
    [FORM_RECIPROCAL_STORED] = {.reciprocal = true, .stored = true},
    [FORM_RECIPROCAL] = {.reciprocal = true},
    [FORM_MIXED] = {.quotient = true, .mixed = true},
};

static void row_stored(const struct form *f, const float *x, float *y, size_t n, bool numerators,
                       struct row_context *c)
{
    (f->quotient ? scores_quotient : scores_product)(x, y, n, c);
    c->max = v_set1(max_stored(y, n, c));
    float sum = sum_stored(y, y, n, c);
    c->norm = v_set1(numerators ? 1.0f : 1.0f / sum);
    output_stored(y, n, c);
}

static void row_recomputed(const struct form *f, const float *x, float *y, size_t n,
                           bool numerators, float inverse, struct row_context *c)
{
    c->max = v_set1((f->quotient ? max_quotient : max_product)(x, n, c));
    float sum = (f->quotient ? sum_quotient : sum_product)(x, n, c);
    c->norm = v_set1(numerators ? 1.0f : 1.0f / sum);
    if (f->mixed) c->scale = v_set1(inverse);
    (f->quotient && !f->mixed ? output_quotient : output_product)(x, y, n, c);
}

static void run(const struct job *j)
{
    const struct scaled_request *request = j->operand;
    const struct form *f = &forms[request->form];
    float inverse = 1.0f / j->scale;
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        struct row_context c = {.scale = v_set1(f->reciprocal ? inverse : j->scale)};
        if (f->stored)
            row_stored(f, x, y, j->n, request->numerators, &c);
        else
            row_recomputed(f, x, y, j->n, request->numerators, inverse, &c);
    }
}

const struct kernel KERNEL = {
    .op = "softmax",
    .algorithm = "scaledforms",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .hazard = true,
    .flops = 10 + 2 * EXP_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .chains = K,
    .exp_ulp = OWN_EXP_ULP,
    .study = true,
    .run = run,
};
