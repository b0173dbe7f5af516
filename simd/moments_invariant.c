/* Mean and variance (ddof 0), with one bit pattern on every ISA, compiler and policy: invariant.h
 * says how, invariant_moments.h what. One pass, 4 flops, 4 bytes per element. */
#include "invariant_moments.h"

static inline float *result_of(const struct job *j, size_t r)
{
    return (float *)j->y + r * j->y_stride;
}

static void row(const struct job *j, size_t r)
{
    float *y = result_of(j, r);
    if (!j->n) {
        y[0] = y[1] = f_from_bits(NAN_BITS);
        return;
    }
    struct spread s = row_spread(row_in(j, r), j->n);
    y[0] = f_canonical(s.mean);
    y[1] = f_canonical(d_div(s.squares, s.count));
}

/* Up to VL rows from `first`. */
static void short_rows(const struct job *j, size_t first)
{
    const element *x[VL];
    float mean[VL], variance[VL];
    size_t count = rows_from(j, first), live = 0;
    do x[live] = row_in(j, first + live);
    while (++live < count);
    struct spread_rows s = rows_spread(x, count, j->n);
    v_store(mean, vd_to(s.mean));
    v_store(variance, vd_to(vd_div(s.squares, vd_set1(d_count(j->n)))));
    for (size_t k = 0; k < count; k++) {
        float *y = result_of(j, first + k);
        y[0] = mean[k];
        y[1] = f_bits(variance[k]) >> 31 ? 0.0f : variance[k];
        if (!f_is_finite(mean[k]) || !f_is_finite(variance[k])) row(j, first + k);
    }
}

static void run(const struct job *j)
{
    int past = is(j, FROM_MEMORY);
    for (size_t r = 0; r < j->rows;) {
        size_t end = r + VL < j->rows ? r + VL : j->rows;
        if (together(j, r, TOGETHER, past)) {
            short_rows(j, r);
            r = end;
        }
        for (; r < end; r++) row(j, r);
    }
}

static size_t ways(const struct job *j, struct way *out)
{
    size_t count = 0;
    int past = ask(j, FROM_MEMORY, out, &count);
    return together_ways(j, TOGETHER, past, out, count);
}

const struct kernel KERNEL = {
    .op = "moments", .algorithm = "invariant", .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 4, .bytes = sizeof(element), .lanes = LANES, .chains = MOMENT_CHAINS,
    .bound = BOUND_VARIANCE_CORRECTED,
    .promise = {.specials = true, .bound = true},
    .run = run, .ways = ways,
};
