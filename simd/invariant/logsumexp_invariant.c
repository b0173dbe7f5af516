// SPDX-License-Identifier: MIT
/* y = log(sum(e^x)), with the same bits on every ISA, compiler and policy: README.md says how,
 * reference.h computes them by plain loops. Rows are summed in one pass, in blocks of 4096 elements
 * (exp_row.h), short ones several side by side (exp_rows.h); the logarithm, once per row, is in
 * double (log.h). Error: 1 ulp of the exponential averaged over the sum, and one rounding: 1.3 ulp
 * on N(0, 1) at n = 7, 0.7 at 16, 0.6 from 1000 on (2e6 elements each); near y = 0 the error in ulp
 * is unbounded, as that of every algorithm here. Rows that are not stored as floats are widened one
 * by one into the scratch; results are always floats. 12 flops, 4 bytes per element. */
// build: stored=bf16,f16 stored_policies=off
#include "exp_team.h"
#include "log.h"
#include "scanned.h"

static float *result_of(const struct job *j, size_t r) { return (float *)j->y + r * j->y_stride; }

static float row_logsumexp(const struct job *j, size_t r, enum masking *masking)
{
    size_t n = j->n;
    if (!n) return MINUS_INFINITY;
    const float *x = x_floats(row_in(j, r), n, j->scratch);
    struct row_total t = sum_row(x, n, sum_terms, masking);
    if (f_bits(t.special)) return t.special;
    return f_of(log_of_total(&t, LOGARITHM_TERMS, x, n));
}

/* ---- Batches, software-pipelined ------------------------------------------------------------- */

/* A batch's logarithms are computed after the next batch's sums, so that neither waits. */

static inline void store_logs(const struct log_batch *b, const struct job *j, enum masking *masking)
{
    if (b->exps.regular && j->y_stride == 1 && b->exps.count == VL) {
        v_store(result_of(j, b->first), v_load(b->high));
        return;
    }
    for (size_t k = 0; k < b->exps.count; k++) {
        size_t r = b->first + k;
        *result_of(j, r) = b->exps.regular ? b->high[k] : row_logsumexp(j, r, masking);
    }
}
static void finish_batch(struct log_batch *b, const struct job *j, struct batch_exponents *e,
                         enum masking *masking)
{
    close_log_batch(b, LOGARITHM_TERMS, e);
    store_logs(b, j, masking);
}

/* Computes batches, and returns the first row that is left. */
ALWAYS_INLINE size_t lse_batches(const struct job *j, enum masking *masking, enum row_length length,
                                 int prefetch)
{
    struct log_batch batches[2], *before = NULL;
    _Alignas(64) float clamped[OCTET];
    float none[OCTET]; /* nothing is stored there */
    struct exp_scale s = exp_scale(0.0f, NULL);
    struct batch_exponents exponents = no_exponents();
    size_t first = 0, n = elements_of(length, j);
    if (!is_built(length, prefetch)) return 0;
    while (first < j->rows && takes_batch(j, first, TWO_ROWS, FITS_BLOCK)) {
        struct log_batch *b = before == batches ? batches + 1 : batches;
        open_log_batch(b, j, first, n, &exponents);
        const float *x = b->exps.x;
        for (size_t k = 0; k < b->exps.count; k++, x += j->x_stride)
            add_row(&b->exps, &exponents, k, x, none, LOGARITHM_TERMS, prefetch, n, length, &s);
        if (starts_clamping(&b->exps, &s, clamped, masking)) continue;
        if (before) finish_batch(before, j, &exponents, masking);
        first += b->exps.count;
        before = b;
    }
    if (before) finish_batch(before, j, &exponents, masking);
    return first;
}

NOINLINE size_t shorter(const struct job *j, enum masking *m)
{
    return lse_batches(j, m, SHORTER, 0);
}
NOINLINE size_t shorter_memory(const struct job *j, enum masking *m)
{
    return lse_batches(j, m, SHORTER, 1);
}
NOINLINE size_t two_registers(const struct job *j, enum masking *m)
{
    return lse_batches(j, m, TWO_REGISTERS, 0);
}
NOINLINE size_t one_octet(const struct job *j, enum masking *m)
{
    return lse_batches(j, m, ONE_OCTET, 0);
}
NOINLINE size_t one_octet_memory(const struct job *j, enum masking *m)
{
    return lse_batches(j, m, ONE_OCTET, 1);
}
NOINLINE size_t longer(const struct job *j, enum masking *m)
{
    return lse_batches(j, m, LONGER, 0);
}
NOINLINE size_t longer_memory(const struct job *j, enum masking *m)
{
    return lse_batches(j, m, LONGER, 1);
}

static do_batches *const batches_by_length[ROW_LENGTHS][2] = {
    [SHORTER] = {shorter, shorter_memory},
    [TWO_REGISTERS] = {two_registers, shorter_memory},
    [ONE_OCTET] = {one_octet, one_octet_memory},
    [LONGER] = {longer, longer_memory},
};

static void run(const struct job *j)
{
    enum masking masking = MASKING_UNKNOWN;
    size_t r =
        STORED_FLOATS ? batches_by_length[row_length_of(j->n)][prefetches(j)](j, &masking) : 0;
    for (; r < j->rows; r++) *result_of(j, r) = row_logsumexp(j, r, &masking);
}

/* Computes one row by several threads: first the sums of its blocks, then the logarithm of their
 * total. */
enum { STAGES = 2 };
static void stage(const struct job *j, unsigned stage, size_t part, size_t parts)
{
    struct row_total t = {.total = GREATEST_TOTAL};
    if (stage == 0 && j->n) sum_part(j, NULL, sum_terms, part, parts);
    if (stage == 0 || part) return;
    if (j->n) t = team_total(j);
    if (plausible(t.total))
        *result_of(j, 0) = f_of(log_of_total(&t, LOGARITHM_TERMS, j->x, j->n));
    else
        run(j);
}

/* The instructions of rows shorter than an octet: the exponential of numerators without the low
 * part of r, and a tree of additions. */
static const struct vector_ops tree_ops = {
    .fma = TERM_FMA, .mul = 1, .add = 2, .other = EXP_OTHER, .permute = EXP_PERMUTE};

static size_t paths(const struct job *j, struct code_path *out)
{
    size_t count = 0;
    if (tell_condition(j, SHORTER_THAN_OCTET, out, &count)) out[0].ops = &tree_ops;
    if (!STORED_FLOATS) return count;
    if (tell_condition(j, TWO_ROWS, out, &count) && tell_condition(j, FITS_BLOCK, out, &count) &&
        STREAMS)
        tell_condition(j, JOB_OUTGROWS_LAST_LEVEL, out, &count);
    return count;
}

const struct kernel KERNEL = {
    .op = "logsumexp",
    .algorithm = ALGORITHM,
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 12,
    .bytes = sizeof(element),
    .lanes = LANES,
    .chains = GROUP_REGISTERS,
    .ops = {.fma = TERM_FMA, .add = TERM_ADD, .other = SUM_OTHER, .permute = EXP_PERMUTE},
    .exp_ulp = INVARIANT_OCTET_TERM_ULP,
    .log_ulp = 0.51,
    .bound = BOUND_LOGSUMEXP_SHIFTED,
    .promise = {.specials = true, .bound = true},
    .run = run,
    .paths = paths,
    .stages = STORED_FLOATS ? STAGES : 0,
    .stage = stage,
};
