#include "publish/analyse/unsteady.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_block(const void *a, const void *b)
{
    const struct control_result *x = a, *y = b;
    return strcmp(x->block, y->block);
}

static bool is_steady(const struct control_result *controls, size_t count)
{
    size_t beyond = 0;
    for (size_t i = 0; i < count; i++)
        beyond += !(0.5 * log(controls[i].high / controls[i].low) <= RATIO_STEADY);
    return 2 * beyond <= count;
}

static void add_name(struct unsteady *u, const char *block)
{
    size_t used = strlen(u->names);
    if (used + strlen(block) + 8 < sizeof u->names)
        snprintf(u->names + used, sizeof u->names - used, "%s%s", used ? ", " : "", block);
    else if (strncmp(u->names + used - 3, "...", 3) != 0)
        snprintf(u->names + used, sizeof u->names - used, ", ...");
}

int unsteady_find(const struct results *r, struct unsteady *u, struct error *e)
{
    size_t count = r->control_count;
    struct control_result *sorted = calloc(count + 1, sizeof *sorted);
    *u = (struct unsteady){0};
    if (!sorted)
        return fail(e, EXIT_PARTIAL, "out of memory: report: %zu controls; free some", count);
    for (size_t i = 0; i < count; i++) sorted[i] = r->controls[i];
    qsort(sorted, count, sizeof *sorted, by_block);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && !by_block(&sorted[first], &sorted[end]);) end++;
        bool steady = is_steady(sorted + first, end - first);
        u->blocks++;
        u->steady += steady;
        if (!steady) add_name(u, sorted[first].block);
    }
    free(sorted);
    return 0;
}
