// SPDX-License-Identifier: MIT
/* The variants that a case looks at, and tables with one line per finding. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case.h"

static bool case_variants_is_of(const struct variant *v, const char *op, const char *algorithm,
                                const char *dtype)
{
    return v->status == STATUS_OK && !strcmp(v->op, op) && !strcmp(v->algorithm, algorithm) &&
           (!dtype || !strcmp(v->dtype, dtype));
}

struct case_variants case_variants(const struct case_context *c, const char *op,
                                   const char *algorithm, const char *dtype)
{
    const struct registry *r = c->registry;
    struct case_variants found = {.items = case_alloc((r->count + 1) * sizeof *found.items),
                                  .same = case_alloc((r->count + 1) * sizeof *found.same)};
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        size_t same = 0;
        if (!case_variants_is_of(v, op, algorithm, dtype)) continue;
        while (same < found.count && found.items[same]->build->code_hash != v->build->code_hash)
            same++;
        found.items[found.count] = v;
        found.same[found.count++] = same;
    }
    return found;
}

void case_variants_free(struct case_variants *v)
{
    free(v->items);
    free(v->same);
    *v = (struct case_variants){0};
}

static bool case_variants_matches(const char *value, const char *pattern)
{
    return !pattern || !strcmp(value, pattern);
}

const struct variant *case_pick(const struct case_variants *v, const char *isa, const char *cc,
                                const char *policy)
{
    for (size_t i = 0; i < v->count; i++)
        if (case_variants_matches(v->items[i]->isa, isa) &&
            case_variants_matches(v->items[i]->cc, cc) &&
            case_variants_matches(v->items[i]->policy, policy))
            return v->items[i];
    return NULL;
}

bool case_policies_alike(const struct case_variants *v, size_t i,
                         bool (*same)(const void *context, size_t a, size_t b), const void *context,
                         char *policies, size_t size)
{
    const struct variant *x = v->items[i];
    size_t used = 0;
    for (size_t k = 0; k < v->count; k++) {
        const struct variant *y = v->items[k];
        if (strcmp(x->isa, y->isa) != 0 || strcmp(x->cc, y->cc) != 0 || !same(context, i, k))
            continue;
        if (k < i) return false;
        if (used < size)
            used +=
                (size_t)snprintf(policies + used, size - used, "%s%s", used ? ", " : "", y->policy);
    }
    return true;
}

void *case_measure(const struct case_variants *v, size_t size,
                   void (*measure)(const void *context, const struct variant *, void *result),
                   const void *context)
{
    char *results = case_alloc((v->count + 1) * size);
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t i = 0; i < v->count; i++)
        if (v->same[i] == i) measure(context, v->items[i], results + i * size);
    for (size_t i = 0; i < v->count; i++)
        memmove(results + i * size, results + v->same[i] * size, size);
    return results;
}
