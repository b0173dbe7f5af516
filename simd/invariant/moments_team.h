// SPDX-License-Identifier: MIT
/* The moments of one long row by several threads (team.h). Stage 0 keeps each chunk's sums lane by
 * lane; in stage 1 every thread that needs the moments adds them up in the row's order. */
#ifndef MOMENTS_TEAM_H
#define MOMENTS_TEAM_H

#include "moments_rows.h"
#include "team.h"

struct chunk_sums {
    float sum[LANES], squares[LANES];
};
static inline struct chunk_sums *team_chunks(const struct job *j)
{
    return team_scratch(j, BLOCK / MOMENT_CHUNK * sizeof(struct chunk_sums));
}

/* Returns whether threads share the row. Short rows are summed in another order and are not worth
 * sharing. */
static inline int team_shares_row(const struct job *j) { return j->n && !holds(j, SHORT_ROW); }

/* Stage 0: sums one thread's chunks. */
static inline void team_sum_chunks(const struct job *j, size_t part, size_t parts)
{
    const element *x = row_in(j, 0);
    struct share s = share_of(j->n, part, parts);
    float pivot = row_sums_open(x, j->n).pivot;
    struct chunk_sums *chunks = team_chunks(j);
    for (size_t at = s.first; at < s.end; at += MOMENT_CHUNK) {
        vf sum[PARTS], squares[PARTS];
        sum_row_chunk(x + at, chunk_length(at, j->n), pivot, sum, squares);
        for (size_t p = 0; p < PARTS; p++) {
            if (CENTRED) v_store(chunks[at / MOMENT_CHUNK].sum + p * VL, sum[p]);
            v_store(chunks[at / MOMENT_CHUNK].squares + p * VL, squares[p]);
        }
    }
}

/* Stage 1: returns the moments; not settled if the row has to be summed again. */
static inline struct moments team_moments(const struct job *j)
{
    struct row_sums s = row_sums_open(row_in(j, 0), j->n);
    const struct chunk_sums *chunks = team_chunks(j);
    for (size_t at = 0; at < j->n; at += MOMENT_CHUNK) {
        vf sum[PARTS], squares[PARTS];
        for (size_t p = 0; p < PARTS; p++) {
            sum[p] = CENTRED ? v_load(chunks[at / MOMENT_CHUNK].sum + p * VL) : v_set1(0.0f);
            squares[p] = v_load(chunks[at / MOMENT_CHUNK].squares + p * VL);
        }
        row_sums_add(&s, sum, squares);
    }
    return row_moments_from(&s, j->n, nearness_of_zero);
}

#endif
