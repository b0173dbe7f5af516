#include "publish/analyse/vectors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/load/codes.h"
#include "publish/load/whole_scan.h"

const char *const vector_axes[VECTOR_AXES] = {"policy", "cc", "isa"};

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Scalar code first, then from the narrowest. */
static int isa_rank(const char *isa)
{
    return strcmp(isa, "scalar") != 0;
}

static int compare_rows(const void *a, const void *b)
{
    const struct axes *x = &((const struct vector_row *)a)->axes,
                      *y = &((const struct vector_row *)b)->axes;
    int order = strcmp(x->op, y->op);
    if (!order) order = strcmp(x->algorithm, y->algorithm);
    if (!order) order = isa_rank(x->isa) - isa_rank(y->isa);
    if (!order) order = strcmp(x->isa, y->isa);
    if (!order) order = strcmp(x->cc, y->cc);
    return order ? order : strcmp(x->policy, y->policy);
}

static struct vector_row row_of(const json_t *record, const struct axes *axes,
                                const struct summaries *summaries)
{
    const struct summary *known = summaries_find(summaries, axes);
    struct error_facts facts = error_facts_of(record);
    struct vector_row row = {.id = record_text(record, "id"),
                             .axes = *axes,
                             .record = record,
                             .max_ulp = error_figure(record, "max_ulp"),
                             .facts = facts,
                             .ns = NAN,
                             .own = json_is_null(json_object_get(record, "libraries")),
                             .hazard = json_is_true(json_object_get(record, "hazard")),
                             .wrong = strcmp(record_text(record, "status"), "ok") != 0};
    row.hazard |= known && known->hazard;
    row.candidate = known && !row.wrong && summary_is_advised(summaries, known);
    return row;
}

static void collect_rows(const struct results *r, const struct summaries *s, struct vectors *v)
{
    size_t i;
    const json_t *record;
    json_array_foreach(r->scan, i, record)
    {
        struct axes axes;
        if (scan_is_whole(record) && axes_parse(record_text(record, "id"), &axes) &&
            !strcmp(axes.dtype, "f32"))
            v->items[v->count++] = row_of(record, &axes, s);
    }
    qsort(v->items, v->count, sizeof *v->items, compare_rows);
}

/* ---- Times ----------------------------------------------------------------------------------- */

static bool is_wanted(const struct timing_result *t)
{
    return t->threads == 1 && !strcmp(t->residency, "L1") && timing_is_usable(t) &&
           t->ns_per_element > 0;
}

static void find_times(const struct results *r, struct vectors *v)
{
    for (size_t i = 0; i < r->timing_count; i++) {
        const struct timing_result *t = &r->timings[i];
        struct vector_row key = {.axes = t->axes};
        struct vector_row *row = !is_wanted(t) || strcmp(t->axes.dtype, "f32")
                                     ? NULL
                                     : bsearch(&key, v->items, v->count, sizeof key, compare_rows);
        if (!row || (row->time && row->time->n >= t->n)) continue;
        row->time = t;
        row->ns = t->ns_per_element;
    }
}

/* ---- Rows beside each other ------------------------------------------------------------------ */

static bool same_text(const struct vector_row *a, const struct vector_row *b, const char *key)
{
    const char *x = record_text(a->record, key), *y = record_text(b->record, key);
    return *x && !strcmp(x, y);
}

static void compare_builds(struct vector_row *row, const struct vector_row *other)
{
    for (size_t k = 0; k < VECTOR_AXES; k++) {
        if (!axes_differ_only_in(&row->axes, &other->axes, vector_axes[k]) ||
            !*record_text(row->record, "outputs") || !*record_text(other->record, "outputs"))
            continue;
        if (!same_text(row, other, "outputs"))
            row->depends[k] = DEPENDS;
        else if (row->depends[k] == DEPENDS_UNKNOWN)
            row->depends[k] = DEPENDS_NOT;
    }
}

static bool is_better(const struct vector_row *a, const struct vector_row *b)
{
    return a->ns <= b->ns && a->max_ulp <= b->max_ulp && (a->ns < b->ns || a->max_ulp < b->max_ulp);
}

static void compare_rivals(struct vector_row *row, const struct vector_row *other)
{
    if (!other->candidate || strcmp(row->axes.isa, other->axes.isa) != 0) return;
    if (is_better(other, row)) row->front = false;
    if (row->own && !other->own && other->ns < row->ns && other->max_ulp < row->max_ulp &&
        (!row->ahead || other->ns < row->ahead->ns))
        row->ahead = other;
}

/* Of one function, items[begin .. end). */
static void compare_function(struct vectors *v, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        struct vector_row *row = &v->items[i];
        row->same = i;
        row->front = row->candidate && !isnan(row->ns);
        for (size_t k = 0; k < VECTOR_AXES; k++) row->depends[k] = DEPENDS_UNKNOWN;
        for (size_t j = begin; j < end; j++) {
            const struct vector_row *other = &v->items[j];
            compare_rivals(row, other);
            if (i == j || strcmp(row->axes.algorithm, other->axes.algorithm) != 0) continue;
            compare_builds(row, other);
            if (j < row->same && !strcmp(row->axes.isa, other->axes.isa) &&
                same_text(row, other, "code_hash"))
                row->same = j;
        }
    }
}

int vectors_make(const struct results *r, const struct summaries *s, struct vectors *v,
                 struct error *e)
{
    *v = (struct vectors){.items = calloc(json_array_size(r->scan) + 1, sizeof *v->items)};
    if (!v->items) return fail(e, EXIT_PARTIAL, "report: scan.jsonl: out of memory; free some");
    collect_rows(r, s, v);
    find_times(r, v);
    for (size_t begin = 0, end; begin < v->count; begin = end) {
        for (end = begin + 1;
             end < v->count && !strcmp(v->items[end].axes.op, v->items[begin].axes.op);)
            end++;
        compare_function(v, begin, end);
    }
    return 0;
}

void vectors_free(struct vectors *v)
{
    free(v->items);
    *v = (struct vectors){.items = NULL};
}

/* ---- Versions -------------------------------------------------------------------------------- */

void vector_version(const struct vector_row *row, char *text, size_t size)
{
    static const struct {
        const char *algorithm, *library; /* the beginning of its name; as the record calls it */
    } libraries[] = {{"sleef", "SLEEF "},     {"glibc", "glibc "}, {"libmvec", "glibc "},
                     {"highway", "Highway "}, {"eigen", "Eigen "}, {"xsimd", "xsimd "}};
    const char *said = record_text(row->record, "libraries");
    text[0] = '\0';
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const char *begins = libraries[i].algorithm;
        const char *at = strstr(said, libraries[i].library);
        if (at && !strncmp(row->axes.algorithm, begins, strlen(begins)))
            snprintf(text, size, "%.*s", (int)strcspn(at, ","), at);
    }
}
