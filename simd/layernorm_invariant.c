/* y = (x - mean) rstd gamma + beta, rstd = 1 / sqrt(max(variance, 0) + eps), with one bit pattern
 * on every ISA, compiler and policy: invariant.h says how. The mean stands in two floats, high and
 * low: (x - high) rstd - low rstd keeps the digits that an offset would take.
 * 10 flops, 8 bytes per element. */
#include "invariant_moments.h"

struct normaliser {
    float mean, rstd, offset; /* offset = -(mean - its float) rstd */
};

static struct normaliser normaliser_of(const element *x, size_t n, float eps)
{
    struct spread s = row_spread(x, n);
    double rstd = d_div(1.0, d_sqrt(d_add(d_div(s.squares, s.count), d_of(eps))));
    struct normaliser z = {f_canonical(s.mean), f_canonical(rstd), 0.0f};
    z.offset = f_canonical(d_mul(d_sub(d_of(z.mean), s.mean), rstd));
    return z;
}

/* What is the same for all vectors of a row. */
struct row {
    vf mean, rstd, offset;
    const element *x;
    const float *gamma, *beta; /* NULL: none */
    element *y;
};

/* What gamma and beta are not there for is not computed. */
ALWAYS_INLINE vf affine(const struct row *r, vf x, vf gamma, vf beta)
{
    vf t = i_fma(i_sub(x, r->mean), r->rstd, r->offset);
    if (r->gamma && r->beta) return i_fma(t, gamma, beta);
    if (r->gamma) return i_mul(t, gamma);
    if (r->beta) return i_add(t, beta);
    return t;
}
ALWAYS_INLINE vf full(const struct row *r, size_t i)
{
    vf none = v_set1(0.0f);
    return affine(r, x_load(r->x + i), r->gamma ? v_load(r->gamma + i) : none,
                  r->beta ? v_load(r->beta + i) : none);
}
ALWAYS_INLINE void part(const struct row *r, size_t i, size_t n)
{
    vf none = v_set1(0.0f), x = x_load_part(r->x + i, n, 0.0f);
    vf gamma = r->gamma ? v_load_part(r->gamma + i, n, 0.0f) : none;
    vf beta = r->beta ? v_load_part(r->beta + i, n, 0.0f) : none;
    y_store_part(r->y + i, affine(r, x, gamma, beta), n);
}

ALWAYS_INLINE void apply(const struct row *r, size_t n, int past)
{
    size_t i = 0;
    if (past) {
        size_t head = before_boundary(r->y, n);
        for (; i < head; i += VL) part(r, i, lanes_before(i, head));
        for (i = head; i + VL <= n; i += VL) y_stream(r->y + i, full(r, i));
    } else {
        for (; i + VL <= n; i += VL) y_store(r->y + i, full(r, i));
    }
    if (i < n) part(r, i, n - i);
}

static void fill_nan(element *y, size_t n)
{
    vf nan = i_set1(f_from_bits(NAN_BITS));
    for (size_t i = 0; i < n; i += VL) y_store_part(y + i, nan, lanes_before(i, n));
}

static void finish(const struct job *j, size_t r, const struct normaliser *z, int past)
{
    struct row row = {i_set1(z->mean), i_set1(z->rstd), i_set1(z->offset),
                      row_in(j, r), j->gamma, j->beta, row_out(j, r)};
    if (j->stats) {
        j->stats[2 * r] = z->mean;
        j->stats[2 * r + 1] = z->rstd;
    }
    if (!f_is_finite(z->mean) || f_is_nan(z->rstd)) {
        fill_nan(row.y, j->n);
    } else if (row.gamma && row.beta) {
        apply(&row, j->n, past);
    } else if (row.gamma) {
        row.beta = NULL;
        apply(&row, j->n, past);
    } else if (row.beta) {
        row.gamma = NULL;
        apply(&row, j->n, past);
    } else {
        row.gamma = row.beta = NULL;
        apply(&row, j->n, past);
    }
}

static void one_row(const struct job *j, size_t r, int past)
{
    struct normaliser z = {f_from_bits(NAN_BITS), f_from_bits(NAN_BITS), 0.0f};
    if (j->n) z = normaliser_of(row_in(j, r), j->n, j->eps);
    finish(j, r, &z, past);
}

/* Up to VL rows from `first`. */
static void short_rows(const struct job *j, size_t first, int past)
{
    const element *x[VL];
    float mean[VL], variances[VL], rstd[VL], offset[VL];
    size_t count = rows_from(j, first), live = 0;
    do x[live] = row_in(j, first + live);
    while (++live < count);
    struct spread_rows s = rows_spread(x, count, j->n);
    vd variance = vd_div(s.squares, vd_set1(d_count(j->n)));
    vd scale = vd_div(vd_set1(1.0), vd_sqrt(vd_add(variance, vd_set1(d_of(j->eps)))));
    vf m = vd_to(s.mean), v = vd_to(variance);
    v_store(mean, m);
    v_store(rstd, vd_to(scale));
    v_store(offset, vd_to(vd_mul(vd_sub(vd_of(m), s.mean), scale)));
    v_store(variances, v);
    for (size_t k = 0; k < count; k++) {
        struct normaliser z = {mean[k], rstd[k], offset[k]};
        /* Negative by rounding, or no number: one_row() knows what to make of it. */
        if (f_bits(variances[k]) >= INFINITY_BITS || !f_is_finite(mean[k])) one_row(j, first + k, past);
        else finish(j, first + k, &z, past);
    }
}

static void run(const struct job *j)
{
    int past = past_caches(j);
    for (size_t r = 0; r < j->rows;) {
        size_t end = r + VL < j->rows ? r + VL : j->rows;
        if (together(j, r, TOGETHER_TWICE, past)) {
            short_rows(j, r, past);
            r = end;
        }
        for (; r < end; r++) one_row(j, r, past);
    }
    i_stream_end();
}

static size_t ways(const struct job *j, struct way *out)
{
    size_t count = 0;
    int past = STORED_FLOATS && ask(j, STREAMED, out, &count);
    return together_ways(j, TOGETHER_TWICE, past, out, count);
}

const struct kernel KERNEL = {
    .op = "layernorm", .algorithm = "invariant", .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 8, .bytes = 2 * sizeof(element), .lanes = LANES, .chains = MOMENT_CHAINS,
    .promise = {.specials = true},
    .run = run, .ways = ways,
};
