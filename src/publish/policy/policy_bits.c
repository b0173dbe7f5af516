#include "publish/policy/policy_bits.h"

#include <stdio.h>
#include <string.h>

/* A kernel is stable if every pair of the axis' values has equal bits in every cell. Over
 * compilers, only the pairs that include the row's own compiler count. */
static void add_stability(const struct comparison *c, struct policies *p, enum stable_over over)
{
    for (size_t i = 0; i < c->accuracy_count; i++) {
        const struct compare_accuracy *pair = &c->accuracies[i];
        struct axes a;
        if (!pair->cells || !axes_parse(pair->variant, &a)) continue;
        for (size_t k = 0; k < p->count; k++) {
            struct policy_row *row = &p->rows[k];
            bool ours = over == OVER_CC ? !strcmp(c->plan->sides[pair->from].name, row->cc) ||
                                              !strcmp(c->plan->sides[pair->to].name, row->cc)
                                        : !strcmp(a.cc, row->cc);
            struct policy_kernel *kernel =
                ours && !strcmp(a.policy, row->policy) ? policy_kernel_find(row, &a) : NULL;
            if (kernel) stability_join(&kernel->stable[over], pair->equal == pair->cells);
        }
    }
}

void policy_stable_over_isas(const struct comparison *c, struct policies *p)
{
    add_stability(c, p, OVER_ISA);
}

void policy_stable_over_compilers(const struct comparison *c, struct policies *p)
{
    add_stability(c, p, OVER_CC);
}
