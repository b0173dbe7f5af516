#include "publish/export/summary_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "publish/analyse/choice.h"
#include "publish/analyse/identical.h"
#include "publish/analyse/pairs.h"
#include "publish/analyse/summary.h"
#include "publish/load/origin.h"

#define ROW_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(5))

/* ---- Places: an operation, its storage type, an ISA and a shape --------------------------------
 */

struct place_row {
    const struct timing_result *first;                        /* any of the place */
    const struct timing_result *fastest, *accurate, *library; /* NULL: none */
    const char *isa;
};

struct summary_rows {
    const struct results *r;
    struct summaries variants;
    struct place_row *items;
    size_t count;
};

/* In error_unit(); NAN where it was not measured. */
static double error_of(const struct summary_rows *s, const struct timing_result *t)
{
    const struct summary *v = t ? summaries_find(&s->variants, &t->axes) : NULL;
    return v ? v->error : NAN;
}

static struct place_row *place_of(struct summary_rows *s, const struct timing_result *t,
                                  const char *isa)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct timing_result *have = s->items[i].first;
        if (have->rows == t->rows && have->n == t->n && have->threads == t->threads &&
            !strcmp(have->axes.group, t->axes.group) && !strcmp(s->items[i].isa, isa))
            return &s->items[i];
    }
    s->items[s->count] = (struct place_row){.first = t, .isa = isa};
    return &s->items[s->count++];
}

static bool is_faster(const struct timing_result *t, const struct timing_result *than)
{
    return !than || t->ns_per_element < than->ns_per_element;
}

static bool is_more_conservative(const struct timing_result *t, const struct timing_result *than)
{
    int mine = policy_rank(t->axes.policy), other = policy_rank(than->axes.policy);
    return mine < other || (mine == other && strcmp(record_text(t->record, "id"),
                                                    record_text(than->record, "id")) < 0);
}

/* Between equal errors time does not decide: the name would change from run to run. */
static bool is_more_accurate(const struct summary_rows *s, const struct timing_result *t,
                             const struct timing_result *than)
{
    double mine = error_of(s, t), other = error_of(s, than);
    if (isnan(mine)) return false;
    return isnan(other) || mine < other || (mine == other && is_more_conservative(t, than));
}

static void add_timing(struct summary_rows *s, const struct timing_result *t)
{
    if (!timing_is_usable(t)) return;
    if (axes_are_of_library(&t->axes)) {
        struct place_row *place = place_of(s, t, library_isa(s->r, t));
        if (is_faster(t, place->library)) place->library = t;
    } else if (timing_keeps_promises(&s->variants, t)) {
        struct place_row *place = place_of(s, t, t->axes.isa);
        if (!timing_is_advised(&s->variants, t)) return;
        if (is_faster(t, place->fastest)) place->fastest = t;
        if (is_more_accurate(s, t, place->accurate)) place->accurate = t;
    }
}

static int by_place(const void *a, const void *b)
{
    const struct place_row *x = a, *y = b;
    const struct timing_result *s = x->first, *t = y->first;
    int c = strcmp(s->axes.group, t->axes.group);
    if (!c) c = strcmp(x->isa, y->isa);
    if (!c) c = (s->rows * s->n > t->rows * t->n) - (s->rows * s->n < t->rows * t->n);
    if (!c) c = (s->n > t->n) - (s->n < t->n);
    return c ? c : (s->threads > t->threads) - (s->threads < t->threads);
}

static void rows_free(struct summary_rows *s)
{
    free(s->items);
    summaries_free(&s->variants);
}

static int rows_make(const struct results *r, struct summary_rows *s, struct error *e)
{
    size_t all = r->timing_count + r->peer_timing_count;
    *s = (struct summary_rows){.r = r, .items = calloc(all + 1, sizeof *s->items)};
    int code =
        s->items ? 0 : fail(e, EXIT_PARTIAL, "out of memory: summary: %zu rows; free some", all);
    if (!code) code = summaries_make(r, advice_bar, &s->variants, e);
    for (size_t i = 0; !code && i < all; i++) add_timing(s, &r->timings[i]);
    if (code)
        rows_free(s);
    else
        qsort(s->items, s->count, sizeof *s->items, by_place);
    return code;
}

/* ---- JSON -------------------------------------------------------------------------------------
 */

static json_t *variant_name(const struct timing_result *t)
{
    return t ? json_sprintf("%s %s %s", t->axes.algorithm, t->axes.cc, t->axes.policy)
             : json_null();
}

