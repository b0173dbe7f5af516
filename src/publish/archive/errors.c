/* The errors of a variant over all cells of a run, and one hash of all its bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/archive/figures.h"
#include "publish/archive/names.h"

static int by_text(struct slice a, struct slice b)
{
    int c = memcmp(a.at, b.at, a.size < b.size ? a.size : b.size);
    return c ? c : (a.size > b.size) - (a.size < b.size);
}

/* A digest is of a variant's cells in this order. */
static int by_cell(const void *a, const void *b)
{
    const struct error_row *x = a, *y = b;
    int c = by_text(x->family, y->family);
    if (!c) c = (x->n > y->n) - (x->n < y->n);
    return c ? c : (x->order > y->order) - (x->order < y->order);
}

static double larger(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

static double mean_with(double mean, double value, size_t count)
{
    return isinf(mean) || isinf(value) ? INFINITY : mean + (value - mean) / (double)count;
}

/* Broken is worse than measured, and measured worse than kept. */
static enum row_verdict worse(enum row_verdict a, struct slice said)
{
    static const enum row_verdict order[] = {VERDICT_BROKEN, VERDICT_MEASURED, VERDICT_KEPT};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || slice_is(said, row_verdict_name(order[i]))) return order[i];
    return a;
}

static void sum_cell(struct error_sum *sum, const struct error_row *row, struct slice grid)
{
    sum->cells++;
    sum->hazard |= row->hazard;
    sum->worst = larger(sum->worst, row->max_ulp);
    sum->lost = larger(sum->lost, row->lost);
    sum->measure = larger(sum->measure, row->measure);
    sum->verdict = worse(sum->verdict, row->verdict);
    if (slice_is(row->family, "normal") && !isnan(row->max_ulp)) {
        sum->max = larger(sum->max, row->max_ulp);
        sum->scaled = larger(sum->scaled, row->scaled_error);
        sum->normal++;
        sum->mean = mean_with(sum->mean, row->mean_ulp, sum->normal);
    }
    kept_digest_add(&sum->bits, row->bits.at, row->bits.size);
    kept_digest_add(&sum->bits, " ", 1);
    kept_digest_add(&sum->grid, grid.at, grid.size);
}

void figures_sum(struct rows *r)
{
    struct error_sum *sums = r->error_sums = memory_zeroed(r->variants.count + 1, sizeof *sums);
    for (size_t i = 0; i < r->variants.count; i++)
        sums[i] = (struct error_sum){.max = NAN,
                                     .scaled = NAN,
                                     .worst = NAN,
                                     .lost = NAN,
                                     .measure = NAN,
                                     .verdict = VERDICT_COUNT,
                                     .bits = kept_digest_begin(),
                                     .grid = kept_digest_begin()};
    qsort(r->errors.items, r->errors.count, sizeof *r->errors.items, by_cell);
    for (size_t i = 0; i < r->errors.count; i++) {
        const struct error_row *row = &r->errors.items[i];
        char *grid = NULL;
        size_t size = 0;
        FILE *text = memory_text(&grid, &size);
        fprintf(text, "%.*s %zu %.0f %.*s;", (int)row->family.size, row->family.at, row->n,
                row->elements, (int)row->inputs.size, row->inputs.at);
        /* Errors of different measures are no more comparable than those of different inputs. */
        if (row->measure > 1) fprintf(text, " measure %.0f;", row->measure);
        memory_text_close(text);
        for (size_t v = 0; v < row->count_of; v++)
            sum_cell(&sums[r->error_variants.items[row->first_of + v]], row,
                     (struct slice){grid, size});
        free(grid);
    }
}

static int add_sum(struct archive_names *n, sqlite3_stmt *s, int64_t blob, struct named_variant *v,
                   const struct error_sum *sum, struct error *e)
{
    char bits[HASH_MAX], grid[HASH_MAX];
    int64_t variant;
    int code = names_variant(n, v, &variant, e);
    if (code) return code;
    kept_digest_text(&sum->bits, bits);
    kept_digest_text(&sum->grid, grid);
    lab_bind(s, "iiiiddddttddt", blob, variant, (int64_t)sum->cells, (int64_t)sum->hazard, sum->max,
             sum->scaled, sum->normal ? sum->mean : NAN, sum->worst, bits, grid, sum->lost,
             sum->measure, sum->verdict < VERDICT_COUNT ? row_verdict_name(sum->verdict) : NULL);
    return lab_step(n->l, s, e);
}

int figures_of_accuracy(const struct lab_db *l, int64_t blob, struct rows *r, struct error *e)
{
    struct archive_names n = {0};
    sqlite3_stmt *s = NULL;
    int code = names_open(&n, l, e);
    if (code) return code;
    code = lab_prepare(l,
                       "INSERT OR REPLACE INTO errors(accuracy, variant, cells, hazard, max_ulp, "
                       "max_u, mean_ulp, worst_ulp, bits, grid, lost, measure, verdict) "
                       "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                       &s, e);
    for (size_t i = 0; i < r->variants.count && !code; i++)
        if (r->error_sums[i].cells)
            code = add_sum(&n, s, blob, &r->variants.items[i], &r->error_sums[i], e);
    sqlite3_finalize(s);
    names_close(&n);
    return code;
}
