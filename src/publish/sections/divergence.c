/* Who agrees bit for bit, from diverge.jsonl. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"

#include "publish/sections/sections.h"

enum { SHOWN = 20, QUESTIONS = 8 };
static const char *const questions[QUESTIONS] = {"run",  "threads", "row_position", "batch",
                                                 "tail", "isa",     "cc",           "policy"};

static size_t whole(const json_t *record, const char *key)
{
    return (size_t)json_integer_value(json_object_get(record, key));
}

static bool is_kind(const json_t *record, const char *kind)
{
    return !strcmp(record_text(record, "record"), kind);
}

static bool is_of(const json_t *record, const json_t *meaning)
{
    return !strcmp(record_text(record, "op"), record_text(meaning, "op")) &&
           !strcmp(record_text(record, "dtype"), record_text(meaning, "dtype"));
}

size_t divergence_records(const struct report *r)
{
    return json_array_size(r->results.diverge);
}

/* ---- The matrix ---------------------------------------------------------------------------------
 */

static int larger_first(const void *a, const void *b)
{
    const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
    size_t m = whole(x, "size"), n = whole(y, "size");
    if (m != n) return (m < n) - (m > n);
    return (whole(x, "class") > whole(y, "class")) - (whole(x, "class") < whole(y, "class"));
}

/* The pair records of an operation, by its classes. */
struct pairs {
    const json_t **of; /* [count][count] by class number */
    size_t count;
};

static void collect_pairs(const struct report *r, const json_t *meaning, struct pairs *p)
{
    size_t i;
    const json_t *record;
    char dtype[32]; /* f16 is in bf16 */
    snprintf(dtype, sizeof dtype, "/dtype=%s/", record_text(meaning, "dtype"));
    json_array_foreach(r->results.diverge, i, record)
    {
        size_t a = whole(record, "class_a"), b = whole(record, "class_b");
        if (!is_kind(record, "diverge") ||
            strcmp(record_text(record, "op"), record_text(meaning, "op")) || a >= p->count ||
            b >= p->count || !strstr(record_text(record, "a"), dtype))
            continue;
        p->of[a * p->count + b] = p->of[b * p->count + a] = record;
    }
}

/* Earlier versions counted fp32's steps between results of 16 bits. */
static bool is_in_other_steps(const json_t *pair)
{
    return !*record_text(pair, "unit") && !strstr(record_text(pair, "a"), "/dtype=f32/");
}

static void write_distance(struct doc *d, const json_t *pair)
{
    static const struct {
        double above;
        const char *shade;
    } shades[] = {{0.1, "d3"}, {0.01, "d2"}, {0, "d1"}, {-1, "d0"}};
    double share = json_number_value(json_object_get(pair, "mismatched"));
    double ulp = json_number_value(json_object_get(pair, "max_ulp_distance"));
    size_t k = 0;
    while (!(share > shades[k].above) && k + 1 < sizeof shades / sizeof *shades) k++;
    if (is_in_other_steps(pair))
        doc_shaded(d, shades[k].shade, "%.0f%%", ceil(100 * share));
    else
        doc_shaded(d, shades[k].shade, ulp < 10000 ? "%.0f%% %.0f" : "%.0f%% %.0e",
                   ceil(100 * share), ulp);
}

static void write_matrix(struct doc *d, const json_t *const *classes, size_t count,
                         const struct pairs *pairs)
{
    char numbers[SHOWN][24];
    const char *heads[SHOWN + 4] = {"class", "builds", "members"};
    for (size_t k = 0; k < count; k++) {
        snprintf(numbers[k], sizeof numbers[k], "%zu", k + 1);
        heads[3 + k] = numbers[k];
    }
    doc_table(d, heads);
    for (size_t a = 0; a < count; a++) {
        doc_row(d);
        doc_cell(d, "%zu", a + 1);
        doc_cell(d, "%zu", whole(classes[a], "size"));
        doc_cell(d, "%s", record_text(classes[a], "label"));
        for (size_t b = 0; b < a; b++) {
            const json_t *pair =
                pairs->of[whole(classes[a], "class") * pairs->count + whole(classes[b], "class")];
            if (pair)
                write_distance(d, pair);
            else
                doc_cell(d, " ");
        }
        doc_shaded(d, "d0", "=");
        doc_row_end(d);
    }
    doc_table_end(d);
}

static void write_classes(const struct report *r, struct doc *d, const json_t *meaning)
{
    size_t all = json_array_size(r->results.diverge), count = 0, i;
    const json_t **classes = memory_zeroed(all + 1, sizeof *classes), *record;
    struct pairs pairs = {.of = NULL};
    json_array_foreach(r->results.diverge, i, record)
    {
        if (!is_kind(record, "class") || !is_of(record, meaning)) continue;
        classes[count++] = record;
        if (whole(record, "class") + 1 > pairs.count) pairs.count = whole(record, "class") + 1;
    }
    if (pairs.count <= all)
        pairs.of = memory_zeroed(pairs.count * pairs.count + 1, sizeof *pairs.of);
    if (pairs.of && count) {
        qsort(classes, count, sizeof *classes, larger_first);
        collect_pairs(r, meaning, &pairs);
        write_matrix(d, classes, count < SHOWN ? count : SHOWN, &pairs);
        if (count > SHOWN)
            doc_text(d, "And %zu smaller classes: diverge.jsonl has their members.", count - SHOWN);
    }
    free(classes);
    free(pairs.of);
}

/* ---- What bits depend on ------------------------------------------------------------------------
 */

/* The answers of a kernel's builds, added up. */
struct answers {
    struct axes axes;
    size_t builds, died, yes[QUESTIONS], no[QUESTIONS];
};

