/* Measured over proven bound, for every variant, family and row length: the deterministic form,
 * which a kernel's file may promise, and the probabilistic one (heights h become 3 sqrt(h)), which
 * is expected and not promised. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "model/record.h"

#include "publish/sections/sections.h"

enum { COLUMNS = 64, BUILDS = 512 };

struct bound_ratio {
    double proven, likely; /* NAN where nothing was compared */
};

struct place {
    const char *family;
    size_t n;
};

/* A kernel's ratios, by build and {family, n}. */
struct sheet {
    struct axes builds[BUILDS];
    struct place columns[COLUMNS];
    size_t build_count, column_count;
    struct bound_ratio ratios[BUILDS][COLUMNS];
};

static struct bound_ratio ratio_of(const struct accuracy_result *a)
{
    const json_t *likely = json_object_get(a->record, "bound_ratio_probabilistic");
    return (struct bound_ratio){a->bound_ratio,
                                json_is_number(likely) ? json_number_value(likely) : NAN};
}

size_t bounds_records(const struct report *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->results.accuracy_count; i++)
        count += !isnan(r->results.accuracies[i].bound_ratio);
    return count;
}

static bool same_build(const struct axes *a, const struct axes *b)
{
    return !strcmp(a->isa, b->isa) && !strcmp(a->cc, b->cc) && !strcmp(a->policy, b->policy);
}

static void add(struct sheet *s, const struct accuracy_result *a)
{
    size_t b = 0, c = 0;
    while (b < s->build_count && !same_build(&s->builds[b], &a->axes)) b++;
    while (c < s->column_count &&
           (strcmp(s->columns[c].family, a->family) || s->columns[c].n != a->n))
        c++;
    if (b == BUILDS || c == COLUMNS) return;
    if (b == s->build_count) {
        s->builds[s->build_count++] = a->axes;
        for (size_t k = 0; k < COLUMNS; k++) s->ratios[b][k] = (struct bound_ratio){NAN, NAN};
    }
    if (c == s->column_count) s->columns[s->column_count++] = (struct place){a->family, a->n};
    s->ratios[b][c] = ratio_of(a);
}

static void fill(const struct report *r, const struct axes *kernel, struct sheet *s)
{
    s->build_count = s->column_count = 0;
    for (size_t i = 0; i < r->results.accuracy_count; i++) {
        const struct accuracy_result *a = &r->results.accuracies[i];
        if (!isnan(a->bound_ratio) && axes_same_kernel(&a->axes, kernel)) add(s, a);
    }
}

/* ---- By kernel and family -----------------------------------------------------------------------
 */

static struct bound_ratio worst_on(const struct sheet *s, const char *family)
{
    struct bound_ratio worst = {NAN, NAN};
    for (size_t b = 0; b < s->build_count; b++)
        for (size_t c = 0; c < s->column_count; c++) {
            if (family && strcmp(s->columns[c].family, family)) continue;
            worst.proven = fmax(worst.proven, s->ratios[b][c].proven);
            worst.likely = fmax(worst.likely, s->ratios[b][c].likely);
        }
    return worst;
}

static const char *shade_of(struct bound_ratio r)
{
    return r.proven > 1 ? "d3" : r.likely > 1 ? "d2" : "";
}

static void write_ratio(struct doc *d, struct bound_ratio r)
{
    if (isnan(r.proven))
        doc_cell(d, "-");
    else
        doc_shaded(d, shade_of(r), "%.2g / %.2g", r.proven, r.likely);
}

/* The kernels that have a bound, in the order of the summaries. */
static bool is_first_of_kernel(const struct report *r, size_t i)
{
    return !i || !axes_same_kernel(&r->summaries.items[i].axes, &r->summaries.items[i - 1].axes);
}

static void write_kernels(const struct report *r, struct doc *d, struct sheet *sheet)
{
    struct axis_values families;
    const char *heads[AXIS_MAX + 6] = {"operation", "kernel", "builds", "any family"};
    size_t heads_count = 4;
    families_collect(&r->results, &families);
    for (size_t f = 0; f < families.count; f++) heads[heads_count++] = families.items[f];
    doc_table(d, heads);
    for (size_t i = 0; i < r->summaries.count; i++) {
        if (!is_first_of_kernel(r, i)) continue;
        const struct summary *v = &r->summaries.items[i];
        fill(r, &v->axes, sheet);
        if (!sheet->build_count) continue;
        doc_row(d);
        doc_cell(d, "%s", v->axes.group);
        doc_cell(d, "%s%s", v->axes.algorithm, v->hazard ? " (hazard)" : "");
        doc_cell(d, "%zu", sheet->build_count);
        write_ratio(d, worst_on(sheet, NULL));
        for (size_t f = 0; f < families.count; f++)
            write_ratio(d, worst_on(sheet, families.items[f]));
        doc_row_end(d);
    }
    doc_table_end(d);
}

/* ---- By variant, family and n -------------------------------------------------------------------
 */

static bool same_row(const struct sheet *s, size_t a, size_t b)
{
    for (size_t c = 0; c < s->column_count; c++) {
        const struct bound_ratio *x = &s->ratios[a][c], *y = &s->ratios[b][c];
        bool none = isnan(x->proven) && isnan(y->proven);
        if (!none && !(x->proven == y->proven && x->likely == y->likely)) return false;
    }
    return !strcmp(s->builds[a].isa, s->builds[b].isa);
}

/* Builds of equal figures share a line. */
static void write_builds(struct doc *d, const struct sheet *s, size_t first)
{
    char names[2048] = "";
    size_t length = 0;
    for (size_t b = first; b < s->build_count && length < sizeof names - 100; b++)
        if (same_row(s, first, b))
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s %s",
                                       length ? ", " : "", s->builds[b].cc, s->builds[b].policy);
    doc_cell(d, "%s: %s", s->builds[first].isa, names);
}

