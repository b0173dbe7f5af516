/* Which way a kernel goes with a job, by what it asks of the job's sizes. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "publish/sections/chosen.h"
#include "publish/sections/sections.h"

static bool is_best(const struct timing_result *t)
{
    return !strcmp(t->axes.algorithm, "best");
}

/* Was a kernel of the operation timed that is called `best`? The others that choose are it, too. */
static bool has_best(const struct report *r, const char *op)
{
    for (size_t i = 0; i < r->results.timing_count; i++)
        if (is_best(&r->results.timings[i]) && !strcmp(r->results.timings[i].axes.group, op))
            return true;
    return false;
}

static bool says_ways(const struct report *r, const struct timing_result *t)
{
    return t->threads == 1 && timing_is_sound(r, t) &&
           (is_best(t) || !has_best(r, t->axes.group)) &&
           json_array_size(json_object_get(t->record, "ways")) > 0;
}

size_t ways_records(const struct report *r)
{
    return timings_count(r, says_ways);
}

/* "32 MiB", "4096 elements". */
static void quantity(char *text, size_t size, double value, const char *unit)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    size_t u = 0;
    if (strcmp(unit, "bytes") != 0) {
        snprintf(text, size, "%.0f %s", value, unit);
        return;
    }
    for (; u < 3 && value >= 1024; u++) value /= 1024;
    snprintf(text, size, "%.4g %s", value, units[u]);
}

static bool is_taken(const json_t *way)
{
    return json_is_true(json_object_get(way, "taken"));
}

/* Of the questions about one way the last one asked decides. */
static bool decides(const json_t *ways, size_t i)
{
    const json_t *next = json_array_get(ways, i + 1);
    return !next ||
           strcmp(record_text(json_array_get(ways, i), "way"), record_text(next, "way")) != 0;
}

/* "streamed", "together", "streamed, by turns", .., or row by row. */
static void write_taken(struct doc *d, const json_t *ways)
{
    char text[160] = "";
    size_t i;
    json_t *way;
    json_array_foreach((json_t *)ways, i, way)
    {
        size_t used = strlen(text);
        if (decides(ways, i) && is_taken(way))
            snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                     record_text(way, "way"));
    }
    doc_cell(d, "%s", *text ? text : "row by row");
}

/* "streamed: 128 MiB of x and y, beyond 32 MiB (the last level); not together: ..". */
static void write_why(struct doc *d, const json_t *ways)
{
    char *text = NULL;
    size_t size = 0, i;
    json_t *way;
    FILE *out = memory_text(&text, &size);
    json_array_foreach((json_t *)ways, i, way)
    {
        char have[40], limit[40];
        const char *what = record_text(way, "what"), *unit = record_text(way, "unit");
        if (!decides(ways, i)) continue;
        quantity(have, sizeof have, record_number(way, "have"), unit);
        quantity(limit, sizeof limit, record_number(way, "limit"), unit);
        bool counted = !strcmp(what, unit);
        fprintf(out, "%s%s%s: %s%s%s, %s %s (%s)", ftell(out) ? "; " : "",
                is_taken(way) ? "" : "not ", record_text(way, "way"), have, counted ? "" : " of ",
                counted ? "" : what,
                record_number(way, "have") > record_number(way, "limit") ? "beyond" : "within",
                limit, record_text(way, "where"));
    }
    memory_text_close(out);
    doc_words(d, "%s", text);
    free(text);
}

/* Each question that some kernel asks, once. */
struct legend {
    const json_t *ways[32];
    size_t count;
};
static void legend_add(struct legend *l, const json_t *ways)
{
    size_t i, k;
    json_t *way;
    json_array_foreach((json_t *)ways, i, way)
    {
        for (k = 0; k < l->count; k++)
            if (!strcmp(record_text(l->ways[k], "why"), record_text(way, "why")) &&
                !strcmp(record_text(l->ways[k], "way"), record_text(way, "way")))
                break;
        if (k == l->count && k < sizeof l->ways / sizeof *l->ways) l->ways[l->count++] = way;
    }
}

static void legend_write(const struct legend *l, struct doc *d)
{
    static const char *const heads[] = {"way", "taken where", "because", NULL};
    doc_table(d, heads);
    for (size_t k = 0; k < l->count; k++) {
        const json_t *way = l->ways[k];
        char limit[40];
        quantity(limit, sizeof limit, record_number(way, "limit"), record_text(way, "unit"));
        bool beyond = json_is_true(json_object_get(way, "beyond"));
        doc_row(d);
        doc_cell(d, "%s", record_text(way, "way"));
        doc_cell(d, "%s %s %s (here %s)", record_text(way, "what"), beyond ? "beyond" : "within",
                 record_text(way, "where"), limit);
        doc_words(d, "%s", record_text(way, "why"));
        doc_row_end(d);
    }
    doc_table_end(d);
}

void section_ways(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"operation", "ISA",        "rows x n", "in", "kernel",
                                        "way",       "ns/element", "why",      NULL};
    size_t count;
    const struct timing_result **cells = timings_chosen(r, says_ways, &count);
    if (!cells) return;
    struct legend legend = {.count = 0};
    for (size_t i = 0; i < count; i++)
        legend_add(&legend, json_object_get(cells[i]->record, "ways"));
    doc_text(d,
             "Kernels that choose by shape do so by the conditions of a table "
             "(simd/invariant/dispatch.h). All conditions of a way must hold before it is taken; "
             "limits are what this machine's caches were measured to hold. The bits are the "
             "same whichever way rows go.");
    legend_write(&legend, d);
    doc_text(d, "The choices of the fastest such kernel at each shape on one thread: of the "
                "conditions of one way, the one that decided.");
    doc_table(d, heads);
    for (size_t i = 0; i < count; i++) {
        const struct timing_result *t = cells[i];
        if (i && timings_share_row(cells[i - 1], t)) continue;
        const json_t *ways = json_object_get(t->record, "ways");
        doc_row_of(d, t->axes.group, NULL);
        doc_cell(d, "%s", t->axes.group);
        doc_cell(d, "%s", t->axes.isa);
        doc_cell(d, "%zux%zu", t->rows, t->n);
        doc_cell(d, "%s", t->residency);
        doc_cell(d, "%s %s %s", t->axes.algorithm, t->axes.cc, t->axes.policy);
        write_taken(d, ways);
        doc_cell(d, "%.4f", t->ns_per_element);
        write_why(d, ways);
        doc_row_end(d);
    }
    doc_table_end(d);
    free(cells);
}
