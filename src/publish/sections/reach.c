/* How near the fastest variants come to what the machine allows, shape by shape. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "publish/sections/sections.h"

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
