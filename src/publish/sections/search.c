/* The worst inputs that search found, beside what random rows of the same box find. */
#include <math.h>
#include <string.h>

#include "publish/sections/sections.h"
#include "model/record.h"
#include "publish/render/curve.h"

size_t searches_records(const struct report *r)
{
    return json_array_size(r->results.search);
}

/* The largest score after so many evaluations. */
static double score_after(const json_t *history, double evaluations)
{
    double score = NAN;
    size_t i;
    const json_t *point;
    json_array_foreach(history, i, point)
    {
        if (json_number_value(json_array_get(point, 0)) > evaluations) break;
        score = json_number_value(json_array_get(point, 1));
    }
    return score;
}

static void write_row(struct doc *d, const json_t *record)
{
    const json_t *random = json_object_get(record, "random"), *box = json_object_get(record, "box");
    double evaluations = record_number(record, "evaluations");
    struct axes a;
    if (!axes_parse(record_text(record, "id"), &a)) return;
    doc_row(d);
    doc_cell(d, "%s %s", a.op, a.algorithm);
    doc_cell(d, "%s %s %s", a.isa, a.cc, a.policy);
    doc_cell(d, "%.0f", record_number(record, "n"));
    doc_cell(d, "[%g, %g]", json_number_value(json_array_get(box, 0)),
             json_number_value(json_array_get(box, 1)));
    doc_cell(d, "%s", record_text(record, "objective"));
    doc_number(d, score_after(json_object_get(record, "history"), evaluations / 100));
    doc_number(d, score_after(json_object_get(record, "history"), evaluations / 10));
    doc_number(d, record_number(record, "score"));
    doc_number(d, score_after(json_object_get(random, "history"), evaluations / 100));
    doc_number(d, score_after(json_object_get(random, "history"), evaluations / 10));
    doc_number(d, record_number(random, "score"));
    doc_number(d, record_number(record, "gain"));
    doc_cell(d, "%s", record_text(record, "limit"));
    doc_ulp(d, record_number(record, "max_ulp"));
    doc_cell(d, "%.0f", evaluations);
    doc_cell(d, "%.1f / %.1f", record_number(record, "seconds"), record_number(random, "seconds"));
    doc_cell(d, "%s", record_text(record, "input"));
    doc_row_end(d);
}

/* ---- The curve, in HTML ---------------------------------------------------------------------- */

enum { WIDTH = 260, HEIGHT = 90 };

struct scale {
    double most_evaluations, most_score;
};

/* Evaluations by their logarithm, from a thousandth of them. */
static double across(const struct scale *s, double evaluations)
{
    double share = 1 + log10(evaluations / s->most_evaluations) / 3;
    return WIDTH * fmax(share, 0);
}

/* Steps: a score holds until the next is found. */
static void draw_history(struct curve *c, const struct scale *s, const json_t *history,
                         const char *colour)
{
    double y = HEIGHT;
    size_t i;
    const json_t *point;
    curve_line(c, colour);
    json_array_foreach(history, i, point)
    {
        double x = across(s, json_number_value(json_array_get(point, 0)));
        curve_point(c, x, y);
        y = HEIGHT * (1 - json_number_value(json_array_get(point, 1)) / s->most_score);
        curve_point(c, x, y);
    }
    curve_point(c, WIDTH, y);
}

static void write_curve(struct doc *d, const json_t *record)
{
    const json_t *random = json_object_get(record, "random");
    struct curve c;
    struct scale s = {
        fmax(record_number(record, "evaluations"), record_number(random, "evaluations")),
        fmax(record_number(record, "score"), record_number(random, "score"))};
    if (!(s.most_score > 0) || !(s.most_evaluations > 0)) return;
    curve_begin(&c, d->out, WIDTH, HEIGHT, "error against evaluations");
    draw_history(&c, &s, json_object_get(random, "history"), "soft");
    draw_history(&c, &s, json_object_get(record, "history"), "accent");
    curve_end(&c, "%s: %.3g, random %.3g, over %.0f evaluations", record_text(record, "id"),
              record_number(record, "score"), record_number(random, "score"), s.most_evaluations);
}

void section_searches(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {
        "kernel", "build",       "n",           "box",     "maximised", "search, 1% of budget",
        "10%",    "all",         "random, 1%",  "10%",     "all",       "gain",
        "limit",  "its max ulp", "evaluations", "seconds", "input",     NULL};
    size_t i;
    const json_t *record;
    doc_text(
        d, "ulplab search: halving boxes (S3FP), then values and bits around the best, against "
           "uniform random rows of the same box with the same budget. Maximised: the error "
           "over the proven bound (bound), in ulp (functions of one number) or relative to the "
           "inputs (scaled). Where the gain is below 1.5, the limit says why: a bound that leaves "
           "no room above what random rows reach, or from where on the search found not a "
           "hundredth more. The finds are the input family adversarial of the accuracy "
           "section from then on.");
    doc_table(d, heads);
    json_array_foreach(r->results.search, i, record) if (!json_object_get(record, "same_code_as") &&
                                                         *record_text(record, "input"))
        write_row(d, record);
    doc_table_end(d);
    write_other_builds(r, r->results.search, d);
    if (!doc_fold(d, "Error against evaluations (logarithmic, from a thousandth of the budget)"))
        return;
    json_array_foreach(r->results.search, i, record) if (!json_object_get(record, "same_code_as"))
        write_curve(d, record);
    doc_fold_end(d);
}
