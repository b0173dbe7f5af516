/* Tables of all variants and of all times: sortable and filterable once scripts run. A row's data-v
 * is its variant's place in the data that the scripts read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "publish/analyse/field.h"
#include "publish/site/html_page.h"
#include "publish/render/markup.h"

static size_t place(const struct html_page *p, const struct axes *a)
{
    return (size_t)(summaries_find(p->s, a) - p->s->items);
}

static void heads(const struct html_page *p, const char *const *names)
{
    fputs("<thead><tr>", p->out);
    for (; *names; names++) markup(p->out, "<th scope=\"col\">%s</th>", *names);
    fputs("</tr></thead><tbody>\n", p->out);
}

static void table_open(const struct html_page *p, const char *id)
{
    markup(p->out,
           "<p class=\"count\" hidden></p><div class=\"scroll tall\"><table class=\"sortable\" "
           "id=\"%s\">",
           id);
}

static void table_close(const struct html_page *p)
{
    fputs("</tbody></table></div>\n", p->out);
}

/* ---- What identifies a row --------------------------------------------------------------------
 */

static void write_identity(const struct html_page *p, const struct axes *a)
{
    markup(p->out, "<th scope=\"row\">%s <b>", a->op);
    page_kernel(p, a);
    markup(p->out, "</b></th><td>%s</td><td>%s</td><td><code>%s</code></td>", isa_title(a->isa),
           a->cc, a->policy);
}

static void write_ulp_cell(const struct html_page *p, double value)
{
    fputs("<td>", p->out);
    markup_ulp(p->out, value);
    fputs("</td>", p->out);
}

static void write_limit_cell(const struct html_page *p, double percent)
{
    if (isnan(percent))
        fputs("<td>\xe2\x80\x93</td>", p->out);
    else
        markup(p->out, "<td class=\"meter\" style=\"--p:%.0f\">%.0f%%</td>",
               fmax(0, fmin(100, percent)), percent);
}

/* ---- Variants ---------------------------------------------------------------------------------
 */

/* How many fused multiply-adds each variant's code has; -1 where no record says. */
static int *count_fma(const struct html_page *p)
{
    int *fma = malloc((p->s->count + 1) * sizeof *fma);
    for (size_t i = 0; fma && i < p->s->count; i++) fma[i] = -1;
    size_t i;
    const json_t *record;
    json_array_foreach(p->r->codegen, i, record)
    {
        struct axes a;
        const struct summary *v =
            axes_parse(page_text(record, "id"), &a) ? summaries_find(p->s, &a) : NULL;
        const json_t *count = json_object_get(record, "fma");
        if (fma && v && json_is_integer(count))
            fma[v - p->s->items] = (int)json_integer_value(count);
    }
    return fma;
}

static void write_marks(const struct html_page *p, const struct summary *v)
{
    fputs("<td>", p->out);
    if (on_front(p->s, v)) fputs("<span class=\"mark front\">front</span>", p->out);
    if (v->hazard) fputs("<span class=\"mark hazard\">hazard</span>", p->out);
    if (v->wrong) fputs("<span class=\"mark wrong\">wrong</span>", p->out);
    fputs("</td>", p->out);
}

static void write_variant(const struct html_page *p, size_t i, const int *fma)
{
    const struct summary *v = &p->s->items[i];
    const struct timing_result *t = v->home;
    markup(p->out, "<tr data-v=\"%zu\">", i);
    write_identity(p, &v->axes);
    if (t)
        markup(p->out, "<td>%.3f</td><td class=\"ci\">[%.3f, %.3f]</td>", t->ns_per_element, t->low,
               t->high);
    else
        fputs("<td>\xe2\x80\x93</td><td>\xe2\x80\x93</td>", p->out);
    write_limit_cell(p, t ? t->percent_of_limit : NAN);
    fputs("<td>", p->out);
    markup_ulp(p->out, v->error);
    if (!isnan(v->error)) markup(p->out, " %s", error_unit(p->r, v->axes.op));
    fputs("</td>", p->out);
    write_ulp_cell(p, v->mean_ulp);
    write_ulp_cell(p, v->worst_ulp);
    markup(p->out, "<td>%s</td>", v->worst_family);
    write_ulp_cell(p, v->worst_scaled);
    write_ulp_cell(p, v->worst_bound);
    markup(p->out, "<td>%zu</td>", v->specials_broken);
    if (fma && fma[i] >= 0)
        markup(p->out, "<td>%d</td>", fma[i]);
    else
        fputs("<td>\xe2\x80\x93</td>", p->out);
    write_marks(p, v);
    fputs("</tr>\n", p->out);
}

