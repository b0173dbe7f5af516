#include "publish/sections/chosen.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int by_row(const void *a, const void *b)
{
    const struct timing_result *x = *(const struct timing_result *const *)a;
    const struct timing_result *y = *(const struct timing_result *const *)b;
    int c = strcmp(x->axes.group, y->axes.group);
    if (!c) c = strcmp(x->axes.isa, y->axes.isa);
    if (!c) c = timing_by_size(x, y);
    if (!c) c = (x->threads > y->threads) - (x->threads < y->threads);
    return c ? c
             : (x->ns_per_element > y->ns_per_element) - (x->ns_per_element < y->ns_per_element);
}

const struct timing_result **timings_chosen(const struct report *r, timing_test *passes,
                                            size_t *count)
{
    const struct timing_result **all = memory_zeroed(r->results.timing_count + 1, sizeof *all);
    *count = 0;
    for (size_t i = 0; i < r->results.timing_count; i++)
        if (passes(r, &r->results.timings[i])) all[(*count)++] = &r->results.timings[i];
    qsort(all, *count, sizeof *all, by_row);
    return all;
}

size_t timings_count(const struct report *r, timing_test *passes)
{
    size_t count = 0;
    for (size_t i = 0; i < r->results.timing_count; i++) count += passes(r, &r->results.timings[i]);
    return count;
}

bool timings_share_row(const struct timing_result *a, const struct timing_result *b)
{
    return !strcmp(a->axes.group, b->axes.group) && !strcmp(a->axes.isa, b->axes.isa) &&
           a->rows == b->rows && a->n == b->n && a->threads == b->threads;
}

bool timing_is_sound(const struct report *r, const struct timing_result *t)
{
    return !strcmp(t->family, "normal") && timing_is_advised(&r->summaries, t);
}
