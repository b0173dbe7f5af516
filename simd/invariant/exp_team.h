// SPDX-License-Identifier: MIT
/* Sums of exponentials of one row by several threads (team.h). Each thread takes N from the row's
 * sample, so that a block's total is the one that a single thread computes. */
#ifndef EXP_TEAM_H
#define EXP_TEAM_H

#include "exp_row.h"
#include "team.h"

/* Returns the row's total, after every part has summed its blocks. If it is not plausible(), part 0
 * computes the whole row alone. */
static inline struct row_total team_total(const struct job *j)
{
    const double *totals = team_scratch(j, sizeof *totals);
    enum masking masking = MASKING_UNKNOWN;
    float sample = row_sample(j->x, j->n, &masking);
    struct row_total t = {.total = GREATEST_TOTAL};
    if (is_nearly_large(sample)) return t;
    t = (struct row_total){.N = exponent_of(sample)};
    for (size_t k = 0; k < block_count(j->n); k++) t.total = d_add(t.total, totals[k]);
    return t;
}

/* Sums a part's blocks; numerators go to y unless it is NULL. */
static inline void sum_part(const struct job *j, float *y, sum_block *sum_of_block, size_t part,
                            size_t parts)
{
    struct share s = share_of(j->n, part, parts);
    const float *x = j->x;
    double *totals = team_scratch(j, sizeof *totals);
    enum masking masking = MASKING_UNKNOWN;
    float sample = row_sample(x, j->n, &masking), N = exponent_of(sample);
    if (is_nearly_large(sample)) return;
    for (size_t i = s.first; i < s.end; i += BLOCK)
        totals[i / BLOCK] =
            sum_of_block(x + i, y ? y + i : NULL, block_length(j->n, i), N, masking);
}

#endif