static size_t add_up(const struct report *r, struct answers *kernels)
{
    size_t count = 0, i;
    const json_t *record;
    json_array_foreach(r->results.diverge, i, record)
    {
        struct axes a;
        if (!is_kind(record, "invariance") || !axes_parse(record_text(record, "id"), &a)) continue;
        size_t k = 0;
        while (k < count && !axes_same_kernel(&kernels[k].axes, &a)) k++;
        if (k == count) kernels[count++] = (struct answers){.axes = a};
        kernels[k].builds++;
        kernels[k].died += strcmp(record_text(record, "status"), "ok") != 0;
        for (size_t q = 0; q < QUESTIONS; q++) {
            const json_t *answer = json_object_get(record, questions[q]);
            kernels[k].yes[q] += json_is_true(answer);
            kernels[k].no[q] += json_is_false(answer);
        }
    }
    return count;
}

static bool depends_on_nothing(const struct answers *k)
{
    size_t no = k->died;
    for (size_t q = 0; q < QUESTIONS; q++) no += k->no[q];
    return !no && k->builds > 1;
}

static void write_sentence(struct doc *d, const struct answers *kernels, size_t count)
{
    char *words = NULL;
    size_t size = 0, steady = 0;
    FILE *out = memory_text(&words, &size);
    for (size_t k = 0; k < count; k++)
        if (depends_on_nothing(&kernels[k]))
            fprintf(out, "%s%s %s", steady++ ? ", " : "", kernels[k].axes.group,
                    kernels[k].axes.algorithm);
    memory_text_close(out);
    if (steady)
        doc_text(d, "The bits of %zu of %zu kernels depend on nothing that was asked: %s.", steady,
                 count, words);
    else
        doc_text(d, "The bits of each of the %zu kernels depend on something that was asked.",
                 count);
    free(words);
}

static void write_share(struct doc *d, size_t yes, size_t no)
{
    if (!(yes + no))
        doc_cell(d, "-");
    else if (!no)
        doc_shaded(d, "d0", "all");
    else
        doc_shaded(d, yes ? "d2" : "d3", "%zu of %zu", yes, yes + no);
}

static void write_answers(struct doc *d, const struct answers *k)
{
    doc_row(d);
    doc_cell(d, "%s", k->axes.op);
    doc_cell(d, "%s%s%s", k->axes.algorithm, strcmp(k->axes.dtype, "f32") ? " " : "",
             strcmp(k->axes.dtype, "f32") ? k->axes.dtype : "");
    doc_cell(d, "%zu", k->builds);
    for (size_t q = 0; q < QUESTIONS; q++) write_share(d, k->yes[q], k->no[q]);
    doc_row_end(d);
}

static void write_every_variant(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {
        "kernel", "ISA",  "compiler",  "policy",         "run again",    "threads", "row position",
        "batch",  "tail", "other ISA", "other compiler", "other policy", NULL};
    size_t i;
    const json_t *record;
    if (!doc_fold(d, "Every variant")) return;
    doc_table(d, heads);
    json_array_foreach(r->results.diverge, i, record)
    {
        struct axes a;
        if (!is_kind(record, "invariance") || !axes_parse(record_text(record, "id"), &a)) continue;
        doc_row(d);
        doc_cell(d, "%s %s %s", a.op, a.algorithm, a.dtype);
        doc_cell(d, "%s", a.isa);
        doc_cell(d, "%s", a.cc);
        doc_cell(d, "%s", a.policy);
        for (size_t q = 0; q < QUESTIONS; q++) {
            const json_t *answer = json_object_get(record, questions[q]);
            doc_cell(d, "%s", json_is_true(answer) ? "same" : json_is_false(answer) ? "no" : "-");
        }
        doc_row_end(d);
    }
    doc_table_end(d);
    doc_fold_end(d);
}

static void write_invariance(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"operation", "kernel",       "builds", "run again",
                                        "threads",   "row position", "batch",  "tail",
                                        "ISA",       "compiler",     "policy", NULL};
    struct answers *kernels =
        memory_zeroed(json_array_size(r->results.diverge) + 1, sizeof *kernels);
    size_t count = add_up(r, kernels);
    doc_heading(d, "Builds whose bits do not change with ..");
    write_sentence(d, kernels, count);
    doc_text(d, "Run again; on 1, 2 or many threads; at another place in memory; in another batch; "
                "equal values in the body and in the tail of a row (where results are per "
                "element); and against the builds that differ in the ISA, the compiler or the "
                "policy alone.");
    doc_table(d, heads);
    for (size_t k = 0; k < count; k++) write_answers(d, &kernels[k]);
    doc_table_end(d);
    write_every_variant(r, d);
    free(kernels);
}

void section_divergence(const struct report *r, struct doc *d)
{
    size_t i;
    const json_t *record;
    doc_text(
        d, "Variants on the same inputs, in classes of equal bits. A cell: the share of "
           "elements that differ between two classes, and the largest distance in ulp (0: zeros or "
           "NaNs that differ in their sign or payload alone).");
    json_array_foreach(r->results.diverge, i, record)
    {
        if (!is_kind(record, "meaning")) continue;
        char group[64];
        bool usual = !strcmp(record_text(record, "dtype"), "f32");
        snprintf(group, sizeof group, "%s%s%s", record_text(record, "op"), usual ? "" : " ",
                 usual ? "" : record_text(record, "dtype"));
        doc_heading(d, group);
        doc_text(d, "%s", record_text(record, "sentence"));
        write_classes(r, d, record);
    }
    write_invariance(r, d);
}
