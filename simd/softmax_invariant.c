/* y = e^x / sum(e^x), with one bit pattern on every ISA, compiler and policy: invariant.h says how.
 * Up to KEEP elements: max; numerators and their sum; product with 1 / sum. Longer rows: the sum
 * in one pass of blocks, then the numerators again, which reads twice and writes once where the
 * three passes read three times and write twice.
 * 18 flops, 8 bytes per element. */
#include "invariant_exp.h"

enum { KEEP = 1 << 16 };

static void fill(float *y, size_t n, float a)
{
    for (size_t i = 0; i < n; i++) y[i] = a;
}

static void multiply(float *y, size_t n, float factor)
{
    vf a = i_set1(factor);
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL)
        for (size_t k = 0; k < 4; k++) {
            float *p = y + i + k * VL;
            v_store(p, i_mul(v_load(p), a));
        }
    for (; i + VL <= n; i += VL) v_store(y + i, i_mul(v_load(y + i), a));
    if (i < n) v_store_part(y + i, i_mul(v_load_part(y + i, n - i, 0.0f), a), n - i);
}

/* Numerators times factor: the bits that storing and multiplying them gives. */
static void recompute(const float *x, float *y, size_t n, const struct exp_scale *s, float factor)
{
    vf a = i_set1(factor);
    size_t i = ((64 - ((uintptr_t)y & 63)) & 63) / sizeof *y;
    if (i > n || (uintptr_t)y % sizeof *y) i = n;
    for (size_t k = 0; k < i; k += VL) {
        size_t left = lanes_before(k, i);
        v_store_part(y + k, i_mul(exp_scaled(v_load_part(x + k, left, -LARGE), s), a), left);
    }
    for (; i + VL <= n; i += VL) i_stream(y + i, i_mul(exp_scaled(v_load(x + i), s), a));
    if (i < n)
        v_store_part(y + i, i_mul(exp_scaled(v_load_part(x + i, n - i, -LARGE), s), a), n - i);
    i_stream_end();
}

/* y = x - log(sum(e^x)), the logarithm in two floats. */
static void log_row(const float *x, float *y, size_t n)
{
    struct exp_total t = exp_total(x, n);
    if (f_bits(t.special)) {
        fill(y, n, f_from_bits(NAN_BITS));
        return;
    }
    double log = d_add(d_of(t.shift), exp_total_log(&t));
    float high = f_of(log), low = f_of(d_sub(log, d_of(high)));
    vf h = i_set1(high), l = i_set1(low);
    for (size_t i = 0; i < n; i += VL) {
        size_t left = lanes_before(i, n);
        v_store_part(y + i, i_sub(i_sub(v_load_part(x + i, left, 0.0f), h), l), left);
    }
}

static void long_row(const float *x, float *y, size_t n)
{
    struct exp_total t = exp_total(x, n);
    if (f_bits(t.special)) {
        fill(y, n, f_from_bits(NAN_BITS));
        return;
    }
    if (t.shift != 0.0f) {
        subtract(x, y, n, t.shift);
        x = y;
    }
    struct exp_scale s = exp_scale(t.N);
    recompute(x, y, n, &s, f_of(d_div(1.0, t.total)));
}

static void row(const float *x, float *y, size_t n)
{
    float m = row_max(x, n);
    if (!f_is_finite(m)) {
        fill(y, n, f_from_bits(NAN_BITS));
        return;
    }
    if ((f_bits(m) & MAGNITUDE) >= f_bits(LARGE)) {
        subtract(x, y, n, m);
        x = y;
        m = 0.0f;
    }
    struct exp_scale s = exp_scale(exponent_of(m));
    double total = 0.0;
    for (size_t i = 0; i < n; i += BLOCK)
        total = d_add(total, d_of(exp_block(x + i, y + i, n - i < BLOCK ? n - i : BLOCK, &s)));
    if (d_is_finite(total))
        multiply(y, n, f_of(d_div(1.0, total)));
    else
        fill(y, n, f_from_bits(NAN_BITS));
}

static void run(const struct job *j)
{
    void (*one)(const float *, float *, size_t) = j->log_output ? log_row
                                                  : j->n > KEEP ? long_row
                                                                : row;
    for (size_t r = 0; r < j->rows && j->n; r++) one(row_in(j, r), row_out(j, r), j->n);
}

const struct kernel KERNEL = {
    .op = "softmax", .algorithm = "invariant", .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 20, .bytes = 8, .lanes = LANES, .chains = EXP_CHAINS,
    .exp_ulp = 1.3,
    .bound = BOUND_SOFTMAX,
    .promise = {.ulp_off = 4, .ulp_fused = 4, .specials = true, .bound = true},
    .run = run,
};
