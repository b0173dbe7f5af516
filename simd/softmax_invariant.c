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

/* 1 / total in two floats: the reciprocal of a rounded sum, rounded, would cost another ulp. */
struct factor {
    vf high, low;
};
static struct factor reciprocal(double total)
{
    double f = d_div(1.0, total);
    float high = f_of(f);
    return (struct factor){i_set1(high), i_set1(f_of(d_sub(f, d_of(high))))};
}
static inline vf times(vf e, const struct factor *f)
{
    return i_fma(e, f->high, i_mul(e, f->low));
}

static void multiply(float *y, size_t n, const struct factor *f)
{
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL)
        for (size_t k = 0; k < 4; k++) v_store(y + i + k * VL, times(v_load(y + i + k * VL), f));
    for (; i + VL <= n; i += VL) v_store(y + i, times(v_load(y + i), f));
    if (i < n) v_store_part(y + i, times(v_load_part(y + i, n - i, 0.0f), f), n - i);
}

/* The numerators again, times the factor, past the caches. */
static void recompute(const float *x, float *y, size_t n, const struct exp_scale *s,
                      const struct factor *f)
{
    size_t i = ((64 - ((uintptr_t)y & 63)) & 63) / sizeof *y;
    if (i > n || (uintptr_t)y % sizeof *y) i = n;
    for (size_t k = 0; k < i; k += VL) {
        size_t left = lanes_before(k, i);
        v_store_part(y + k, times(exp_scaled(v_load_part(x + k, left, MINUS_INFINITY), s), f), left);
    }
    for (; i + VL <= n; i += VL) i_stream(y + i, times(exp_scaled(v_load(x + i), s), f));
    if (i < n) {
        vf last = v_load_part(x + i, n - i, MINUS_INFINITY);
        v_store_part(y + i, times(exp_scaled(last, s), f), n - i);
    }
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
    double log = exp_total_log(&t, x, n);
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
    struct factor f = reciprocal(t.total);
    recompute(x, y, n, &s, &f);
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
        total = d_add(total, exp_block(x + i, y + i, n - i < BLOCK ? n - i : BLOCK, &s));
    if (!d_is_finite(total)) {
        fill(y, n, f_from_bits(NAN_BITS));
        return;
    }
    struct factor f = reciprocal(total);
    multiply(y, n, &f);
}

/* VL rows from `first`; false where one of them is not for the fast path. */
static int short_rows(const struct job *j, size_t first)
{
    struct exp_rows g = {.n = j->n};
    float *y[VL], high[VL], low[VL];
    for (size_t k = 0; k < VL; k++) {
        g.x[k] = row_in(j, row_near(j, first, k));
        y[k] = row_out(j, row_near(j, first, k));
    }
    if (!exp_rows_open(&g)) return 0;
    vd total = exp_rows_total(&g, y);
    vi magnitude = vi_and(v_bits(vd_to(total)), vi_set1(MAGNITUDE));
    if (m_any(vi_lt(vi_set1(INFINITY_BITS - 1), magnitude))) return 0;
    vd f = vd_div(vd_set1(1.0), total);
    vf h = vd_to(f);
    v_store(high, h);
    v_store(low, vd_to(vd_sub(f, vd_of(h))));
    for (size_t k = 0; k < VL && first + k < j->rows; k++) {
        struct factor factor = {i_set1(high[k]), i_set1(low[k])};
        multiply(y[k], j->n, &factor);
    }
    return 1;
}

static void run(const struct job *j)
{
    void (*one)(const float *, float *, size_t) = j->log_output ? log_row
                                                  : j->n > KEEP ? long_row
                                                                : row;
    for (size_t r = 0; r < j->rows && j->n;) {
        size_t end = r + VL < j->rows ? r + VL : j->rows;
        if (one == row && j->n <= SHORT && enough_rows(j, r) && short_rows(j, r)) r = end;
        for (; r < end; r++) one(row_in(j, r), row_out(j, r), j->n);
    }
}

const struct kernel KERNEL = {
    .op = "softmax", .algorithm = "invariant", .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 20, .bytes = 8, .lanes = LANES, .chains = GROUP,
    .exp_ulp = 1.3,
    .bound = BOUND_SOFTMAX,
    .promise = {.ulp_off = 4, .ulp_fused = 4, .specials = true, .bound = true},
    .run = run,
};
