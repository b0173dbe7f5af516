#include "publish/analyse/choice.h"

#include <math.h>
#include <string.h>

#include "publish/analyse/pairs.h"

/* The order to show what is known in; what is not follows as the ids sort. */
static const char *const ops[] = {"softmax",   "log_softmax",    "logsumexp", "moments",
                                  "layernorm", "layernorm_bare", "rmsnorm"};
static const char *const policies[POLICY_RANKS] = {"off",  "on",      "default",
                                                   "fast", "reassoc", "fastmath"};
static const char *const isas[] = {"scalar", "avx2", "avx512", "avx512fp16"};
static const char *const families[] = {"normal", "uniform",  "logits",      "attention", "offset",
                                       "onehot", "constant", "alternating", "tiny",      "wide",
                                       "sorted", "masked",   "adversarial"};
#define COUNT(array) (sizeof(array) / sizeof *(array))

void axis_remember(struct axis_values *axis, const char *value)
{
    for (size_t i = 0; i < axis->count; i++)
        if (!strcmp(axis->items[i], value)) return;
    if (axis->count < AXIS_MAX) axis->items[axis->count++] = value;
}

static void in_order(const char *const *known, size_t count, const struct axis_values *all,
                     struct axis_values *axis)
{
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < all->count; i++)
            if (!strcmp(all->items[i], known[k])) axis_remember(axis, known[k]);
    for (size_t i = 0; i < all->count; i++) /* "softmax bf16" comes behind all that is f32 */
        if (!strchr(all->items[i], ' ')) axis_remember(axis, all->items[i]);
    for (size_t i = 0; i < all->count; i++) axis_remember(axis, all->items[i]);
}

void axes_collect(const struct summaries *s, struct present *present)
{
    struct present all = {.ops = {.count = 0}};
    for (size_t i = 0; i < s->count; i++) {
        const struct axes *a = &s->items[i].axes;
        axis_remember(&all.ops, a->group);
        axis_remember(&all.isas, a->isa);
        axis_remember(&all.ccs, a->cc);
        axis_remember(&all.policies, a->policy);
    }
    *present = (struct present){.ccs = all.ccs};
    in_order(ops, COUNT(ops), &all.ops, &present->ops);
    in_order(isas, COUNT(isas), &all.isas, &present->isas);
    in_order(policies, COUNT(policies), &all.policies, &present->policies);
}

void families_collect(const struct results *r, struct axis_values *present)
{
    struct axis_values all = {.count = 0};
    for (size_t i = 0; i < r->accuracy_count; i++) axis_remember(&all, r->accuracies[i].family);
    *present = (struct axis_values){.count = 0};
    in_order(families, COUNT(families), &all, present);
}

int policy_rank(const char *policy)
{
    int rank = 0;
    while (rank < POLICY_RANKS && strcmp(policies[rank], policy) != 0) rank++;
    return rank;
}

static bool eligible(const struct summaries *s, const struct summary *v, const char *op)
{
    return !strcmp(v->axes.group, op) && summary_is_candidate(s, v);
}

static bool is_faster(const struct summary *a, const struct summary *b)
{
    return a->home->ns_per_element < b->home->ns_per_element;
}

static bool is_more_accurate(const struct summary *a, const struct summary *b)
{
    return a->error < b->error || (a->error == b->error && is_faster(a, b));
}

static bool is_more_conservative(const struct summary *a, const struct summary *b)
{
    int x = policy_rank(a->axes.policy), y = policy_rank(b->axes.policy);
    return x < y || (x == y && is_faster(a, b));
}

typedef bool better(const struct summary *, const struct summary *);

static const struct summary *choose(const struct summaries *s, const char *op, better *is_better)
{
    const struct summary *best = NULL;
    for (size_t i = 0; i < s->count; i++)
        if (eligible(s, &s->items[i], op) && (!best || is_better(&s->items[i], best)))
            best = &s->items[i];
    return best;
}

const struct summary *choose_most_accurate(const struct summaries *s, const char *op)
{
    return choose(s, op, is_more_accurate);
}

const struct summary *choose_fastest(const struct summaries *s, const char *op)
{
    const struct summary *fastest = choose(s, op, is_faster), *answer = fastest;
    for (size_t i = 0; fastest && i < s->count; i++) {
        const struct summary *v = &s->items[i];
        if (eligible(s, v, op) && !strcmp(v->axes.algorithm, fastest->axes.algorithm) &&
            pair_ratio(fastest->home, v->home).low <= 1 && is_more_conservative(v, answer))
            answer = v;
    }
    return answer;
}

bool on_front(const struct summaries *s, const struct summary *v)
{
    if (!summary_is_candidate(s, v)) return false;
    for (size_t i = 0; i < s->count; i++) {
        const struct summary *w = &s->items[i];
        if (strcmp(w->axes.group, v->axes.group) != 0 || !summary_is_candidate(s, w)) continue;
        bool no_worse = !is_faster(v, w) && w->error <= v->error;
        if (no_worse && (is_faster(w, v) || w->error < v->error)) return false;
    }
    return true;
}