void html_variants(const struct html_page *p)
{
    static const char *const names[] = {
        "kernel",     "ISA",          "compiler",   "policy",
        "ns/element", "95% interval", "% of limit", "max error, normal",
        "mean ULP",   "worst ULP",    "in family",  "scaled",
        "of bound",   "specials",     "FMA",        "",
        NULL};
    section_open(p, "variants", "All variants");
    if (p->s->home_rows)
        markup(p->out, "<p>Times at %zu rows of %zu. ", p->s->home_rows, p->s->home_n);
    else
        fputs("<p>", p->out);
    fputs("<b>worst ULP</b>: over all families; <b>scaled</b>: largest error relative to the size "
          "of the inputs; "
          "<b>of bound</b>: measured over proven, above 1 is a finding; <b>specials</b>: NaN, "
          "infinities and signs "
          "that are not as they should be; <b>FMA</b>: fused multiply-adds in its machine "
          "code.</p>\n",
          p->out);
    int *fma = count_fma(p);
    table_open(p, "variant-table");
    heads(p, names);
    for (size_t i = 0; i < p->s->count; i++) write_variant(p, i, fma);
    table_close(p);
    free(fma);
    section_close(p);
}

/* ---- Errors by family -------------------------------------------------------------------------
 */

void html_errors(const struct html_page *p)
{
    section_open(p, "errors", "The error distribution");
    fputs("<p>Half of the elements are better than p50, one in a hundred is worse than p99, one in "
          "ten thousand "
          "worse than p99.99; each the largest over the row lengths.</p>\n",
          p->out);
    chart_room(p, "errors", "Median, 99th and 99.99th percentile and maximum of the error");
    fputs("<p>Largest error in ULP by input family, over every row length.</p>\n", p->out);
    table_open(p, "error-table");
    fputs("<thead><tr><th scope=\"col\">kernel</th><th scope=\"col\">ISA</th><th "
          "scope=\"col\">compiler</th>"
          "<th scope=\"col\">policy</th>",
          p->out);
    for (size_t f = 0; f < p->families.count; f++)
        markup(p->out, "<th scope=\"col\">%s</th>", p->families.items[f]);
    fputs("</tr></thead><tbody>\n", p->out);
    for (size_t i = 0; i < p->s->count; i++) {
        if (isnan(p->s->items[i].worst_ulp)) continue;
        markup(p->out, "<tr data-v=\"%zu\">", i);
        write_identity(p, &p->s->items[i].axes);
        for (size_t f = 0; f < p->families.count; f++) write_ulp_cell(p, page_error(p, i, f)->max);
        fputs("</tr>\n", p->out);
    }
    table_close(p);
    section_close(p);
}

/* ---- Times ------------------------------------------------------------------------------------
 */

enum { TIMES_MAX = 20000 };

