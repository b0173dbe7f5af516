/* Sums of exponentials of one row among several threads (invariant_team.h). Each thread takes N
 * from the row's sample, so that a block's total is what it is to one thread. */
#ifndef EXP_TEAM_H
#define EXP_TEAM_H

#include "exp_row.h"
#include "team.h"

/* The row's total, once every part has summed its blocks; not plausible() where part 0 has to do
 * the row alone. */
static inline struct row_total team_total(const struct job *j)
{
    const double *totals = team_scratch(j, sizeof *totals);
    enum masking masking = NOT_SAMPLED;
    float sample = row_sample(j->x, j->n, &masking);
    struct row_total t = {.total = GREATEST_TOTAL};
    if (is_nearly_large(sample)) return t;
    t = (struct row_total){.N = exponent_of(sample)};
    for (size_t k = 0; k < block_count(j->n); k++) t.total = d_add(t.total, totals[k]);
    return t;
}

/* Sums a part's blocks; numerators to y where that is not NULL. */
static inline void sum_part(const struct job *j, float *y, sum_block *sum_of_block, size_t part,
                            size_t parts)
{
    struct share s = share_of(j->n, part, parts);
    const float *x = j->x;
    double *totals = team_scratch(j, sizeof *totals);
    enum masking masking = NOT_SAMPLED;
    float sample = row_sample(x, j->n, &masking), N = exponent_of(sample);
    if (is_nearly_large(sample)) return;
    for (size_t i = s.first; i < s.end; i += BLOCK)
        totals[i / BLOCK] =
            sum_of_block(x + i, y ? y + i : NULL, block_length(j->n, i), N, masking);
}

#endif
