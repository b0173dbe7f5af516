/* Every fp32 input: what `ulplab scan` found of the unary functions, from scan.jsonl. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "publish/sections/sections.h"
#include "model/record.h"
#include "publish/load/whole_scan.h"
#include "publish/render/curve.h"

size_t scans_records(const struct report *r)
{
    size_t i, count = 0;
    const json_t *record;
    json_array_foreach(r->results.scan, i, record) count += scan_is_whole(record);
    return count;
}

/* All digits that a record has. */
static struct number_text exact_ulp(double ulp)
{
    return number_marked(number_decimals(ulp, 6), ulp, NAN);
}

static void write_row(struct doc *d, const json_t *record)
{
    const json_t *counts = json_object_get(record, "counts");
    struct error_facts facts = error_facts_of(record);
    struct axes a;
    if (!axes_parse(record_text(record, "id"), &a)) return;
    doc_row(d);
    doc_cell(d, "%s", a.op);
    doc_cell(d, "%s", a.algorithm);
    doc_cell(d, "%s %s %s", a.isa, a.cc, a.policy);
    doc_cell(d, "%s", exact_ulp(error_figure(record, "max_ulp")).text);
    if (json_is_object(counts))
        doc_cell(d, "%zu", facts.lost);
    else
        doc_cell(d, "-");
    doc_cell(d, "%s", record_text(record, "at"));
    doc_ulp(d, error_figure(record, "mean_ulp"));
    doc_cell(d, "%s", number_digits(record_number(record, "bias_ulp"), 3).text);
    doc_cell(d, "%s", number_decimals(100 * record_number(record, "misrounded"), 4).text);
    doc_cell(d, "%.0f / %.0f / %.0f / %.0f", record_number(counts, "nan"),
             record_number(counts, "inf"), record_number(counts, "sign"),
             record_number(counts, "flushed"));
    bool ok = !strcmp(record_text(record, "status"), "ok");
    doc_shaded(d, ok ? "" : "d3", "%s%s%s", record_text(record, "status"),
               *record_text(record, "reason") ? ": " : "", record_text(record, "reason"));
    doc_row_end(d);
}

static bool has_own_figures(const json_t *record)
{
    return scan_is_whole(record) && json_object_get(record, "binades");
}

/* ---- By binade --------------------------------------------------------------------------------
 */

enum { WIDTH = 512, HEIGHT = 90 };

/* Does an earlier scan have the same figures of every binade? Then it stands for both. */
static bool is_told(const struct report *r, size_t i)
{
    const json_t *own = json_array_get(r->results.scan, i), *other;
    for (size_t k = 0; k < i; k++) {
        other = json_array_get(r->results.scan, k);
        if (has_own_figures(other) &&
            json_equal(json_object_get(own, "binades"), json_object_get(other, "binades")))
            return true;
    }
    return false;
}

/* The ids of those that scan i stands for, its own first; the caller frees. */
static char *ids_of(const struct report *r, size_t i)
{
    const json_t *binades = json_object_get(json_array_get(r->results.scan, i), "binades"), *record;
    char *ids = NULL;
    size_t size = 0, k, count = 0;
    FILE *out = memory_text(&ids, &size);
    json_array_foreach(r->results.scan, k, record)
    {
        if (has_own_figures(record) && json_equal(json_object_get(record, "binades"), binades))
            fprintf(out, "%s%s", count++ ? ", " : "", record_text(record, "id"));
    }
    memory_text_close(out);
    return ids;
}

/* From -inf over the zeros to +inf, a binade two units wide: as the numbers are ordered. */
static double across(double from)
{
    double magnitude = from == 0 ? 0 : fmin(127 + fmax(logb(from), -126), 255);
    return WIDTH / 2 + (signbit(from) ? -magnitude - 1 : magnitude);
}

/* The largest errors by their logarithm, 2^-10 to 2^24 ulp. */
static double height_of(double ulp)
{
    double share = (log2(fmax(ulp, 0x1p-10)) + 10) / 34;
    return HEIGHT * (1 - fmin(share, 1));
}