static bool is_told(const struct sheet *s, size_t build)
{
    for (size_t b = 0; b < build; b++)
        if (same_row(s, b, build)) return true;
    return false;
}

static void write_sheet(struct doc *d, const struct sheet *s)
{
    char names[COLUMNS][64];
    const char *heads[COLUMNS + 2] = {"builds"};
    for (size_t c = 0; c < s->column_count; c++) {
        snprintf(names[c], sizeof names[c], "%.40s %zu", s->columns[c].family, s->columns[c].n);
        heads[c + 1] = names[c];
    }
    doc_table(d, heads);
    for (size_t b = 0; b < s->build_count; b++) {
        if (is_told(s, b)) continue;
        doc_row(d);
        write_builds(d, s, b);
        for (size_t c = 0; c < s->column_count; c++) write_ratio(d, s->ratios[b][c]);
        doc_row_end(d);
    }
    doc_table_end(d);
}

static void write_all(const struct report *r, struct doc *d, struct sheet *sheet)
{
    for (size_t i = 0; i < r->summaries.count && d->html; i++) {
        if (!is_first_of_kernel(r, i)) continue;
        const struct axes *kernel = &r->summaries.items[i].axes;
        fill(r, kernel, sheet);
        if (!sheet->build_count) continue;
        doc_fold(d, "%s %s: every build, family and row length", kernel->group, kernel->algorithm);
        write_sheet(d, sheet);
        doc_fold_end(d);
    }
}

/* How many rows are above their bound, and whether anybody promised otherwise. */
static void write_verdict(const struct report *r, struct doc *d)
{
    size_t compared = 0, above = 0, wrong = 0, likely = 0;
    for (size_t i = 0; i < r->results.accuracy_count; i++) {
        const struct accuracy_result *a = &r->results.accuracies[i];
        if (isnan(a->bound_ratio)) continue;
        compared++;
        above += a->bound_ratio > 1;
        likely += ratio_of(a).likely > 1;
        wrong += a->bound_ratio > 1 && !strcmp(a->status, "wrong");
    }
    doc_text(d,
             "The largest error over its proven bound, then over the bound's probabilistic form "
             "(heights h of summation trees become 3 sqrt(h)). Of %zu rows %zu are above the "
             "proven bound, %zu of these under a promise of their kernel's file (a gate; hazards, "
             "reassoc and fastmath promise nothing), and %zu above the probabilistic form, which "
             "nobody promises.",
             compared, above, wrong, likely);
}

/* ---- What they build on -------------------------------------------------------------------------
 */

/* A figure that bounds build on, and the scans of what declares it: all inputs, no promise broken.
 */
struct eps {
    const char *key; /* exp_ulp, log_ulp */
    double ulp;
    size_t rows, scans;
    double found; /* the largest of any scan */
};
enum { EPS_MAX = 32 };

static void count_scans(const struct report *r, struct eps *eps)
{
    size_t i;
    const json_t *scan;
    json_array_foreach(r->results.scan, i, scan)
    {
        const char *range = json_string_value(json_object_get(scan, "range"));
        const char *status = json_string_value(json_object_get(scan, "status"));
        struct axes a;
        if (!range || strcmp(range, "all") || !status || strcmp(status, "ok") ||
            record_number(scan, "declared_ulp") != eps->ulp ||
            !axes_parse(json_string_value(json_object_get(scan, "id")), &a) ||
            strncmp(a.op, eps->key, 3))
            continue;
        eps->scans++;
        eps->found = fmax(eps->found, record_number(scan, "max_ulp"));
    }
}

static size_t collect_eps(const struct report *r, struct eps *list)
{
    static const char *const keys[] = {"exp_ulp", "log_ulp"};
    size_t count = 0;
    for (size_t i = 0; i < r->results.accuracy_count; i++)
        for (size_t k = 0; k < 2; k++) {
            double ulp = record_number(r->results.accuracies[i].record, keys[k]);
            size_t at = 0;
            if (isnan(ulp)) continue;
            while (at < count && (list[at].key != keys[k] || list[at].ulp != ulp)) at++;
            if (at == EPS_MAX) continue;
            if (at == count) list[count++] = (struct eps){.key = keys[k], .ulp = ulp};
            list[at].rows++;
        }
    for (size_t i = 0; i < count; i++) count_scans(r, &list[i]);
    return count;
}

static void write_eps(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"of", "ulp", "rows", "its scans, all 2^32 inputs", NULL};
    struct eps list[EPS_MAX];
    size_t count = collect_eps(r, list);
    if (!count) return;
    doc_text(d, "The errors of the exp and log in use that these bounds build on: what the "
                "kernels' files declare, and the scans that hold the unary kernel of the same "
                "figure to it (a scan that finds more fails).");
    doc_table(d, heads);
    for (size_t i = 0; i < count; i++) {
        doc_row(d);
        doc_cell(d, "%.3s", list[i].key);
        doc_cell(d, "%s", number_digits(list[i].ulp, 4).text);
        doc_cell(d, "%zu", list[i].rows);
        if (list[i].scans)
            doc_cell(
                d, "at most %s in %zu builds",
                number_marked(number_decimals(list[i].found, 6), list[i].found, list[i].ulp).text,
                list[i].scans);
        else
            doc_cell(d, "none here: its file's word");
        doc_row_end(d);
    }
    doc_table_end(d);
}

void section_bounds(const struct report *r, struct doc *d)
{
    struct sheet *sheet = memory_new(sizeof *sheet);
    write_verdict(r, d);
    write_kernels(r, d, sheet);
    write_eps(r, d);
    write_all(r, d, sheet);
    free(sheet);
}
