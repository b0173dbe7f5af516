/* How near the fastest variants come to what the machine allows, shape by shape, and what was
 * wanted of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/record.h"
#include "publish/sections/sections.h"
#include "publish/render/table.h"

/* ---- Operations by shapes -------------------------------------------------------------------- */

enum { PLACES_MAX = 64 };

/* What is a row of the table, and what a column. */
struct grid {
    const struct timing_result *shapes[PLACES_MAX];
    const struct field_cell *columns[PLACES_MAX];
    size_t shape_count, column_count;
};

static bool same_shape(const struct timing_result *a, const struct timing_result *b)
{
    return a->rows == b->rows && a->n == b->n;
}

static bool same_column(const struct field_cell *a, const struct field_cell *b)
{
    return !strcmp(a->isa, b->isa) && !strcmp(a->lab->axes.group, b->lab->axes.group);
}

static bool has_limit(const struct field_cell *c)
{
    return c->lab && !isnan(c->lab->percent_of_limit);
}

static void remember(struct grid *g, const struct field_cell *c)
{
    size_t s = 0, k = 0;
    while (s < g->shape_count && !same_shape(g->shapes[s], c->lab)) s++;
    while (k < g->column_count && !same_column(g->columns[k], c)) k++;
    if (s == g->shape_count && s < PLACES_MAX) g->shapes[g->shape_count++] = c->lab;
    if (k == g->column_count && k < PLACES_MAX) g->columns[g->column_count++] = c;
}

static int by_shape(const void *a, const void *b)
{
    return timing_by_size(*(const struct timing_result *const *)a,
                          *(const struct timing_result *const *)b);
}

static const struct timing_result *at(const struct field *f, const struct timing_result *shape,
                                      const struct field_cell *column)
{
    for (size_t i = 0; i < f->count; i++)
        if (has_limit(&f->cells[i]) && same_column(&f->cells[i], column) &&
            same_shape(f->cells[i].lab, shape))
            return f->cells[i].lab;
    return NULL;
}

/* "87 p": of its instructions; "92 m": of the bytes it has to move. */
static void write_share(struct doc *d, const struct timing_result *t)
{
    static const struct {
        double from;
        const char *shade;
    } shades[] = {{85, "heat h3"}, {65, "heat h2"}, {50, "heat h1"}, {0, "heat h0"}};
    if (!t) {
        doc_cell(d, "-");
        return;
    }
    size_t i = 0;
    while (i < 3 && t->percent_of_limit < shades[i].from) i++;
    doc_shaded(d, shades[i].shade, "%.0f %s", t->percent_of_limit,
               timing_moves_bytes(t) ? "m" : "p");
}

static void write_grid(const struct field *f, const struct grid *g, struct doc *d)
{
    char titles[PLACES_MAX][64];
    const char *heads[PLACES_MAX + 3] = {"rows x n", "in"};
    for (size_t k = 0; k < g->column_count; k++) {
        snprintf(titles[k], sizeof titles[k], "%s %s", g->columns[k]->lab->axes.group,
                 g->columns[k]->isa);
        heads[2 + k] = titles[k];
    }
    doc_table(d, heads);
    for (size_t s = 0; s < g->shape_count; s++) {
        doc_row(d);
        doc_cell(d, "%zux%zu", g->shapes[s]->rows, g->shapes[s]->n);
        doc_cell(d, "%s", g->shapes[s]->residency);
        for (size_t k = 0; k < g->column_count; k++)
            write_share(d, at(f, g->shapes[s], g->columns[k]));
        doc_row_end(d);
    }
    doc_table_end(d);
}

void reach_grid(const struct field *f, struct doc *d)
{
    struct grid g = {.shape_count = 0};
    for (size_t i = 0; i < f->count; i++)
        if (has_limit(&f->cells[i])) remember(&g, &f->cells[i]);
    qsort(g.shapes, g.shape_count, sizeof *g.shapes, by_shape);
    if (g.shape_count) write_grid(f, &g, d);
}

/* ---- Goals ------------------------------------------------------------------------- */

