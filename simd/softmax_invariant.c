/* y = e^x / sum(e^x), with one bit pattern on every ISA, compiler and policy: invariant.h says how,
 * invariant_exp.h what. Numerators and their sum, in blocks; product with 1 / sum. Very long rows:
 * the sum in one pass, then the numerators again, which reads twice and writes once where storing
 * them reads three times and writes twice. Rows that are not stored as floats are widened, and their
 * results rounded, in passes of their own (the scratch holds both): numerators are never rounded.
 * Error: 0.94 ulp of the exponential, in the numerator and averaged in the sum, and the product: at
 * most 3.8 ulp on N(0, 10^2) for n from 7 to 32768 (4e6 elements each), 2.3 on N(0, 1).
 * 20 flops, 8 bytes per element. */
#include "invariant_exp.h"

static void fill(float *y, size_t n, float a)
{
    for (size_t i = 0; i < n; i++) y[i] = a;
}

/* 1 / total in two floats: the reciprocal of a rounded sum, rounded, would cost another ulp. */
struct factor {
    float high, low;
};
static inline struct factor reciprocal(double total)
{
    double f = d_div(1.0, total);
    float high = f_of(f);
    return (struct factor){high, f_of(d_sub(f, d_of(high)))};
}
static inline vf times(vf e, vf high, vf low)
{
    return i_fma(e, high, i_mul(e, low));
}

/* y = e factor; e and y may be one. */
ALWAYS_INLINE void multiply(const float *e, float *y, size_t n, struct factor f)
{
    vf high = i_set1(f.high), low = i_set1(f.low);
    size_t i = 0;
    for (; i + 2 * VL <= n; i += 2 * VL)
        for (size_t k = 0; k < 2; k++)
            v_store(y + i + k * VL, times(v_load(e + i + k * VL), high, low));
    for (; i + VL <= n; i += VL) v_store(y + i, times(v_load(e + i), high, low));
    if (i < n) v_store_part(y + i, times(v_load_part(e + i, n - i, 0.0f), high, low), n - i);
}

/* The same past the caches. */
static void multiply_past(const float *e, float *y, size_t n, struct factor f)
{
    vf high = i_set1(f.high), low = i_set1(f.low);
    size_t i = before_boundary(y, n);
    multiply(e, y, i, f);
    for (; i + VL <= n; i += VL) i_stream(y + i, times(v_load(e + i), high, low));
    multiply(e + i, y + i, n - i, f);
}

/* The numerators again, times the factor, past the caches. */
static void recompute_past(const float *x, float *y, size_t n, float N, struct factor f)
{
    struct exp_scale s = exp_scale(N);
    vf high = i_set1(f.high), low = i_set1(f.low);
    size_t head = before_boundary(y, n), i = 0;
    for (; i < head; i += VL) {
        size_t left = lanes_before(i, head);
        v_store_part(y + i, times(exp_scaled(v_load_part(x + i, left, MINUS_INFINITY), &s), high, low), left);
    }
    for (i = head; i + VL <= n; i += VL) i_stream(y + i, times(exp_scaled(v_load(x + i), &s), high, low));
    if (i < n) {
        vf last = v_load_part(x + i, n - i, MINUS_INFINITY);
        v_store_part(y + i, times(exp_scaled(last, &s), high, low), n - i);
    }
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
    recompute_past(x, y, n, t.N, reciprocal(t.total));
}

/* exp_sum(), and the numerators to e. */
static __attribute__((noinline)) double exp_store(const float *x, float *e, size_t n, float N)
{
    struct exp_scale s = exp_scale(N);
    return wide_sum(exp_lanes(x, e, 1, n, &s));
}

/* The numerators stand in `e` in between, which is y or a buffer. */
static void row(const float *x, float *e, float *y, size_t n)
{
    float m = row_max(x, n);
    if (!f_is_finite(m)) {
        fill(y, n, f_from_bits(NAN_BITS));
        return;
    }
    if ((f_bits(m) & MAGNITUDE) >= f_bits(LARGE)) {
        subtract(x, e, n, m);
        x = e;
        m = 0.0f;
    }
    float N = exponent_of(m);
    double total = 0.0;
    for (size_t i = 0; i < n; i += BLOCK)
        total = d_add(total, exp_store(x + i, e + i, n - i < BLOCK ? n - i : BLOCK, N));
    if (!d_is_finite(total))
        fill(y, n, f_from_bits(NAN_BITS));
    else if (e == y)
        multiply(e, y, n, reciprocal(total));
    else
        multiply_past(e, y, n, reciprocal(total));
}

