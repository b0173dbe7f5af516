#include "publish/compare/sides.h"

#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/analyse/narrow.h"

static const double usual_margin = 0.02; /* the noise of a shared machine is usually smaller */

static const struct kind {
    const char *by;
    enum comparison_kind kind;
} kinds[] = {{"cpu", COMPARE_CPUS},
             {"commit", COMPARE_COMMITS},
             {"isa", COMPARE_AXIS},
             {"cc", COMPARE_AXIS},
             {"policy", COMPARE_AXIS}};

static int kind_of(const struct sides_request *q, enum comparison_kind *kind, struct error *e)
{
    *kind = COMPARE_RUNS;
    if (!q->by) return 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].by, q->by)) {
            *kind = kinds[i].kind;
            return 0;
        }
    return fail(e, EXIT_USAGE, "compare: --by %s: unknown; known: isa, policy, cc, cpu, commit",
                q->by);
}

/* ---- The folders --------------------------------------------------------------------------------
 */

static int open_folder(struct sides *s, const struct sides_request *q, const char *folder,
                       struct error *e)
{
    struct results *r = &s->results[s->result_count];
    int code = results_read(folder, r, e);
    if (code) return code;
    s->plan.sides[s->result_count++] = (struct side){.results = r, .folder = folder};
    return results_narrow(r, q->filters, q->filter_count, e);
}

static int open_folders(struct sides *s, const struct sides_request *q, const char **values,
                        size_t *value_count, struct error *e)
{
    bool axis = s->plan.kind == COMPARE_AXIS;
    int code = 0;
    for (size_t i = 0; i < q->word_count && !code; i++) {
        if (i == SIDES_MAX)
            return fail(e, EXIT_USAGE, "compare: more than %d sides; give fewer", SIDES_MAX);
        if (axis && !record_is_folder(q->words[i]))
            values[(*value_count)++] = q->words[i];
        else
            code = open_folder(s, q, q->words[i], e);
    }
    if (!code && !s->result_count && axis && q->home) code = open_folder(s, q, q->home, e);
    return code;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* A folder is named by the last part of its path if those differ, else by the whole path. */
static void name_folders(struct compare_plan *plan)
{
    bool apart = true;
    for (size_t i = 0; i < plan->count; i++)
        for (size_t k = 0; k < i; k++)
            apart &=
                strcmp(last_part(plan->sides[i].folder), last_part(plan->sides[k].folder)) != 0;
    for (size_t i = 0; i < plan->count; i++)
        plan->sides[i].name = apart ? last_part(plan->sides[i].folder) : plan->sides[i].folder;
}

static void name_comparison(struct compare_plan *plan)
{
    struct origin first = origin_of(plan->sides[0].results);
    for (size_t i = 1; i < plan->count && plan->kind == COMPARE_RUNS; i++)
        if (strcmp(origin_of(plan->sides[i].results).slug, first.slug) != 0)
            plan->kind = COMPARE_CPUS;
}

/* ---- The values of an axis ----------------------------------------------------------------------
 */

static bool has_value(const struct results *r, const char *axis, const char *value)
{
    for (size_t i = 0; i < r->timing_count; i++)
        if (!strcmp(axes_value(&r->timings[i].axes, axis), value)) return true;
    for (size_t i = 0; i < r->accuracy_count; i++)
        if (!strcmp(axes_value(&r->accuracies[i].axes, axis), value)) return true;
    return false;
}

static void add_value(struct sides *s, size_t *count, const char *value)
{
    for (size_t i = 0; i < *count; i++)
        if (!strcmp(s->values[i], value)) return;
    if (*count < SIDES_MAX) snprintf(s->values[(*count)++], sizeof s->values[0], "%s", value);
}

/* All values that occur, the usual ones first and in the usual order. Libraries have no value of
 * these axes. */
static size_t all_values(struct sides *s)
{
    static const char *const usual[] = {"scalar",  "avx2", "avx512",  "off",     "on",
                                        "default", "fast", "reassoc", "fastmath"};
    const struct results *r = s->plan.sides[0].results;
    size_t count = 0;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (has_value(r, s->plan.axis, usual[i])) add_value(s, &count, usual[i]);
    for (size_t i = 0; i < r->timing_count + r->accuracy_count; i++) {
        const struct axes *a =
            i < r->timing_count ? &r->timings[i].axes : &r->accuracies[i - r->timing_count].axes;
        if (strcmp(a->cc, "lib") != 0) add_value(s, &count, axes_value(a, s->plan.axis));
    }
    return count;
}

bool sides_of_axis(const struct results *r, const char *folder, const char *axis, struct sides *s)
{
    *s = (struct sides){.plan = {.kind = COMPARE_AXIS, .axis = axis, .margin = usual_margin}};
    s->plan.sides[0] = (struct side){.results = r, .folder = folder};
    s->plan.count = all_values(s);
    for (size_t i = 0; i < s->plan.count; i++)
        s->plan.sides[i] = (struct side){r, folder, s->values[i], s->values[i]};
    return s->plan.count >= 2;
}

static int choose_values(struct sides *s, const char *const *values, size_t count, struct error *e)
{
    struct compare_plan *plan = &s->plan;
    if (!count)
        count = all_values(s);
    else
        for (size_t i = 0; i < count; i++)
            snprintf(s->values[i], sizeof s->values[0], "%s", values[i]);
    if (count < 2)
        return fail(
            e, EXIT_USAGE, "compare: %s: only one value of %s%s%s; name two, or measure more",
            plan->sides[0].folder, plan->axis, count ? ": " : "", count ? s->values[0] : "");
    struct side folders[2] = {plan->sides[0], plan->sides[s->result_count - 1]};
    for (size_t i = 0; i < count; i++) {
        plan->sides[i] = folders[i > 0];
        plan->sides[i].value = plan->sides[i].name = s->values[i];
        if (!has_value(plan->sides[i].results, plan->axis, s->values[i]))
            return fail(e, EXIT_USAGE,
                        "compare: %s: neither a folder of results nor a %s in %s; 'ulplab list' "
                        "shows the axes",
                        s->values[i], plan->axis, plan->sides[i].folder);
    }
    plan->count = count;
    return 0;
}

/* ---- The whole ------------------------------------------------------------------------------ */

static int open_all(const struct sides_request *q, struct sides *s, struct error *e)
{
    const char *values[SIDES_MAX];
    size_t value_count = 0;
    int code = kind_of(q, &s->plan.kind, e);
    if (!code) code = open_folders(s, q, values, &value_count, e);
    if (code) return code;
    if (s->plan.kind == COMPARE_AXIS) {
        if (!s->result_count || s->result_count > 2)
            return fail(e, EXIT_USAGE, "compare: --by %s: %zu folders; give one, or two", q->by,
                        s->result_count);
        s->plan.axis = q->by;
        return choose_values(s, values, value_count, e);
    }
    if (s->result_count < 2)
        return fail(e, EXIT_USAGE,
                    "compare: %zu folders; give two or more, or one with --by isa, "
                    "policy or cc",
                    s->result_count);
    s->plan.count = s->result_count;
    name_folders(&s->plan);
    name_comparison(&s->plan);
    return 0;
}

int sides_open(const struct sides_request *q, struct sides *s, struct error *e)
{
    *s = (struct sides){.plan.margin = usual_margin};
    int code = open_all(q, s, e);
    if (code) sides_close(s);
    return code;
}

void sides_close(struct sides *s)
{
    for (size_t i = 0; i < s->result_count; i++) results_free(&s->results[i]);
    s->result_count = 0;
}
