#include "publish/policy/policy_types.h"

#include <stdlib.h>
#include <string.h>

const char *stable_over_name(enum stable_over over)
{
    static const char *const names[] = {"isa", "cc", "tail", "threads"};
    return names[over];
}

int policy_require(struct policy_constraints *constraints, const char *word, struct error *e)
{
    static const char *const words[] = {"isa-stable", "cc-stable", "tail-stable", "thread-stable"};
    bool known = !strcmp(word, "invariant");
    for (size_t i = 0; i < OVER_COUNT; i++)
        if (known || !strcmp(word, words[i])) {
            constraints->require[i] = true;
            if (!known) return 0;
        }
    if (known) return 0;
    return fail(e, EXIT_USAGE,
                "policy: --require %s: unknown; known: isa-stable, cc-stable, "
                "tail-stable, thread-stable, invariant",
                word);
}

struct policy_row *policy_find(const struct policies *p, const char *cc, const char *policy)
{
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->rows[i].cc, cc) && !strcmp(p->rows[i].policy, policy)) return &p->rows[i];
    return NULL;
}

struct policy_effect *policy_effect_find(const struct policies *p, const char *op, const char *cc,
                                         const char *policy)
{
    for (size_t i = 0; i < p->effect_count; i++) {
        struct policy_effect *effect = &p->effects[i];
        if (!strcmp(effect->op, op) && !strcmp(effect->cc, cc) && !strcmp(effect->policy, policy))
            return effect;
    }
    return NULL;
}

struct policy_kernel *policy_kernel_find(const struct policy_row *row, const struct axes *a)
{
    for (size_t i = 0; i < row->kernel_count; i++) {
        struct policy_kernel *k = &row->kernels[i];
        if (!strcmp(k->algorithm, a->algorithm) && !strcmp(k->op, a->op) &&
            !strcmp(k->dtype, a->dtype))
            return k;
    }
    return NULL;
}

void stability_join(enum stability *sum, bool stable)
{
    *sum = *sum == STABILITY_NO || !stable ? STABILITY_NO : STABILITY_YES;
}

void policies_free(struct policies *p)
{
    for (size_t i = 0; i < p->count; i++) {
        json_decref(p->rows[i].cases_broken);
        free(p->rows[i].kernels);
    }
    free(p->rows);
    free(p->effects);
    losses_free(&p->losses);
    *p = (struct policies){0};
}