static void one_row(const struct job *j, size_t r, int past)
{
    const float *x = x_floats(row_in(j, r), j->n, j->scratch);
    float *y = y_floats(row_out(j, r), j->scratch + j->n);
    if (j->log_output) log_row(x, y, j->n);
    else if (is(j, RECOMPUTED)) long_row(x, y, j->n);
    else row(x, past ? j->scratch : y, y, j->n);
    y_put(row_out(j, r), y, j->n);
}

/* Up to VL rows from `first` together; those that are not stored as floats with room of their own. */
enum { ROOM = STORED_FLOATS ? 1 : VL * SHORTEST };
struct group {
    struct exp_rows rows;
    size_t first;
    int together; /* else: one by one */
    float *y[VL], *e[VL], high[VL], low[VL], buffer[VL * SHORTEST], widened[ROOM], results[ROOM];
};

static void group_open(struct group *g, const struct job *j, size_t first, int past)
{
    g->first = first;
    g->rows.n = j->n;
    g->rows.count = rows_from(j, first);
    for (size_t k = 0; k < g->rows.count; k++) {
        size_t at = STORED_FLOATS ? 0 : k * j->n;
        g->rows.x[k] = x_floats(row_in(j, first + k), j->n, g->widened + at);
        g->y[k] = y_floats(row_out(j, first + k), g->results + at);
        g->e[k] = past ? g->buffer + k * j->n : g->y[k];
    }
    g->together = exp_rows_open(&g->rows);
}

static void group_exponentials(struct group *g)
{
    vd total = exp_rows_total(&g->rows, g->e, 1);
    vi magnitude = vi_and(v_bits(vd_to(total)), vi_set1(MAGNITUDE));
    if (m_any(vi_lt(vi_set1(INFINITY_BITS - 1), magnitude))) g->together = 0;
    vd f = vd_div(vd_set1(1.0), total);
    vf h = vd_to(f);
    v_store(g->high, h);
    v_store(g->low, vd_to(vd_sub(f, vd_of(h))));
}

static void group_finish(const struct group *g, const struct job *j, int past)
{
    for (size_t k = 0; k < g->rows.count; k++) {
        struct factor factor = {g->high[k], g->low[k]};
        if (!g->together) {
            one_row(j, g->first + k, past);
            continue;
        }
        if (past) multiply_past(g->e[k], g->y[k], j->n, factor);
        else multiply(g->e[k], g->y[k], j->n, factor);
        y_put(row_out(j, g->first + k), g->y[k], j->n);
    }
}

/* Pipelined: what one group waits for (the maxima's fold, the division) passes while the group
 * before it is multiplied. Returns the first row that is left. */
static size_t short_rows(const struct job *j, int past)
{
    struct group groups[2];
    size_t first = 0, count = 0;
    for (; first < j->rows && together(j, first, TOGETHER, past || !STORED_FLOATS); count++) {
        struct group *g = &groups[count % 2];
        group_open(g, j, first, past);
        if (count) group_finish(&groups[(count + 1) % 2], j, past);
        if (g->together) group_exponentials(g);
        first += g->rows.count;
    }
    if (count) group_finish(&groups[(count + 1) % 2], j, past);
    return first;
}

static void run(const struct job *j)
{
    int past = past_caches(j);
    if (!j->n) return;
    for (size_t r = j->log_output ? 0 : short_rows(j, past); r < j->rows; r++) one_row(j, r, past);
    i_stream_end();
}

static size_t ways(const struct job *j, struct way *out)
{
    size_t count = 0;
    int past = STORED_FLOATS && ask(j, STREAMED, out, &count);
    if (j->log_output) return count;
    count = together_ways(j, TOGETHER, past || !STORED_FLOATS, out, count);
    if (!out[count - 1].taken) ask(j, RECOMPUTED, out, &count);
    return count;
}

const struct kernel KERNEL = {
    .op = "softmax", .algorithm = "invariant", .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 20, .bytes = 2 * sizeof(element), .lanes = LANES, .chains = GROUP,
    .exp_ulp = 0.95,
    .bound = BOUND_SOFTMAX,
    .promise = {.ulp_off = STORED_ULP(4), .ulp_fused = STORED_ULP(4), .specials = true, .bound = true},
    .run = run, .ways = ways,
};