static json_t *library_name(const struct timing_result *t)
{
    bool prefixed = t && !strncmp(t->axes.algorithm, "peer-", 5);
    return t ? json_string(t->axes.algorithm + (prefixed ? 5 : 0)) : json_null();
}

static json_t *library_part(const struct timing_result *lab, const struct timing_result *library)
{
    double time = library ? library->ns_per_element : NAN;
    struct ratio r = {.value = NAN, .low = NAN, .high = NAN};
    if (lab && library) r = pair_ratio(lab, library);
    json_t *part =
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "library", library_name(library),
                  "library_ns_per_element", record_real(time), "ratio", record_real(r.value),
                  "ratio_low", record_real(r.low), "ratio_high", record_real(r.high));
    const char *flag = lab && library          ? pair_flag(lab, library)
                       : lab && lab->two_modes ? "two-modes"
                                               : "";
    if (flag[0]) json_object_set_new(part, "flags", json_pack("[s]", flag));
    return part;
}

static json_t *row_json(const struct summary_rows *s, const struct place_row *p)
{
    const struct axes *a = &p->first->axes;
    const struct timing_result *t = p->fastest;
    json_t *row = json_pack("{s:s%, s:s, s:s, s:I, s:I, s:I, s:s}", "op", a->group,
                            strcspn(a->group, " "), "dtype", a->dtype, "isa", p->isa, "rows",
                            (json_int_t)p->first->rows, "n", (json_int_t)p->first->n, "threads",
                            (json_int_t)p->first->threads, "residency", p->first->residency);
    json_t *rest =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:s?, s:o, s:s, s:o, s:o}", "fastest", variant_name(t),
                  "ns_per_element", record_real(t ? t->ns_per_element : NAN), "ci_low",
                  record_real(t ? t->low : NAN), "ci_high", record_real(t ? t->high : NAN),
                  "percent_of_limit", record_real(t ? t->percent_of_limit : NAN), "limit",
                  t && t->limit[0] ? t->limit : NULL, "max_error", record_real(error_of(s, t)),
                  "unit", error_unit(s->r, a->group), "most_accurate", variant_name(p->accurate),
                  "least_error", record_real(error_of(s, p->accurate)));
    json_t *library = library_part(t, p->library);
    json_object_update(row, rest);
    json_object_update(row, library);
    json_decref(rest);
    json_decref(library);
    return row;
}

static bool write_row(const struct summary_rows *s, size_t i, FILE *out)
{
    json_t *row = row_json(s, &s->items[i]);
    bool good = row && json_dumpf(row, out, ROW_FLAGS) == 0;
    json_decref(row);
    fputs(i + 1 < s->count ? ",\n" : "\n", out);
    return good;
}

int summary_text(const struct results *r, char **text, size_t *size, struct error *e)
{
    struct summary_rows s;
    struct origin o = origin_of(r);
    *text = NULL;
    struct identical same;
    int code = identical_measure(r, &same, e);
    if (!code) code = rows_make(r, &s, e);
    if (code) return code;
    json_t *head = json_pack("{s:i, s:s, s:s, s:s, s:f, s:o}", "schema", 1, "machine", o.slug,
                             "version", o.version, "commit", o.commit, "bar", s.variants.bar,
                             "identical_code", identical_record(&same));
    char *begin = json_dumps(head, JSON_COMPACT);
    FILE *out = memory_text(text, size);
    bool good = begin != NULL;
    /* The head's closing brace makes room for the rows, each on a line of its own. */
    if (good) fprintf(out, "%.*s,\"rows\":[\n", (int)strlen(begin) - 1, begin);
    for (size_t i = 0; good && i < s.count; i++) good = write_row(&s, i, out);
    if (good) fputs("]}\n", out);
    memory_text_close(out);
    if (!good) code = fail(e, EXIT_PARTIAL, "out of memory: summary; free some");
    free(begin);
    json_decref(head);
    rows_free(&s);
    return code;
}

int summary_write(const char *folder, struct error *e)
{
    struct results r;
    char path[1100], *text = NULL;
    size_t size = 0;
    int code = results_read(folder, &r, e);
    if (code) return code;
    snprintf(path, sizeof path, "%s/summary.json", folder);
    code = summary_text(&r, &text, &size, e);
    if (!code) code = file_write_atomic(path, text, size, e);
    free(text);
    results_free(&r);
    return code;
}
