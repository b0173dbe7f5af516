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

/* The first policy of the same compiler whose bits are equal in every cell of every kernel. */
void policy_twins(const struct comparison *c, struct policies *p)
{
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < i && !p->rows[i].twin[0]; k++) {
            size_t cells = 0, equal = 0;
            if (strcmp(p->rows[k].cc, p->rows[i].cc) != 0) continue;
            for (size_t j = 0; j < c->accuracy_count; j++) {
                const struct compare_accuracy *pair = &c->accuracies[j];
                struct axes a;
                if (!axes_parse(pair->variant, &a) || strcmp(a.cc, p->rows[i].cc) ||
                    strcmp(c->plan->sides[pair->from].name, p->rows[k].policy) ||
                    strcmp(c->plan->sides[pair->to].name, p->rows[i].policy))
                    continue;
                cells += pair->cells;
                equal += pair->equal;
            }
            if (cells && equal == cells)
                snprintf(p->rows[i].twin, sizeof p->rows[i].twin, "%s", p->rows[k].policy);
        }
}
