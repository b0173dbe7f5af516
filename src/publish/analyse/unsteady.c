#include "publish/analyse/unsteady.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"

static int by_block(const void *a, const void *b)
{
    const struct timing_result *const *x = a, *const *y = b;
    return strcmp((*x)->block, (*y)->block);
}

/* How well a cell is known: NAN in old records. */
static double half_width(const struct timing_result *cell)
{
    return record_number(cell->record, "half_width");
}

static bool is_steady(const struct timing_result *const *cells, size_t count)
{
    size_t beyond = 0;
    for (size_t i = 0; i < count; i++) beyond += half_width(cells[i]) > RATIO_WELL_KNOWN;
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
    size_t all = r->timing_count + r->peer_timing_count + r->log_timing_count, count = 0;
    const struct timing_result **cells = calloc(all + 1, sizeof *cells);
    *u = (struct unsteady){0};
    if (!cells) return fail(e, EXIT_PARTIAL, "out of memory: report: %zu cells; free some", all);
    for (size_t i = 0; i < all; i++)
        if (!isnan(half_width(&r->timings[i]))) cells[count++] = &r->timings[i];
    qsort(cells, count, sizeof *cells, by_block);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && !by_block(&cells[first], &cells[end]);) end++;
        bool steady = is_steady(cells + first, end - first);
        u->blocks++;
        u->steady += steady;
        if (!steady) add_name(u, cells[first]->block);
    }
    free(cells);
    return 0;
}
