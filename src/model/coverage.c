// SPDX-License-Identifier: MIT
#include "model/coverage.h"

#include <stdio.h>
#include <string.h>

#include "base/list.h"

static const char *coverage_axis_value(const struct variant *v, size_t axis)
{
    const char *const values[] = {v->isa, v->op, v->dtype, v->cc, v->policy};
    return values[axis];
}
static const char *const axes[] = {"isa", "op", "dtype", "cc", "policy"};
enum { AXES = sizeof axes / sizeof *axes };

static bool was_seen(const struct variant *looked_at, size_t count, const struct variant *v,
                     size_t axis)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(coverage_axis_value(&looked_at[i], axis), coverage_axis_value(v, axis)))
            return true;
    return false;
}

static void add_gap(struct gap *gaps, size_t *count, const char *what, const char *value,
                    bool runs_here)
{
    size_t i = 0;
    while (i < *count && (strcmp(gaps[i].what, what) || gaps[i].runs_here != runs_here)) i++;
    if (i == GAPS_MAX) return;
    if (i == *count) {
        gaps[(*count)++] = (struct gap){.runs_here = runs_here};
        snprintf(gaps[i].what, sizeof gaps[i].what, "%s", what);
    }
    gaps[i].variants++;
    const size_t used = strlen(gaps[i].values), room = sizeof gaps[i].values - used;
    if (*value && !list_has(gaps[i].values, ',', value))
        snprintf(gaps[i].values + used, room, "%s%s", used ? "," : "", value);
}

static void coverage_add_variant(struct gap *gaps, size_t *count, const struct registry *r,
                                 size_t measured, const struct variant *v)
{
    size_t axis = 0;
    if (v->study) return;
    if (v->status == STATUS_SKIPPED) {
        add_gap(gaps, count, axes[0], v->isa, false);
        return;
    }
    while (axis < AXES && was_seen(r->variants, measured, v, axis)) axis++;
    const bool alone = axis < AXES;
    add_gap(gaps, count, alone ? axes[axis] : "together", alone ? coverage_axis_value(v, axis) : "",
            true);
}

size_t coverage_gaps(const struct registry *r, size_t measured, const struct absences *a,
                     struct gap gaps[GAPS_MAX])
{
    size_t count = 0;
    for (size_t i = measured; i < r->count; i++)
        if (r->variants[i].kernel) coverage_add_variant(gaps, &count, r, measured, &r->variants[i]);
    for (size_t i = 0; i < a->count; i++)
        coverage_add_variant(gaps, &count, r, measured, &a->variants[i]);
    return count;
}
