#include "model/record.h"
#include "publish/compare/compare_text.h"
#include "publish/compare/compare_write.h"

static json_t *sides_json(const struct comparison *c)
{
    json_t *sides = json_array();
    for (size_t s = 0; s < c->plan->count; s++) {
        const struct side *side = &c->plan->sides[s];
        struct origin o = origin_of(side->results);
        json_array_append_new(
            sides, json_pack("{s:s, s:s, s:s?, s:s, s:s, s:s?}", "name", side->name, "folder",
                             side->folder, "value", side->value, "slug", o.slug, "commit", o.commit,
                             "started", started_or_null(origin_started(side->results))));
    }
    return sides;
}

static json_t *beyond_json(const struct comparison *c)
{
    json_t *list = json_array();
    for (size_t s = 0; s < c->plan->count; s++)
        for (enum beyond why = 0; why < BEYONDS; why++)
            if (c->beyond[s][why])
                json_array_append_new(
                    list, json_pack("{s:s, s:I, s:s}", "side", c->plan->sides[s].name, "cells",
                                    (json_int_t)c->beyond[s][why], "why", beyond_text(why)));
    return list;
}

static json_t *lost_json(const struct compare_accuracy *a, size_t side)
{
    return a->counted ? json_integer((json_int_t)a->lost[side]) : json_null();
}

static json_t *accuracy_json(const struct comparison *c, const struct compare_accuracy *a)
{
    if (!a) return json_null();
    return json_pack("{s:o, s:o, s:I, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:o}", "lost_a",
                     lost_json(a, 0), "lost_b", lost_json(a, 1), "unlike", (json_int_t)a->unlike,
                     "variant", a->variant, "a", c->plan->sides[a->from].name, "b",
                     c->plan->sides[a->to].name, "max_ulp_a", record_real(a->max_ulp[0]),
                     "max_ulp_b", record_real(a->max_ulp[1]), "mean_ulp_a",
                     record_real(a->mean_ulp[0]), "mean_ulp_b", record_real(a->mean_ulp[1]),
                     "cells", (json_int_t)a->cells, "equal", (json_int_t)a->equal, "bits_equal",
                     a->cells ? json_boolean(a->equal == a->cells) : json_null());
}

static json_t *row_json(const struct comparison *c, const struct compare_row *r)
{
    json_t *row = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "cell", r->cell, "a_name",
        c->plan->sides[0].name, "b_name", c->plan->sides[r->to].name, "a",
        record_real(r->a->ns_per_element), "b", record_real(r->b->ns_per_element), "ratio",
        record_real(r->ratio), "ci_low", record_real(r->low), "ci_high", record_real(r->high), "p",
        record_real(r->p), "q", record_real(r->q), "verdict", verdict_name(r->verdict));
    json_t *rest = json_pack("{s:s, s:b, s:[I,I], s:s, s:s, s:o}", "why", r->why, "side_by_side",
                             r->side_by_side, "processes", (json_int_t)r->processes[0],
                             (json_int_t)r->processes[1], "status_a", r->a->status, "status_b",
                             r->b->status, "accuracy", accuracy_json(c, r->accuracy));
    json_object_update(row, rest);
    json_decref(rest);
    if (r->flag[0]) json_object_set_new(row, "flags", json_pack("[s]", r->flag));
    return row;
}

static json_t *mean_json(const struct comparison *c, const struct compare_mean *m)
{
    json_t *mean = json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:I}", "a_name", c->plan->sides[0].name, "b_name",
        c->plan->sides[m->to].name, "op", m->op[0] ? m->op : "all", "residency",
        m->residency[0] ? m->residency : "all", "ratio", record_real(m->ratio), "ci_low",
        record_real(m->low), "ci_high", record_real(m->high), "left_out", (json_int_t)m->left_out);
    for (size_t v = 0; v < VERDICTS; v++)
        json_object_set_new(mean, verdict_name(v), json_integer((json_int_t)m->verdicts[v]));
    return mean;
}

json_t *compare_document(const struct comparison *c)
{
    static const char *const kinds[] = {"runs", "axis", "cpu", "commit"};
    json_t *rows = json_array(), *means = json_array(), *accuracy = json_array(),
           *classes = json_array();
    for (size_t i = 0; i < c->row_count; i++) json_array_append_new(rows, row_json(c, &c->rows[i]));
    for (size_t i = 0; i < c->mean_count; i++)
        json_array_append_new(means, mean_json(c, &c->means[i]));
    for (size_t i = 0; i < c->accuracy_count; i++)
        json_array_append_new(accuracy, accuracy_json(c, &c->accuracies[i]));
    for (size_t i = 0; i < c->class_count; i++)
        json_array_append_new(
            classes, json_pack("{s:s, s:I, s:s}", "members", c->classes[i].members, "variants",
                               (json_int_t)c->classes[i].variants, "first", c->classes[i].first));
    json_t *machine = json_object_get(c->plan->sides[0].results->machine, "machine");
    json_t *document = record_document(json_incref(machine));
    json_t *rest = json_pack(
        "{s:s, s:s?, s:o, s:f, s:s, s:b, s:[I,I], s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "comparison",
        kinds[c->plan->kind], "axis", c->plan->axis, "sides", sides_json(c), "margin",
        c->plan->margin, "unit", "ns_per_element; ratio is time of b over time of a",
        "grids_differ", c->grids_differ, "alone", (json_int_t)c->alone[0], (json_int_t)c->alone[1],
        "beyond", beyond_json(c), "other_code", (json_int_t)c->changed, "rows", rows, "geomean",
        means, "accuracy", accuracy, "classes", classes, "identical_code",
        identical_record(&c->identical));
    json_object_update(document, rest);
    json_decref(rest);
    return document;
}
