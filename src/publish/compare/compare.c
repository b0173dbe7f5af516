#include "publish/compare/compare.h"

#include <stdlib.h>

#include "publish/compare/compare_stages.h"

static int check(const struct compare_plan *plan, struct comparison *c, struct error *e)
{
    const struct side *first = &plan->sides[0];
    int code = 0;
    for (size_t s = 1; s < plan->count && !code; s++) {
        const struct side *other = &plan->sides[s];
        if (other->results == first->results) continue;
        code = origin_comparable(first->results, first->folder, other->results, other->folder,
                                 plan->kind, e);
        c->grids_differ |= !origin_same_grid(first->results, other->results);
    }
    return code;
}

static int read_codes(struct comparison *c, struct error *e)
{
    int code = 0;
    for (size_t s = 0; s < c->plan->count && !code; s++)
        code = codes_read(c->plan->sides[s].results, &c->codes[s], e);
    return code;
}

static int refuse_nothing(const struct comparison *c, struct error *e)
{
    const struct compare_plan *plan = c->plan;
    size_t changed = c->beyond[0][BEYOND_CODE] + c->beyond[0][BEYOND_LIBRARY];
    if (!changed)
        return fail(e, EXIT_USAGE,
                    "compare: %s and %s: no cell in common; compare runs of the "
                    "same kernels and shapes, or widen --filter",
                    plan->sides[0].name, plan->sides[1].name);
    return fail(e, EXIT_USAGE,
                "compare: %s and %s: no cell in common: the %zu that both timed ran other machine "
                "code; compare the commits with --by commit",
                plan->sides[0].name, plan->sides[1].name, changed);
}

int compare_make(const struct compare_plan *plan, struct comparison *c, struct error *e)
{
    *c = (struct comparison){.plan = plan};
    int code = check(plan, c, e);
    if (!code) code = read_codes(c, e);
    if (!code) code = identical_measure(plan->sides[0].results, &c->identical, e);
    if (!code && (compare_accuracies_make(c) || compare_rows_make(c) || compare_verdicts_make(c) ||
                  compare_means_make(c) || compare_classes_make(c)))
        code = fail(e, EXIT_PARTIAL, "compare: out of memory: %zu cells; narrow with --filter",
                    c->row_count);
    if (!code && !c->row_count && !c->accuracy_count) code = refuse_nothing(c, e);
    if (code) compare_free(c);
    return code;
}

void compare_free(struct comparison *c)
{
    for (size_t s = 0; s < SIDES_MAX; s++) codes_free(&c->codes[s]);
    free(c->rows);
    free(c->accuracies);
    free(c->means);
    free(c->classes);
    *c = (struct comparison){0};
}

size_t compare_regressions(const struct comparison *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->row_count; i++) count += c->rows[i].verdict == VERDICT_SLOWER;
    return count;
}
