/* Mean and variance (ddof 0), with one bit pattern on every ISA, compiler and policy: invariant.h
 * says how, invariant_moments.h what. One pass, 3 flops, 4 bytes per element. */
// build: policies=distinct stored=bf16,f16 stored_policies=off
#include "invariant_moments_team.h"

static void put(const struct job *j, size_t first, size_t count, const struct moments *m)
{
    float pairs[2 * GROUP_ROWS], *y = (float *)j->y + first * j->y_stride;
    if (count == GROUP_ROWS && j->y_stride == 2 && m->settled == ALL_ROWS) {
        gd_store_pairs(y, m->mean, m->variance);
        return;
    }
    gd_store_pairs(pairs, m->mean, m->variance);
    for (size_t k = 0; k < count; k++, y += j->y_stride) {
        y[0] = f_canonical(pairs[2 * k]);
        y[1] = f_canonical(pairs[2 * k + 1]);
    }
}

ALWAYS_INLINE void groups(const struct job *j, size_t n)
{
    double inverse = inverse_of(n);
    struct group g;
    for (size_t first = 0; first < j->rows; first += GROUP_ROWS) {
        g.count = j->rows - first < GROUP_ROWS ? j->rows - first : GROUP_ROWS;
        for (size_t k = 0; k < g.count; k++) {
            g.x[k] = row_in(j, first + k);
            group_row(&g, k, n, NULL);
        }
        struct moments m = group_moments(&g, n, inverse);
        put(j, first, g.count, &m);
    }
}
/* Rows of two registers know it. */
static void short_rows(const struct job *j)
{
    if (j->n == 2 * LANES) groups(j, 2 * LANES);
    else groups(j, j->n);
}

/* Returns the first row that is left: few of them go faster one by one. */
static size_t long_groups(const struct job *j)
{
    double inverse = inverse_of(j->n);
    struct long_group g;
    size_t first = 0;
    for (; j->rows - first > conditions[ENOUGH_ROWS].limit; first += g.count) {
        g.count = j->rows - first < GROUP_ROWS ? j->rows - first : GROUP_ROWS;
        for (size_t k = 0; k < g.count; k++) {
            g.x[k] = row_in(j, first + k);
            long_group_row(&g, k, j->n);
        }
        struct moments m = long_group_moments(&g, j->n, inverse);
        put(j, first, g.count, &m);
    }
    return first;
}

static void row(const struct job *j, size_t r)
{
    const element *x = row_in(j, r);
    struct row_sums s = row_open(x, j->n);
    for (size_t at = 0; at < j->n; at += MOMENT_CHUNK) row_add(&s, x + at, chunk_length(at, j->n));
    struct moments m = row_moments(&s, x, j->n);
    put(j, r, 1, &m);
}

static void run(const struct job *j)
{
    if (!j->n)
        for (size_t r = 0; r < j->rows; r++)
            for (size_t i = 0; i < 2; i++) ((float *)j->y)[r * j->y_stride + i] = f_from_bits(NAN_BITS);
    else if (holds(j, SHORT_ROW)) short_rows(j);
    else
        for (size_t r = long_groups(j); r < j->rows; r++) row(j, r);
}

/* One row among several threads: its chunks' sums, then the row's. */
enum { STAGES = 2 };
static void stage(const struct job *j, unsigned stage, size_t part, size_t parts)
{
    struct moments m = {.settled = 0};
    if (stage == 0 && team_takes(j)) team_sums(j, part, parts);
    if (stage == 0 || part) return;
    if (team_takes(j)) m = team_moments(j);
    if (m.settled) put(j, 0, 1, &m);
    else run(j);
}

static size_t paths(const struct job *j, struct code_path *out)
{
    size_t count = 0;
    if (!tell_condition(j, SHORT_ROW, out, &count)) tell_condition(j, ENOUGH_ROWS, out, &count);
    return count;
}

const struct kernel KERNEL = {
    .op = "moments", .algorithm = ALGORITHM, .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 3, .bytes = sizeof(element), .lanes = LANES, .chains = MOMENT_CHAINS,
    .bound = BOUND_VARIANCE_CORRECTED,
    .promise = {.specials = true, .bound = true},
    .run = run, .paths = paths, .stages = STAGES, .stage = stage,
    .ops = {.fma = 1, .add = 1},
};
