/* y = (x - mean) rstd gamma + beta, rstd = 1 / sqrt(max(variance, 0) + eps), with one bit pattern
 * on every ISA, compiler and policy: invariant.h says how. The mean stands in two floats, high and
 * low: (x - high) rstd - low rstd keeps the digits that an offset would take.
 * 10 flops, 8 bytes per element. */
#include "invariant_moments.h"

struct normaliser {
    float mean, rstd, offset; /* offset = -(mean - its float) rstd */
};

static struct normaliser normaliser_of(const float *x, size_t n, float eps)
{
    struct spread s = row_spread(x, n);
    double variance = d_div(s.squares, s.count);
    double rstd = d_div(1.0, d_sqrt(d_add(variance, d_of(eps))));
    struct normaliser z = {f_canonical(s.mean), f_canonical(rstd), 0.0f};
    z.offset = f_canonical(d_mul(d_sub(d_of(z.mean), s.mean), rstd));
    return z;
}

/* One part of a row: what gamma and beta are not there for is not computed. */
ALWAYS_INLINE vf normalised(vf x, vf mean, vf rstd, vf offset, const float *gamma,
                            const float *beta, size_t count)
{
    vf t = i_fma(i_sub(x, mean), rstd, offset);
    if (gamma && beta) return i_fma(t, v_load_part(gamma, count, 1.0f), v_load_part(beta, count, 0.0f));
    if (gamma) return i_mul(t, v_load_part(gamma, count, 1.0f));
    if (beta) return i_add(t, v_load_part(beta, count, 0.0f));
    return t;
}

ALWAYS_INLINE void apply(const float *x, float *y, size_t n, const struct normaliser *z,
                         const float *gamma, const float *beta)
{
    vf mean = i_set1(z->mean), rstd = i_set1(z->rstd), offset = i_set1(z->offset);
    size_t i = 0;
    for (; i + VL <= n; i += VL)
        v_store(y + i, normalised(v_load(x + i), mean, rstd, offset, gamma ? gamma + i : NULL,
                                  beta ? beta + i : NULL, VL));
    if (i < n)
        v_store_part(y + i, normalised(v_load_part(x + i, n - i, 0.0f), mean, rstd, offset,
                                       gamma ? gamma + i : NULL, beta ? beta + i : NULL, n - i),
                     n - i);
}

static void fill_nan(float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = f_from_bits(NAN_BITS);
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        struct normaliser z = {f_from_bits(NAN_BITS), f_from_bits(NAN_BITS), 0.0f};
        if (j->n) z = normaliser_of(row_in(j, r), j->n, j->eps);
        if (j->stats) {
            j->stats[2 * r] = z.mean;
            j->stats[2 * r + 1] = z.rstd;
        }
        if (!f_is_finite(z.mean) || f_is_nan(z.rstd))
            fill_nan(row_out(j, r), j->n);
        else if (j->gamma && j->beta)
            apply(row_in(j, r), row_out(j, r), j->n, &z, j->gamma, j->beta);
        else if (j->gamma)
            apply(row_in(j, r), row_out(j, r), j->n, &z, j->gamma, NULL);
        else if (j->beta)
            apply(row_in(j, r), row_out(j, r), j->n, &z, NULL, j->beta);
        else
            apply(row_in(j, r), row_out(j, r), j->n, &z, NULL, NULL);
    }
}

const struct kernel KERNEL = {
    .op = "layernorm", .algorithm = "invariant", .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 8, .bytes = 8, .lanes = LANES, .chains = MOMENT_CHAINS,
    .promise = {.specials = true},
    .run = run,
};
