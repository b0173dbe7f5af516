/* All cores beside one, cell by cell; and which way a kernel goes with a job, by what it asks of
 * the job's sizes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/registry.h"
#include "model/record.h"
#include "publish/sections/evidence.h"

static bool moves_bytes(const struct timing_result *t)
{
    return !strncmp(t->limit, "load-", 5) || !strncmp(t->limit, "copy-", 5);
}

static int by_cell(const void *a, const void *b)
{
    const struct timing_result *x = *(const struct timing_result *const *)a;
    const struct timing_result *y = *(const struct timing_result *const *)b;
    int c = strcmp(x->axes.group, y->axes.group);
    if (!c) c = strcmp(x->axes.isa, y->axes.isa);
    if (!c) c = (x->rows * x->n > y->rows * y->n) - (x->rows * x->n < y->rows * y->n);
    if (!c) c = (x->n > y->n) - (x->n < y->n);
    if (!c) c = (x->threads > y->threads) - (x->threads < y->threads);
    if (!c) c = (x->ns_per_element > y->ns_per_element) - (x->ns_per_element < y->ns_per_element);
    return c;
}

/* Of the lab's timings those that `wants`, in order; the caller frees. */
static const struct timing_result **chosen(const struct evidence *e, size_t *count,
                                           bool (*wants)(const struct evidence *,
                                                         const struct timing_result *))
{
    const struct timing_result **all = calloc(e->r->timing_count + 1, sizeof(void *));
    *count = 0;
    for (size_t i = 0; all && i < e->r->timing_count; i++)
        if (wants(e, &e->r->timings[i])) all[(*count)++] = &e->r->timings[i];
    if (all) qsort(all, *count, sizeof *all, by_cell);
    return all;
}

static size_t count_of(const struct evidence *e,
                       bool (*wants)(const struct evidence *, const struct timing_result *))
{
    size_t count;
    free(chosen(e, &count, wants));
    return count;
}

static bool same_place(const struct timing_result *a, const struct timing_result *b)
{
    return a && !strcmp(a->axes.group, b->axes.group) && !strcmp(a->axes.isa, b->axes.isa) &&
           a->rows == b->rows && a->n == b->n && a->threads == b->threads;
}

/* ---- All cores ------------------------------------------------------------------------------- */

static const double wanted_efficiency = 0.9;

/* Right, no hazard, and under a policy that promises something. */
static bool is_sound(const struct evidence *e, const struct timing_result *t)
{
    const struct summary *s = summaries_find(e->s, &t->axes);
    return t->ns_per_element > 0 && !strcmp(t->status, "ok") && !strcmp(t->family, "normal") && s &&
           !s->hazard && !s->wrong && policy_promises(t->axes.policy) != PROMISES_NOTHING;
}

static bool is_team(const struct evidence *e, const struct timing_result *t)
{
    return t->threads > 1 && is_sound(e, t) && !isnan(record_number(t->record, "efficiency"));
}

size_t cores_records(const struct evidence *e)
{
    return count_of(e, is_team);
}

static void write_team(const struct doc *d, const struct timing_result *t)
{
    double efficiency = record_number(t->record, "efficiency");
    bool short_of = record_number(t->record, "efficiency_high") < wanted_efficiency;
    doc_row(d);
    doc_cell(d, "%s", t->axes.group);
    doc_cell(d, "%s", t->axes.isa);
    doc_cell(d, "%zux%zu", t->rows, t->n);
    doc_cell(d, "%s", t->residency);
    doc_cell(d, "%s %s %s", t->axes.algorithm, t->axes.cc, t->axes.policy);
    doc_cell(d, "%zu", t->threads);
    doc_cell(d, "%s", record_text(t->record, "team"));
    doc_cell(d, "%.4f [%.4f, %.4f]", t->ns_per_element, t->low, t->high);
    doc_shaded(d, short_of && !moves_bytes(t) ? "d2" : "", "%.2f [%.2f, %.2f]", efficiency,
               record_number(t->record, "efficiency_low"),
               record_number(t->record, "efficiency_high"));
    doc_cell(d, "%s", t->limit);
    doc_row_end(d);
}

