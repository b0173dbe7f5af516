/* invariant_exp.h's sums of one row among several threads: team.h says how. N comes from the
 * row's sample, which everyone sees, so that a block's sum is what it is to one thread. */
#ifndef INVARIANT_EXP_TEAM_H
#define INVARIANT_EXP_TEAM_H

#include "invariant_exp.h"
#include "team.h"

/* exp_total() of what the blocks' sums are by now; not plausible() where that is not for this way. */
static inline struct exp_total team_total(const struct job *j)
{
    const double *totals = team_scratch(j, sizeof *totals);
    int masked = UNASKED;
    float sample = row_sample(j->x, j->n, &masked);
    struct exp_total t = {.total = TOO_MUCH};
    if (is_large(sample)) return t;
    t = (struct exp_total){.N = exponent_of(sample)};
    for (size_t k = 0; k < block_count(j->n); k++) t.total = d_add(t.total, totals[k]);
    return t;
}

/* A part's blocks' sums; numerators to y where that is not NULL. */
static inline void team_blocks(const struct job *j, float *y, sum_block *block, size_t part, size_t parts)
{
    struct share s = share_of(j->n, part, parts);
    const float *x = j->x;
    double *totals = team_scratch(j, sizeof *totals);
    int masked = UNASKED;
    float sample = row_sample(x, j->n, &masked), N = exponent_of(sample);
    if (is_large(sample)) return;
    for (size_t i = s.first; i < s.end; i += BLOCK) {
        size_t n = block_length(j->n, i);
        totals[i / BLOCK] = block(x + i, y ? y + i : NULL, n, N, masked);
    }
}

#endif
