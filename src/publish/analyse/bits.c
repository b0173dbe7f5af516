#include "publish/analyse/bits.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "publish/analyse/choice.h"

/* The outputs of one variant over all its cells, as one number. */
struct signature {
    uint64_t sum;
    size_t cells;
};

static uint64_t hash_cell(const struct accuracy_result *a, const char *bits)
{
    uint64_t h = hash_bytes(HASH_BASIS, a->family, strlen(a->family) + 1);
    h = hash_bytes(h, &a->n, sizeof a->n);
    h = hash_bytes(h, bits, strlen(bits));
    return h ^ h >> 32;
}

/* A sum does not depend on the order of the records. */
static void sign(const struct results *r, const struct summaries *s, struct signature *signatures)
{
    for (size_t i = 0; i < r->accuracy_count; i++) {
        const struct accuracy_result *a = &r->accuracies[i];
        const char *bits = json_string_value(json_object_get(a->record, "bits"));
        if (!bits) continue;
        struct signature *to = &signatures[summaries_find(s, &a->axes) - s->items];
        to->sum += hash_cell(a, bits);
        to->cells++;
    }
}

size_t kernel_end(const struct summaries *s, size_t first)
{
    size_t end = first;
    while (end < s->count && axes_same_kernel(&s->items[first].axes, &s->items[end].axes)) end++;
    return end;
}

/* Class 0 is that of the most conservative policy: what the others depart from. */
static void number_classes(const struct summaries *s, const struct signature *signatures,
                           size_t first, size_t end, int *of)
{
    size_t cells = 0;
    for (size_t i = first; i < end; i++)
        if (signatures[i].cells > cells) cells = signatures[i].cells;
    int classes = 0;
    for (int rank = 0; cells && rank <= POLICY_RANKS; rank++)
        for (size_t i = first; i < end; i++) {
            if (policy_rank(s->items[i].axes.policy) != rank || signatures[i].cells != cells)
                continue;
            for (size_t k = first; k < end && of[i] < 0; k++)
                if (of[k] >= 0 && signatures[k].sum == signatures[i].sum) of[i] = of[k];
            if (of[i] < 0) of[i] = classes++;
        }
}

int bit_classes_make(const struct results *r, const struct summaries *s, struct bit_classes *c,
                     struct error *e)
{
    struct signature *signatures = calloc(s->count + 1, sizeof *signatures);
    *c = (struct bit_classes){.of = calloc(s->count + 1, sizeof *c->of), .count = s->count};
    if (!signatures || !c->of) {
        free(signatures);
        return fail(e, EXIT_PARTIAL, "out of memory: report: %zu variants; free some", s->count);
    }
    sign(r, s, signatures);
    for (size_t i = 0; i < s->count; i++) c->of[i] = BITS_UNKNOWN;
    for (size_t i = 0, end; i < s->count; i = end) {
        end = kernel_end(s, i);
        number_classes(s, signatures, i, end, c->of);
    }
    free(signatures);
    return 0;
}

void bit_classes_free(struct bit_classes *c)
{
    free(c->of);
    *c = (struct bit_classes){0};
}

size_t bit_classes_of_kernel(const struct summaries *s, const struct bit_classes *c, size_t first)
{
    int most = BITS_UNKNOWN;
    for (size_t i = first, end = kernel_end(s, first); i < end; i++)
        if (c->of[i] > most) most = c->of[i];
    return (size_t)(most + 1);
}

bool bits_stable_over(const struct summaries *s, const struct bit_classes *c, size_t first,
                      const char *axis, const char *policy, size_t *pairs)
{
    bool stable = true;
    size_t end = kernel_end(s, first);
    for (size_t i = first; i < end; i++)
        for (size_t k = i + 1; k < end; k++) {
            const struct axes *a = &s->items[i].axes, *b = &s->items[k].axes;
            if (c->of[i] < 0 || c->of[k] < 0 || (policy && strcmp(a->policy, policy) != 0) ||
                !axes_differ_only_in(a, b, axis))
                continue;
            ++*pairs;
            stable &= c->of[i] == c->of[k];
        }
    return stable;
}

static bool in_column(const struct axes *a, struct build column)
{
    return !strcmp(a->cc, column.cc) && !strcmp(a->policy, column.policy);
}

bool bits_columns_agree(const struct summaries *s, const struct bit_classes *c, const char *op,
                        struct build a, struct build b)
{
    size_t pairs = 0;
    for (size_t first = 0, end; first < s->count; first = end) {
        end = kernel_end(s, first);
        if (strcmp(s->items[first].axes.group, op) != 0) continue;
        for (size_t i = first; i < end; i++)
            for (size_t k = first; k < end && c->of[i] >= 0; k++) {
                if (c->of[k] < 0 || !in_column(&s->items[i].axes, a) ||
                    !in_column(&s->items[k].axes, b) ||
                    strcmp(s->items[i].axes.isa, s->items[k].axes.isa) != 0)
                    continue;
                if (c->of[i] != c->of[k]) return false;
                pairs++;
            }
    }
    return pairs > 0;
}