static int order(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

/* Operation, threads, size, family, ISA, algorithm: what a row competes within. */
static int by_race(const struct timing_result *x, const struct timing_result *y)
{
    int c = strcmp(x->axes.op, y->axes.op);
    if (!c) c = order(x->threads, y->threads);
    if (!c) c = order(x->rows * x->n, y->rows * y->n);
    if (!c) c = order(x->n, y->n);
    if (!c) c = strcmp(x->family, y->family);
    if (!c) c = strcmp(x->axes.isa, y->axes.isa);
    if (!c) c = strcmp(x->axes.algorithm, y->axes.algorithm);
    return c ? c : strcmp(x->axes.dtype, y->axes.dtype);
}

static int by_time(const void *a, const void *b)
{
    const struct timing_result *x = *(const struct timing_result *const *)a;
    const struct timing_result *y = *(const struct timing_result *const *)b;
    int c = by_race(x, y);
    return c ? c
             : (x->ns_per_element > y->ns_per_element) - (x->ns_per_element < y->ns_per_element);
}

static void write_time(const struct html_page *p, const struct timing_result *t, size_t race,
                       bool first)
{
    markup(p->out,
           first ? "<tr data-v=\"%zu\" data-race=\"%zu\">"
                 : "<tr class=\"more\" data-v=\"%zu\" data-race=\"%zu\">",
           place(p, &t->axes), race);
    write_identity(p, &t->axes);
    markup(p->out,
           "<td data-n=\"%zu\">%zu\xc3\x97%zu</td><td>%s</td><td>%zu</td><td>%s</td><td>%.3f</td>"
           "<td class=\"ci\">[%.3f, %.3f]</td>",
           t->rows * t->n, t->rows, t->n, t->family, t->threads, t->residency, t->ns_per_element,
           t->low, t->high);
    write_limit_cell(p, t->percent_of_limit);
    markup(p->out, "<td>%s</td><td>%s</td></tr>\n", t->limit, field_instructions_of(t).text);
}

void html_speed(const struct html_page *p)
{
    static const char *const names[] = {
        "kernel",     "ISA",     "compiler",   "policy",     "rows\xc3\x97n",
        "family",     "threads", "resident",   "ns/element", "95% interval",
        "% of limit", "limit",   "per vector", NULL};
    const struct timing_result **rows = calloc(p->r->timing_count + 1, sizeof *rows);
    size_t count = 0, race = 0;
    for (size_t i = 0; rows && i < p->r->timing_count; i++)
        if (p->r->timings[i].ns_per_element > 0) rows[count++] = &p->r->timings[i];
    if (rows) qsort(rows, count, sizeof *rows, by_time);
    section_open(p, "speed", "Speed by size");
    fputs("<p>Per kernel and ISA the fastest build at each shape. \"% of limit\" is the least time "
          "that this "
          "core's arithmetic or bandwidth allows, measured in the same run, over the time "
          "taken; \"per vector\" the instructions that the kernel counts, and its lanes.</p>\n",
          p->out);
    chart_room(p, "speed",
               "Time per element against the size of the data, with the machine's limits");
    table_open(p, "time-table");
    heads(p, names);
    for (size_t i = 0; i < count; i++) {
        bool first = !i || by_race(rows[i], rows[i - 1]) != 0;
        race += i && first;
        if (first || i < TIMES_MAX) write_time(p, rows[i], race, first);
    }
    table_close(p);
    if (count > TIMES_MAX)
        markup(p->out,
               "<p class=\"note\">Builds other than the fastest are listed for the first %d of %zu "
               "times; all are in timing.jsonl.</p>\n",
               TIMES_MAX, count);
    free(rows);
    section_close(p);
}

/* ---- What the compilers did -------------------------------------------------------------------
 */

static const char *yes_no(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_true(value) ? "yes" : json_is_false(value) ? "no" : "\xe2\x80\x93";
}

struct compiled {
    size_t fused[AXIS_MAX], all[AXIS_MAX]; /* by ISA: kernels whose arithmetic the policy decides */
    size_t inconsistent, records;
    const json_t *observed;
};

static struct compiled collect_compiled(const struct html_page *p, const char *cc,
                                        const char *policy)
{
    struct compiled c = {.records = 0};
    size_t i;
    const json_t *record;
    json_array_foreach(p->r->codegen, i, record)
    {
        struct axes a;
        if (strcmp(page_text(record, "record"), "codegen") ||
            !axes_parse(page_text(record, "id"), &a) || strcmp(a.cc, cc) ||
            strcmp(a.policy, policy))
            continue;
        c.records++;
        c.inconsistent += json_is_false(json_object_get(record, "consistent"));
        if (!c.observed || !strcmp(a.isa, "avx2")) c.observed = json_object_get(record, "observed");
        for (size_t k = 0; k < p->present.isas.count; k++)
            if (!strcmp(a.isa, p->present.isas.items[k]) &&
                !strcmp(page_text(record, "arithmetic"), "policy")) {
                c.all[k]++;
                c.fused[k] += json_number_value(json_object_get(record, "fma")) > 0;
            }
    }
    return c;
}

static void write_compiled(const struct html_page *p, const char *cc, const char *policy)
{
    static const char *const observed[] = {"contracts", "reassociates", "honours_nan",
                                           "honours_subnormals"};
    struct compiled c = collect_compiled(p, cc, policy);
    if (!c.records) return;
    markup(p->out, "<tr><th scope=\"row\">%s</th><td><code>%s</code></td>", cc, policy);
    for (size_t k = 0; k < p->present.isas.count; k++)
        markup(p->out, "<td>%zu of %zu</td>", c.fused[k], c.all[k]);
    for (size_t k = 0; k < 4; k++) markup(p->out, "<td>%s</td>", yes_no(c.observed, observed[k]));
    if (c.inconsistent)
        markup(p->out, "<td><span class=\"mark wrong\">no: %zu in codegen.jsonl</span></td></tr>\n",
               c.inconsistent);
    else
        fputs("<td>yes</td></tr>\n", p->out);
}

void html_compilers(const struct html_page *p)
{
    section_open(p, "compilers", "What the compilers did");
    fputs(
        "<p>Kernels whose machine code has fused multiply-adds, of those whose arithmetic the "
        "policy decides, by "
        "disassembly; and what a litmus observed by values.</p>\n"
        "<div class=\"scroll\"><table class=\"sortable\"><thead><tr><th scope=\"col\">compiler</th>"
        "<th scope=\"col\">policy</th>",
        p->out);
    for (size_t k = 0; k < p->present.isas.count; k++)
        markup(p->out, "<th scope=\"col\">fuses, %s</th>", isa_title(p->present.isas.items[k]));
    fputs("<th scope=\"col\">contracts</th><th scope=\"col\">reassociates</th><th "
          "scope=\"col\">honours NaN</th>"
          "<th scope=\"col\">honours subnormals</th><th scope=\"col\">as "
          "expected</th></tr></thead><tbody>\n",
          p->out);
    for (size_t c = 0; c < p->present.ccs.count; c++)
        for (size_t k = 0; k < p->present.policies.count; k++)
            write_compiled(p, p->present.ccs.items[c], p->present.policies.items[k]);
    table_close(p);
    section_close(p);
}