/* A share of the limit that every shape of a kind is to reach, in %; or, over the shapes `default`,
 * the geometric mean of the fastest rival's time over the lab's. */
static const struct goal {
    const char *op, *isa; /* isa NULL: each */
    enum { SHARE_OF_LENGTHS, SHARE_IN_MEMORY, FIELD_MEAN } what;
    enum rival_kind rival; /* of a mean */
    size_t from_n, to_n;
    double wanted;
} goals[] = {
    {"softmax", NULL, SHARE_OF_LENGTHS, .from_n = 512, .to_n = 2048, .wanted = 80},
    {"softmax", NULL, SHARE_OF_LENGTHS, .from_n = 8192, .to_n = 32768, .wanted = 65},
    {"softmax", NULL, SHARE_IN_MEMORY, .wanted = 85},
    {"logsumexp", NULL, SHARE_OF_LENGTHS, .from_n = 512, .to_n = 2048, .wanted = 80},
    {"logsumexp", NULL, SHARE_OF_LENGTHS, .from_n = 8192, .to_n = 32768, .wanted = 65},
    {"logsumexp", NULL, SHARE_IN_MEMORY, .wanted = 85},
    {"softmax", "avx2", FIELD_MEAN, RIVAL_LIBRARY, .wanted = 2.7},
    {"softmax", "avx512", FIELD_MEAN, RIVAL_LIBRARY, .wanted = 3.3},
    {"log_softmax", "avx2", FIELD_MEAN, RIVAL_LIBRARY, .wanted = 2.5},
    {"log_softmax", "avx512", FIELD_MEAN, RIVAL_LIBRARY, .wanted = 3},
    {"logsumexp", NULL, FIELD_MEAN, RIVAL_LIBRARY, .wanted = 8},
    {"layernorm", "avx2", FIELD_MEAN, RIVAL_LIBRARY, .wanted = 2.3},
    {"layernorm", "avx512", FIELD_MEAN, RIVAL_LIBRARY, .wanted = 2.5},
    {"rmsnorm", NULL, FIELD_MEAN, RIVAL_LIBRARY, .wanted = 3},
    {"moments", NULL, FIELD_MEAN, RIVAL_LIBRARY, .wanted = 2},
    {"moments", NULL, FIELD_MEAN, RIVAL_LOOP, .wanted = 2},
};

static bool is_meant(const struct goal *t, const struct field_cell *c, const char *isa)
{
    const char *shapes = c->lab ? field_shapes_of(c->lab) : "";
    if (!has_limit(c) || strcmp(c->isa, isa) || strcmp(c->lab->axes.group, t->op)) return false;
    if (t->what == SHARE_IN_MEMORY)
        return !strcmp(c->lab->residency, "DRAM") &&
               (!strcmp(shapes, "default") || !strcmp(shapes, "huge"));
    return !strcmp(shapes, "default") && c->lab->n >= t->from_n && c->lab->n <= t->to_n &&
           strcmp(c->lab->residency, "DRAM") != 0;
}

/* The cell that is farthest from its limit; NULL where none was timed. */
static const struct timing_result *least(const struct field *f, const struct goal *t,
                                         const char *isa)
{
    const struct timing_result *worst = NULL;
    for (size_t i = 0; i < f->count; i++)
        if (is_meant(t, &f->cells[i], isa) &&
            (!worst || f->cells[i].lab->percent_of_limit < worst->percent_of_limit))
            worst = f->cells[i].lab;
    return worst;
}

/* The same of the shortest sample, not the median: what a neighbour on the core leaves of a median
 * differs from run to run, and the limit itself is the fastest that was measured. */
static double share_of_shortest(const struct timing_result *t)
{
    return t->percent_of_limit * record_number(t->record, "ns_per_row") /
           record_number(t->record, "min");
}

static double least_of_shortest(const struct field *f, const struct goal *t, const char *isa)
{
    double least = NAN;
    for (size_t i = 0; i < f->count; i++)
        if (is_meant(t, &f->cells[i], isa)) least = fmin(least, share_of_shortest(f->cells[i].lab));
    return least;
}

