// SPDX-License-Identifier: MIT
/* Mean and variance (ddof 0), with one bit pattern on every ISA, compiler and policy: README.md
 * says how, moments_core.h gives the equations. One pass; 3 flops, 4 bytes per element. */
// build: stored=bf16,f16 stored_policies=off
#include "moments_team.h"

static void store_moments(const struct job *j, size_t first, size_t count, const struct moments *m)
{
    float pairs[2 * BATCH_ROWS], *y = (float *)j->y + first * j->y_stride;
    if (count == BATCH_ROWS && j->y_stride == 2 && m->settled == ALL_ROWS) {
        per_row_store_pairs(y, m->mean, m->variance);
        return;
    }
    per_row_store_pairs(pairs, m->mean, m->variance);
    for (size_t k = 0; k < count; k++, y += j->y_stride) {
        y[0] = f_canonical(pairs[2 * k]);
        y[1] = f_canonical(pairs[2 * k + 1]);
    }
}

ALWAYS_INLINE void short_rows_of(const struct job *j, size_t n)
{
    double inverse = inverse_of(n);
    struct row_batch b;
    for (size_t first = 0; first < j->rows; first += BATCH_ROWS) {
        b.count = j->rows - first < BATCH_ROWS ? j->rows - first : BATCH_ROWS;
        for (size_t k = 0; k < b.count; k++) {
            b.x[k] = row_in(j, first + k);
            batch_sum_row(&b, k, n, NULL);
        }
        struct moments m = batch_moments(&b, n, inverse);
        store_moments(j, first, b.count, &m);
    }
}
/* Computes short rows; those of two registers have a loop that is compiled for their length. */
static void short_rows(const struct job *j)
{
    if (j->n == 2 * LANES)
        short_rows_of(j, 2 * LANES);
    else
        short_rows_of(j, j->n);
}

/* Computes long rows in batches, and returns the first row that is left: a few rows are faster one
 * by one. */
static size_t long_row_batches(const struct job *j)
{
    double inverse = inverse_of(j->n);
    struct long_row_batch b;
    size_t first = 0;
    for (; j->rows - first > conditions[ENOUGH_ROWS].limit; first += b.count) {
        b.count = j->rows - first < BATCH_ROWS ? j->rows - first : BATCH_ROWS;
        for (size_t k = 0; k < b.count; k++) {
            b.x[k] = row_in(j, first + k);
            long_batch_sum_row(&b, k, j->n);
        }
        struct moments m = long_batch_moments(&b, j->n, inverse);
        store_moments(j, first, b.count, &m);
    }
    return first;
}

static void long_row(const struct job *j, size_t r)
{
    const element *x = row_in(j, r);
    struct row_sums s = row_sums_open(x, j->n);
    row_sums_add_row(&s, x, j->n);
    struct moments m = row_moments(&s, x, j->n);
    store_moments(j, r, 1, &m);
}

static void fill_empty_rows(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++)
        for (size_t i = 0; i < 2; i++) ((float *)j->y)[r * j->y_stride + i] = f_from_bits(NAN_BITS);
}

static void run(const struct job *j)
{
    if (!j->n)
        fill_empty_rows(j);
    else if (holds(j, SHORT_ROW))
        short_rows(j);
    else
        for (size_t r = long_row_batches(j); r < j->rows; r++) long_row(j, r);
}

/* Computes one row by several threads: first the sums of its chunks, then, on one thread, its
 * moments. */
enum { STAGES = 2 };
static void stage(const struct job *j, unsigned stage, size_t part, size_t parts)
{
    struct moments m = {.settled = 0};
    if (stage == 0 && team_shares_row(j)) team_sum_chunks(j, part, parts);
    if (stage == 0 || part) return;
    if (team_shares_row(j)) m = team_moments(j);
    if (m.settled)
        store_moments(j, 0, 1, &m);
    else
        run(j);
}

static size_t paths(const struct job *j, struct code_path *out)
{
    size_t count = 0;
    if (!tell_condition(j, SHORT_ROW, out, &count)) tell_condition(j, ENOUGH_ROWS, out, &count);
    return count;
}

const struct kernel KERNEL = {
    .op = "moments",
    .algorithm = ALGORITHM,
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 3,
    .bytes = sizeof(element),
    .lanes = LANES,
    .chains = MOMENT_CHAINS,
    .bound = BOUND_VARIANCE_CORRECTED,
    .promise = {.specials = true, .bound = true},
    .run = run,
    .paths = paths,
    .stages = STAGES,
    .stage = stage,
    .ops = {.fma = 1, .add = 1},
};
