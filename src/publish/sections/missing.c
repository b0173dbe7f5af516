/* Nothing is silently missing: what did not run, what fell, and why. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/sections/sections.h"

enum { REASONS_MAX = 200 };

/* Rows that are not ok, alike in what became of them and why. */
struct reason {
    const char *status, *why, *example;
    size_t rows;
};

/* Returns how many reasons there are then; a reason beyond REASONS_MAX is not listed. */
static size_t add_reason(struct reason *reasons, size_t count, const json_t *record)
{
    const char *status = record_text(record, "status"), *why = record_text(record, "reason");
    size_t i = 0;
    while (i < count && (strcmp(reasons[i].status, status) || strcmp(reasons[i].why, why))) i++;
    if (i == REASONS_MAX) return count;
    if (i == count) reasons[count++] = (struct reason){status, why, record_text(record, "id"), 0};
    reasons[i].rows++;
    return count;
}

static void write_reasons(struct doc *d, const struct reason *reasons, size_t count)
{
    static const char *const heads[] = {"status", "rows", "why", "for example", NULL};
    doc_table(d, heads);
    for (size_t i = 0; i < count; i++) {
        doc_row(d);
        doc_cell(d, "%s", reasons[i].status);
        doc_cell(d, "%zu", reasons[i].rows);
        doc_words(d, "%s", *reasons[i].why ? reasons[i].why : "the record does not say");
        doc_words(d, "`%s`", reasons[i].example);
        doc_row_end(d);
    }
    doc_table_end(d);
    if (count == REASONS_MAX)
        doc_text(d, "The first %d reasons; all are in the .jsonl files.", REASONS_MAX);
}

/* What a run that was asked for nothing in particular did not look at. */
static void write_gaps(const json_t *gaps, struct doc *d)
{
    static const char *const heads[] = {"not looked at", "variants", "how to ask for it", NULL};
    size_t i;
    json_t *gap;
    if (!json_array_size(gaps)) return;
    doc_table(d, heads);
    json_array_foreach((json_t *)(uintptr_t)gaps, i, gap)
    {
        const char *values = record_text(gap, "values"), *ask = record_text(gap, "ask");
        doc_row(d);
        doc_words(d, "%s%s%s", record_text(gap, "what"), *values ? "=" : "", values);
        doc_number(d, record_number(gap, "variants"));
        if (*ask)
            doc_words(d, "`%s`", ask);
        else
            doc_words(d, "this CPU cannot run them; `make` builds them");
        doc_row_end(d);
    }
    doc_table_end(d);
}

void section_missing(const struct report *r, struct doc *d)
{
    struct reason reasons[REASONS_MAX];
    size_t count = 0, all = 0, bad = 0;
    const json_t *record;
    for (; (record = results_answered(&r->results, all)); all++) {
        if (!strcmp(record_text(record, "status"), "ok")) continue;
        bad++;
        count = add_reason(reasons, count, record);
    }
    doc_text(d, "%zu rows, %zu of them not `ok`.", all, bad);
    if (record_run_is_cut(r->results.machine))
        doc_text(d, "This run did not end: rows that it had not measured yet are not here at all.");
    if (count) write_reasons(d, reasons, count);
    write_gaps(json_object_get(r->results.machine, "not_looked_at"), d);
}