struct answer {
    double reached, shortest; /* NAN: nothing was timed; no share of a limit */
    char what[64], where[48];
};

static struct answer answer_to(const struct field *f, const struct goal *t, const char *isa)
{
    struct answer a = {.reached = NAN, .shortest = NAN};
    if (t->what == FIELD_MEAN) {
        struct field_mean mean = field_mean_of(f, t->op, isa, t->rival);
        a.reached = mean.ratio;
        snprintf(a.what, sizeof a.what, "times the speed of the fastest %s",
                 t->rival == RIVAL_LIBRARY ? "library" : "plain loop");
        snprintf(a.where, sizeof a.where, "mean of %zu shapes", mean.shapes);
        return a;
    }
    const struct timing_result *worst = least(f, t, isa);
    if (t->what == SHARE_IN_MEMORY)
        snprintf(a.what, sizeof a.what, "%% of limit, in memory");
    else
        snprintf(a.what, sizeof a.what, "%% of limit, n %zu to %zu", t->from_n, t->to_n);
    if (!worst) return a;
    a.reached = worst->percent_of_limit;
    a.shortest = least_of_shortest(f, t, isa);
    snprintf(a.where, sizeof a.where, "least, at %zux%zu", worst->rows, worst->n);
    return a;
}

static bool write_goal(const struct field *f, const struct goal *t, const char *isa, struct doc *d)
{
    struct answer a = answer_to(f, t, isa);
    if (isnan(a.reached)) return false;
    if (!d) return true;
    bool met = a.reached >= t->wanted;
    doc_row(d);
    doc_cell(d, "%s", t->op);
    doc_cell(d, "%s", isa);
    doc_cell(d, "%s", a.what);
    doc_cell(d, "%s", number_decimals(t->wanted, t->what == FIELD_MEAN).text);
    doc_shaded(d, met ? "heat h3" : "heat h-2", "%s",
               number_decimals(a.reached, t->what == FIELD_MEAN ? 2 : 0).text);
    doc_cell(d, "%s", a.where);
    doc_cell(d, "%s", met ? "reached" : "missed");
    doc_cell(d, "%s", number_decimals(a.shortest, 0).text);
    doc_row_end(d);
    return true;
}

/* How many there are figures for; written where `d`. */
static size_t write_goals(const struct field *f, struct doc *d)
{
    static const char *const isas[] = {"avx2", "avx512"};
    size_t count = 0;
    for (size_t i = 0; i < sizeof goals / sizeof *goals; i++)
        for (size_t k = 0; k < 2; k++)
            if (!goals[i].isa || !strcmp(goals[i].isa, isas[k]))
                count += write_goal(f, &goals[i], isas[k], d);
    return count;
}

void reach_goals(const struct field *f, struct doc *d)
{
    static const char *const heads[] = {
        "operation", "ISA", "what", "wanted", "reached", "where", "", "by shortest samples", NULL};
    if (!write_goals(f, NULL)) return;
    doc_text(d,
             "Goals, of the shapes default and, in memory, huge; and the least share by "
             "shortest samples in place of medians, which a neighbour on a shared core lengthens "
             "in one run more than in another.");
    doc_table(d, heads);
    write_goals(f, d);
    doc_table_end(d);
}

/* ---- Both ------------------------------------------------------------------------------------ */

size_t reach_records(const struct report *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->results.timing_count; i++)
        count += !isnan(r->results.timings[i].percent_of_limit);
    return count;
}

void section_reach(const struct report *r, struct doc *d)
{
    doc_text(d,
             "Per shape, operation and ISA the fastest variant that keeps its promises, on one "
             "thread: the least time that the machine allows as %% of its own. p: the ports that "
             "its instructions need bind, m: the bytes that it has to read and write at the "
             "bandwidth of where they are. Which limit exactly, and the instructions per vector "
             "behind it, stand in the tables of the single shapes.");
    reach_grid(&r->field, d);
    reach_goals(&r->field, d);
}
