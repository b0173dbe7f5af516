// SPDX-License-Identifier: MIT
#include "publish/analyse/narrow.h"

#include "model/filter.h"

static int matches(const struct axes *a, const json_t *record, const char *const *filters,
                   size_t count, bool *match, struct error *e)
{
    const char *id = json_string_value(json_object_get(record, "id"));
    const struct place place = {id ? id : "", a->op, a->algorithm, a->dtype,
                                a->isa,       a->cc, a->policy};
    return filter_matches(&place, filters, count, match, e);
}

static int narrow_codegen(struct results *r, const char *const *filters, size_t count,
                          struct error *e)
{
    json_t *kept = json_array(), *record;
    size_t i;
    int code = 0;
    json_array_foreach(r->codegen, i, record)
    {
        struct axes axes;
        bool match = true;
        const char *id = json_string_value(json_object_get(record, "id"));
        if (id && axes_parse(id, &axes)) code = matches(&axes, record, filters, count, &match, e);
        if (code) break;
        if (match) json_array_append(kept, record);
    }
    json_decref(r->codegen);
    r->codegen = kept;
    return code;
}

int results_narrow(struct results *r, const char *const *filters, size_t count, struct error *e)
{
    const size_t all = r->accuracy_count + r->peer_accuracy_count;
    const size_t all_timings = r->timing_count + r->peer_timing_count;
    size_t accuracies = 0, timings = 0;
    bool match;
    if (!count) return 0;
    for (size_t i = 0; i < all; i++) {
        struct accuracy_result *row = &r->accuracies[i];
        int code = matches(&row->axes, row->record, filters, count, &match, e);
        if (code) return code;
        if (match) r->accuracies[accuracies++] = *row;
    }
    for (size_t i = 0; i < all_timings; i++) {
        struct timing_result *row = &r->timings[i];
        int code = matches(&row->axes, row->record, filters, count, &match, e);
        if (code) return code;
        if (match) r->timings[timings++] = *row;
    }
    results_count(r, accuracies, timings);
    if (!accuracies && !timings)
        return fail(e, EXIT_USAGE, "--filter: no row matches; 'ulplab list' shows the variants");
    return narrow_codegen(r, filters, count, e);
}