void cores_write(const struct evidence *e, const struct doc *d)
{
    static const char *const heads[] = {"operation",  "ISA",     "rows x n", "in",
                                        "kernel",     "threads", "shared",   "ns/element",
                                        "efficiency", "binds",   NULL};
    size_t count, moving = 0, well = 0, touching = 0, all = 0;
    const struct timing_result **teams = chosen(e, &count, is_team), *last = NULL;
    if (!teams) return;
    for (size_t i = 0; i < count; i++) {
        if (same_place(last, teams[i])) continue;
        last = teams[i];
        all++;
        if (moves_bytes(last)) {
            moving++;
            continue;
        }
        well += record_number(last->record, "efficiency") >= wanted_efficiency;
        touching += record_number(last->record, "efficiency_high") >= wanted_efficiency;
    }
    doc_text(
        d,
        "The time of one thread over N times that of N, one to a core: of the fastest kernel "
        "that keeps its promises, per operation, ISA and shape. Where a shape is every core's "
        "own, one core has its share of it. Shared: rows are, or one row is (to the bits of one "
        "thread), or some thread had none. The team is awake before the clock starts; what "
        "threads wait for each other within a row is in the time. Of %zu cells %zu are limited "
        "by bytes, which cores share; of the others %zu reach %.1f, and the intervals of %zu do.",
        all, moving, well, wanted_efficiency, touching);
    doc_table(d, heads);
    for (size_t i = 0; i < count; i++)
        if (!i || !same_place(teams[i - 1], teams[i])) write_team(d, teams[i]);
    doc_table_end(d);
    free(teams);
}

/* ---- Which way rows go ----------------------------------------------------------------------- */

static bool is_best(const struct timing_result *t)
{
    return !strcmp(t->axes.algorithm, "best");
}

/* Was a kernel of the operation timed that is called `best`? The others that choose are it, too. */
static bool has_best(const struct evidence *e, const char *op)
{
    for (size_t i = 0; i < e->r->timing_count; i++)
        if (is_best(&e->r->timings[i]) && !strcmp(e->r->timings[i].axes.group, op)) return true;
    return false;
}

static bool says_ways(const struct evidence *e, const struct timing_result *t)
{
    return t->threads == 1 && is_sound(e, t) && (is_best(t) || !has_best(e, t->axes.group)) &&
           json_array_size(json_object_get(t->record, "ways")) > 0;
}

size_t ways_records(const struct evidence *e)
{
    return count_of(e, says_ways);
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
static void write_taken(const struct doc *d, const json_t *ways)
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
static void write_why(const struct doc *d, const json_t *ways)
{
    char *text = NULL;
    size_t size = 0, i;
    json_t *way;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
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
    fclose(out);
    doc_cell(d, "%s", text);
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

static void legend_write(const struct legend *l, const struct doc *d)
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
        doc_cell(d, "%s", record_text(way, "why"));
        doc_row_end(d);
    }
    doc_table_end(d);
}

void ways_write(const struct evidence *e, const struct doc *d)
{
    static const char *const heads[] = {"operation", "ISA",        "rows x n", "in", "kernel",
                                        "way",       "ns/element", "why",      NULL};
    size_t count;
    const struct timing_result **cells = chosen(e, &count, says_ways);
    if (!cells) return;
    struct legend legend = {.count = 0};
    for (size_t i = 0; i < count; i++)
        legend_add(&legend, json_object_get(cells[i]->record, "ways"));
    doc_text(d, "Kernels that choose by shape ask the questions of a table (simd/invariant.h), all "
                "those about a way before they take it; its limits are what this machine's caches "
                "were measured to hold. The bits are the same whichever way rows go.");
    legend_write(&legend, d);
    doc_text(d, "What they answer, of the fastest such kernel at each shape on one thread: of the "
                "questions about one way the one that decided.");
    doc_table(d, heads);
    for (size_t i = 0; i < count; i++) {
        const struct timing_result *t = cells[i];
        if (i && same_place(cells[i - 1], t)) continue;
        const json_t *ways = json_object_get(t->record, "ways");
        doc_row(d);
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
