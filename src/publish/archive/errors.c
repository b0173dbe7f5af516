/* The errors of a variant over all cells of a run, and one hash of all its bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "publish/archive/figures.h"
#include "publish/archive/files.h"
#include "publish/archive/names.h"
#include "publish/load/codes.h"

struct error_row {
    char id[VARIANT_ID_MAX];
    size_t order;
    const struct accuracy_result *row;
};

static int by_cell(const void *a, const void *b)
{
    const struct error_row *x = a, *y = b;
    int c = strcmp(x->id, y->id);
    if (!c) c = strcmp(x->row->family, y->row->family);
    if (!c) c = (x->row->n > y->row->n) - (x->row->n < y->row->n);
    return c ? c : (x->order > y->order) - (x->order < y->order);
}

static double larger(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

/* The rows of one variant. The two hashes are of the bits, and of which inputs they are from: bits
 * are compared where the inputs are the same. */
static int add_variant(struct archive_names *n, sqlite3_stmt *s, int64_t blob,
                       const struct error_row *rows, size_t count, struct error *e)
{
    double max = NAN, scaled = NAN, worst = NAN, mean = 0;
    size_t normal = 0, bits_size = 0, grid_size = 0;
    char *bits = NULL, *grid = NULL, bits_hash[HASH_MAX], grid_hash[HASH_MAX];
    bool hazard = false;
    int64_t variant;
    FILE *bits_text = memory_text(&bits, &bits_size), *grid_text = memory_text(&grid, &grid_size);
    for (size_t i = 0; i < count; i++) {
        const struct accuracy_result *a = rows[i].row;
        hazard |= a->hazard;
        worst = larger(worst, a->max_ulp);
        if (!strcmp(a->family, "normal") && !isnan(a->max_ulp)) {
            max = larger(max, a->max_ulp);
            scaled = larger(scaled, a->scaled_error);
            mean += (a->mean_ulp - mean) / (double)++normal;
        }
        fprintf(bits_text, "%s ", record_text(a->record, "bits"));
        fprintf(grid_text, "%s %zu %.0f %s;", a->family, a->n, record_number(a->record, "elements"),
                record_text(a->record, "inputs"));
    }
    memory_text_close(bits_text);
    memory_text_close(grid_text);
    kept_hash(bits, bits_size, bits_hash);
    kept_hash(grid, grid_size, grid_hash);
    free(bits);
    free(grid);
    int code = names_variant(n, &rows->row->axes, &variant, e);
    if (code) return code;
    lab_bind(s, "iiiiddddtt", blob, variant, (int64_t)count, (int64_t)hazard, max, scaled,
             normal ? mean : NAN, worst, bits_hash, grid_hash);
    return lab_step(n->l, s, e);
}

static int add_all(struct archive_names *n, sqlite3_stmt *s, int64_t blob, struct error_row *rows,
                   size_t count, struct error *e)
{
    int code = 0;
    qsort(rows, count, sizeof *rows, by_cell);
    for (size_t i = 0, end; i < count && !code; i = end) {
        for (end = i + 1; end < count && !strcmp(rows[end].id, rows[i].id);) end++;
        code = add_variant(n, s, blob, rows + i, end - i, e);
    }
    return code;
}

int figures_of_accuracy(const struct lab_db *l, int64_t blob, const struct results *r,
                        struct error *e)
{
    const size_t all = r->accuracy_count + r->peer_accuracy_count;
    struct error_row *rows = calloc(all + 1, sizeof *rows);
    struct archive_names n = {0};
    sqlite3_stmt *s = NULL;
    size_t count = 0;
    int code = rows ? names_open(&n, l, e)
                    : fail(e, EXIT_PARTIAL, "out of memory: %zu errors; free some", all);
    if (!code)
        code = lab_prepare(l,
                           "INSERT INTO errors(accuracy, variant, cells, hazard, max_ulp, max_u, "
                           "mean_ulp, worst_ulp, bits, grid) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                           &s, e);
    for (size_t i = 0; !code && i < all; i++) {
        const struct accuracy_result *a = &r->accuracies[i];
        if (!strcmp(a->status, "skipped") || !strcmp(a->status, "unbuilt")) continue;
        struct error_row *row = &rows[count++];
        variant_id(&a->axes, row->id);
        row->order = i;
        row->row = a;
    }
    if (!code) code = add_all(&n, s, blob, rows, count, e);
    sqlite3_finalize(s);
    names_close(&n);
    free(rows);
    return code;
}