static void write_curve(struct doc *d, const json_t *record, const char *ids)
{
    const json_t *binades = json_object_get(record, "binades"), *from;
    struct curve c;
    size_t i;
    curve_begin(&c, d->out, WIDTH, HEIGHT, "largest error by binade");
    curve_line(&c, "accent");
    json_array_foreach(json_object_get(binades, "from"), i, from)
    {
        double max = json_number_value(json_array_get(json_object_get(binades, "max_ulp"), i));
        const char *low = json_string_value(from);
        if (low) curve_point(&c, across(strtod(low, NULL)), height_of(max));
    }
    curve_end(&c, "%s: %s ulp at %s", ids, exact_ulp(record_number(record, "max_ulp")).text,
              record_text(record, "at"));
}

/* Neighbours that agree in two digits share a line. */
static bool alike(double a, double b)
{
    return fabs(a - b) <= 0.01 * fmax(fabs(a), fabs(b));
}

static double entry(const json_t *binades, const char *column, size_t i)
{
    const json_t *value = json_array_get(json_object_get(binades, column), i);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void write_binades(struct doc *d, const json_t *record, const char *ids)
{
    static const char *const heads[] = {"binades from", "to",           "max ulp", "at",
                                        "mean ulp",     "misrounded %", NULL};
    const json_t *binades = json_object_get(record, "binades");
    const json_t *from = json_object_get(binades, "from"), *at = json_object_get(binades, "at");
    size_t count = json_array_size(from);
    doc_heading(d, ids);
    doc_table(d, heads);
    for (size_t i = 0, end; i < count; i = end) {
        size_t worst = i;
        for (end = i + 1;
             end < count && alike(entry(binades, "max_ulp", i), entry(binades, "max_ulp", end)) &&
             alike(entry(binades, "misrounded", i), entry(binades, "misrounded", end));
             end++)
            if (entry(binades, "max_ulp", end) > entry(binades, "max_ulp", worst)) worst = end;
        doc_row(d);
        doc_cell(d, "%s", json_string_value(json_array_get(from, i)));
        doc_cell(d, "%s", json_string_value(json_array_get(from, end - 1)));
        doc_ulp(d, entry(binades, "max_ulp", worst));
        doc_cell(d, "%s", json_string_value(json_array_get(at, worst)));
        doc_ulp(d, entry(binades, "mean_ulp", worst));
        doc_number(d, 100 * entry(binades, "misrounded", worst));
        doc_row_end(d);
    }
    doc_table_end(d);
}

/* Scans of equal figures share a curve and a table. */
static void write_by_binade(const struct report *r, struct doc *d)
{
    const json_t *record;
    size_t i;
    if (!doc_fold(d, "By binade: the largest error of each power of two, inputs from -inf to inf"))
        return;
    json_array_foreach(r->results.scan, i, record)
    {
        if (!has_own_figures(record) || is_told(r, i)) continue;
        char *ids = ids_of(r, i);
        write_curve(d, record, ids);
        write_binades(d, record, ids);
        free(ids);
    }
    doc_fold_end(d);
}

static bool has_measure_1(const struct report *r)
{
    size_t i;
    const json_t *record;
    json_array_foreach(r->results.scan, i,
                       record) if (has_own_figures(record) &&
                                   error_facts_of(record).measure == 1) return true;
    return false;
}

void section_scans(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {
        "function", "kernel",   "build", "max ulp",      "lost",
        "at",       "mean ulp", "bias",  "misrounded %", "NaN / inf / sign / flushed to",
        "status",   NULL};
    size_t i;
    const json_t *record;
    doc_text(d,
             "ulplab scan: all 2^32 fp32 inputs, one line per machine code (builds of equal code "
             "have equal results and are left out). These are no samples: nothing is worse than "
             "max ulp. Lost are results without a distance to the exact value: NaN where a number "
             "is right or the reverse, an infinity where the exact value rounds to a number; max "
             "ulp is infinite then, and by binade it is that of the others.%s",
             has_measure_1(r)
                 ? " Records of measure 1 have zeros and wrong signs in counters alone: "
                   "they are in no figure of ulp."
                 : "");
    doc_table(d, heads);
    json_array_foreach(r->results.scan, i, record) if (has_own_figures(record))
        write_row(d, record);
    doc_table_end(d);
    write_other_builds(r, r->results.scan, d);
    write_by_binade(r, d);
}
