// SPDX-License-Identifier: MIT
/* y = e^x / sum(e^x), with the same bits on every ISA, compiler and policy: README.md says how,
 * reference.h computes them by plain loops.
 *
 *   short rows       softmax_batches.h: up to VL rows side by side
 *   others           softmax_pipeline.h: numerators of one row beside quotients of the one before
 *   very long rows   softmax_recompute.h: the sum, then quotients without numerators
 *   log_softmax      log_softmax.h: x - log(sum of e^x)
 *
 * Rows that are not stored as floats are widened, and their results rounded, in passes of their
 * own: numerators are never rounded to the storage type. The error has three parts: the numerator's
 * exponential (at most 0.951 ulp), the sum, and the product with the reciprocal. Measured: at most
 * 3.8 ulp on N(0, 10^2) for n from 7 to 32768 (4e6 elements each), 2.3 on N(0, 1). 20 flops, 8
 * bytes per element. */
// build: stored=bf16,f16 stored_policies=off
#include "exp_team.h"
#include "scanned.h"
#include "softmax_batches.h"

/* Computes the rows from r on, which are stored as floats, pipelined. */
static void do_rows_from(const struct job *j, size_t r, int streams, enum masking *masking)
{
    struct float_rows rows = {.x = (const float *)row_in(j, r),
                              .y = (float *)row_out(j, r),
                              .x_stride = j->x_stride,
                              .y_stride = j->y_stride,
                              .count = j->rows - r,
                              .n = j->n};
    if (streams) rows.e = scratch_half_page_from_x(j);
    do_rows_pipelined(&rows, masking, streams);
}

/* Computes batches as long as dispatch.h allows them, then the rows that are left: all of a job
 * with long rows, otherwise the last few. */
static void run(const struct job *j)
{
    enum row_length length = row_length_of(j->n);
    enum masking masking = MASKING_UNKNOWN;
    int streams = streams_stores(j);
    size_t r = 0;
    if (!j->n) return;
    if (!j->log_output)
        r = softmax_batches_by_length[length][streams](j, &masking);
    else if (STORED_FLOATS)
        r = log_batches_by_length[length][prefetches(j)](j, &masking);
    if (STORED_FLOATS && !j->log_output && !holds(j, RECOMPUTING_PAYS) && r < j->rows)
        do_rows_from(j, r, streams, &masking);
    else
        for (; r < j->rows; r++) do_row(j, r, &masking);
    i_stream_end();
}

/* Computes one row by several threads: first the sums of its blocks, with numerators where they are
 * kept; then each part's share of the results. */
enum { STAGES = 2 };
static void finish_part(const struct job *j, int keeps_numerators, size_t part, size_t parts)
{
    struct share s = share_of(j->n, part, parts);
    struct row_total t = team_total(j);
    const float *x = (const float *)j->x + s.first;
    float *y = (float *)j->y + s.first;
    size_t n = s.end - s.first;
    if (!plausible(t.total)) {
        if (part == 0) run(j);
    } else if (j->log_output) {
        subtract_log(x, y, n, double_float_of(log_of_total(&t, NUMERATORS, j->x, j->n)), 0, NULL);
    } else if (keeps_numerators) {
        scale_row(y, y, n, reciprocal(t.total));
    } else {
        recompute_quotients(x, y, n, &t);
        i_stream_end();
    }
}
static void stage(const struct job *j, unsigned stage, size_t part, size_t parts)
{
    int keeps_numerators = !j->log_output && !holds(j, RECOMPUTING_PAYS);
    if (!j->n) return;
    if (stage == 0 && keeps_numerators)
        sum_part(j, j->y, store_numerators, part, parts);
    else if (stage == 0)
        sum_part(j, NULL, sum_numerators, part, parts);
    else
        finish_part(j, keeps_numerators, part, parts);
}

/* The instructions of the sum, and of the exponential computed once more. */
static const struct vector_ops recomputed_ops = {.fma = 2 * NUMERATOR_FMA,
                                                 .mul = 2 * NUMERATOR_MUL,
                                                 .add = NUMERATOR_ADD + 1,
                                                 .other = SUM_OTHER + EXP_OTHER,
                                                 .permute = 2 * EXP_PERMUTE};

/* log_softmax adds to the instructions of the sum the difference with a double-float. */
static const struct second_form log_form = {
    .op = "log_softmax",
    .flops = 21,
    .promise = {.specials = true},
    .ops = {.fma = NUMERATOR_FMA,
            .mul = NUMERATOR_MUL,
            .add = NUMERATOR_ADD + 2,
            .other = SUM_OTHER,
            .permute = EXP_PERMUTE},
};

static size_t paths(const struct job *j, struct code_path *out)
{
    size_t count = 0;
    int streams = tell_streaming(j, out, &count);
    if (j->log_output) {
        if (STORED_FLOATS && tell_condition(j, TWO_ROWS, out, &count) &&
            tell_condition(j, FITS_BLOCK, out, &count))
            tell_condition(j, BATCH_FITS_L2, out, &count);
        return count;
    }
    if (tell_condition(j, ENOUGH_ROWS, out, &count) && tell_condition(j, FITS_BLOCK, out, &count))
        tell_condition(j, batch_fits(streams), out, &count);
    if (!out[count - 1].taken && tell_condition(j, RECOMPUTING_PAYS, out, &count))
        out[count - 1].ops = &recomputed_ops;
    return count;
}

const struct kernel KERNEL = {
    .op = "softmax",
    .algorithm = ALGORITHM,
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 20,
    .bytes = 2 * sizeof(element),
    .lanes = LANES,
    .chains = GROUP_REGISTERS,
    .ops = {.fma = NUMERATOR_FMA + 1,
            .mul = NUMERATOR_MUL + 1,
            .add = NUMERATOR_ADD,
            .other = SUM_OTHER,
            .permute = EXP_PERMUTE},
    .also = &log_form,
    .exp_ulp = INVARIANT_EXP_ULP,
    .bound = BOUND_SOFTMAX,
    .promise = {.ulp_off = STORED_ULP(4),
                .ulp_fused = STORED_ULP(4),
                .specials = true,
                .bound = true},
    .run = run,
    .paths = paths,
    .stages = STORED_FLOATS ? STAGES : 0,
    .stage = stage,
};
