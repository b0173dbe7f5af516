/* What the charts and filters of report.html read: one JSON document inside the page.
 *
 *   units      {operation: the unit of its variants' "error"}
 *   home       [rows, n] of the times in `variants`
 *   axes       the values of op, isa, cc, policy, family, in the order to show them in
 *   variants   [{op, algorithm, dtype, isa, cc, policy, hazard, wrong, candidate, ns, low, high,
 *              percent, error, mean, worst, scaled}]; a row of a table names its place here
 *   errors     [[variant, family, p50, p99, p99.99, max]]
 *   times      [[variant, rows, n, threads, family, resident, ns/element, least ns/element]]
 *   cases      [{name, chart, rows, curves}] */
#include <math.h>
#include <string.h>

#include "model/record.h"
#include "publish/site/html_page.h"
#include "publish/render/markup.h"

static json_t *text(const char *s)
{
    json_t *value = json_string(s); /* NULL for a name cut inside a character */
    return value ? value : json_string("?");
}

static json_t *list(const struct axis_values *axis)
{
    json_t *array = json_array();
    for (size_t i = 0; i < axis->count; i++) json_array_append_new(array, text(axis->items[i]));
    return array;
}

static json_t *variant(const struct summary *v)
{
    const struct timing_result *t = v->home;
    const struct {
        const char *key, *value;
    } axes[] = {{"op", v->axes.group},    {"algorithm", v->axes.algorithm},
                {"dtype", v->axes.dtype}, {"isa", v->axes.isa},
                {"cc", v->axes.cc},       {"policy", v->axes.policy}};
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"ns", t ? t->ns_per_element : NAN},
                   {"low", t ? t->low : NAN},
                   {"high", t ? t->high : NAN},
                   {"percent", t ? t->percent_of_limit : NAN},
                   {"error", v->error},
                   {"mean", v->mean_ulp},
                   {"worst", v->worst_ulp},
                   {"scaled", v->worst_scaled}};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        json_object_set_new(object, axes[i].key, text(axes[i].value));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(object, numbers[i].key, record_real(numbers[i].value));
    json_object_set_new(object, "hazard", json_boolean(v->hazard));
    json_object_set_new(object, "wrong", json_boolean(v->wrong));
    json_object_set_new(object, "candidate", json_boolean(summary_is_candidate(v)));
    return object;
}

static json_t *variants(const struct html_page *p)
{
    json_t *array = json_array();
    for (size_t i = 0; i < p->s->count; i++) json_array_append_new(array, variant(&p->s->items[i]));
    return array;
}

static json_t *errors(const struct html_page *p)
{
    json_t *array = json_array();
    for (size_t i = 0; i < p->s->count; i++)
        for (size_t f = 0; f < p->families.count; f++) {
            const struct family_error *e = page_error(p, i, f);
            if (isnan(e->max)) continue;
            json_array_append_new(array, json_pack("[i, i, o, o, o, o]", (int)i, (int)f,
                                                   record_real(e->p50), record_real(e->p99),
                                                   record_real(e->p9999), record_real(e->max)));
        }
    return array;
}

static json_t *times(const struct html_page *p)
{
    json_t *array = json_array();
    for (size_t i = 0; i < p->r->timing_count; i++) {
        const struct timing_result *t = &p->r->timings[i];
        if (!(t->ns_per_element > 0)) continue;
        size_t place = (size_t)(summaries_find(p->s, &t->axes) - p->s->items);
        json_array_append_new(
            array, json_pack("[i, I, I, I, o, o, o, o]", (int)place, (json_int_t)t->rows,
                             (json_int_t)t->n, (json_int_t)t->threads, text(t->family),
                             text(t->residency), record_real(t->ns_per_element),
                             record_real(t->ns_per_element * t->percent_of_limit / 100)));
    }
    return array;
}

static json_t *cases(const struct html_page *p)
{
    json_t *array = json_array();
    size_t i;
    const json_t *record;
    json_array_foreach(p->cases, i, record)
    {
        json_t *one = json_object();
        static const char *const keys[] = {"name", "chart", "rows", "curves"};
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            json_object_set(one, keys[k], json_object_get(record, keys[k]));
        json_array_append_new(array, one);
    }
    return array;
}

static json_t *units(const struct html_page *p)
{
    json_t *object = json_object();
    for (size_t i = 0; i < p->present.ops.count; i++)
        json_object_set_new(object, p->present.ops.items[i],
                            text(error_unit(p->r, p->present.ops.items[i])));
    return object;
}

void html_data(const struct html_page *p)
{
    json_t *data = json_pack("{s:[I, I], s:{s:o, s:o, s:o, s:o, s:o}, s:o, s:o, s:o, s:o, s:o}",
                             "home", (json_int_t)p->s->home_rows, (json_int_t)p->s->home_n, "axes",
                             "op", list(&p->present.ops), "isa", list(&p->present.isas), "cc",
                             list(&p->present.ccs), "policy", list(&p->present.policies), "family",
                             list(&p->families), "variants", variants(p), "errors", errors(p),
                             "times", times(p), "cases", cases(p), "units", units(p));
    fputs("<script type=\"application/json\" id=\"data\">", p->out);
    markup_json(p->out, data);
    fputs("</script>\n", p->out);
    json_decref(data);
}
