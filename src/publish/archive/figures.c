#include "publish/archive/figures.h"

#include "publish/archive/names.h"

/* ---- Of the run --------------------------------------------------------------------------------
 */

static int add_cell(struct archive_names *n, sqlite3_stmt *s, int64_t run, struct rows *r,
                    const struct cell_row *c, struct error *e)
{
    int64_t variant, shape;
    const struct archive_shape of = {c->rows, c->n, c->threads, c->family};
    int code = names_variant(n, &r->variants.items[c->variant], &variant, e);
    if (!code) code = names_shape(n, &of, &shape, e);
    if (code) return code;
    lab_bind(s, "iiiddddidds", run, variant, shape, c->ns, c->low, c->high, c->spread, c->processes,
             c->cycles, c->percent, &c->residency);
    return lab_step(n->l, s, e);
}

static int add_cells(struct archive_names *n, int64_t run, struct rows *r, struct error *e)
{
    sqlite3_stmt *s = NULL;
    /* A cell that was measured again stands twice in the file: the later row counts. */
    int code = lab_prepare(n->l,
                           "INSERT OR REPLACE INTO cells(run, variant, shape, ns, low, high, "
                           "spread, processes, cycles, percent, residency) "
                           "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                           &s, e);
    for (size_t i = 0; i < r->cells.count && !code; i++)
        code = add_cell(n, s, run, r, &r->cells.items[i], e);
    sqlite3_finalize(s);
    return code;
}

static int add_limits(struct archive_names *n, int64_t run, struct rows *r, struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code = lab_prepare(n->l,
                           "INSERT INTO limits(run, name, isa, level, value, unit, threads) "
                           "VALUES(?, ?, ?, ?, ?, ?, ?)",
                           &s, e);
    for (size_t i = 0; i < r->limits.count && !code; i++) {
        const struct limit_row *row = &r->limits.items[i];
        lab_bind(s, "isssdsi", run, &row->name, &row->isa, &row->level, row->value, &row->unit,
                 row->threads);
        code = lab_step(n->l, s, e);
    }
    sqlite3_finalize(s);
    return code;
}

static int add_cases(struct archive_names *n, int64_t run, struct rows *r, struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code =
        lab_prepare(n->l, "INSERT INTO cases(run, name, verdict, price) VALUES(?, ?, ?, ?)", &s, e);
    for (size_t i = 0; i < r->cases.count && !code; i++) {
        const struct case_row *row = &r->cases.items[i];
        lab_bind(s, "isss", run, &row->name, &row->verdict, &row->price);
        code = lab_step(n->l, s, e);
    }
    sqlite3_finalize(s);
    return code;
}

static int add_scans(struct archive_names *n, int64_t run, struct rows *r, struct error *e)
{
    sqlite3_stmt *s = NULL;
    int64_t variant;
    int code = lab_prepare(n->l,
                           "INSERT INTO scans(run, variant, \"range\", max_ulp, at, misrounded, "
                           "lost, measure, verdict) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
                           &s, e);
    for (size_t i = 0; i < r->scans.count && !code; i++) {
        const struct scan_row *row = &r->scans.items[i];
        code = names_variant(n, &r->variants.items[row->variant], &variant, e);
        if (code) continue;
        lab_bind(s, "iisdsddds", run, variant, &row->range, row->max_ulp, &row->at, row->misrounded,
                 row->lost, row->measure, &row->verdict);
        code = lab_step(n->l, s, e);
    }
    sqlite3_finalize(s);
    return code;
}

int figures_of_run(const struct lab_db *l, int64_t run, struct rows *r, struct error *e)
{
    static int (*const parts[])(struct archive_names *, int64_t, struct rows *,
                                struct error *) = {add_cells, add_limits, add_cases, add_scans};
    struct archive_names n;
    int code = names_open(&n, l, e);
    if (code) return code;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !code; i++)
        code = parts[i](&n, run, r, e);
    names_close(&n);
    return code;
}

/* ---- Machine code ------------------------------------------------------------------------------
 */

int figures_of_codegen(const struct lab_db *l, int64_t blob, struct rows *r, struct error *e)
{
    struct archive_names n;
    sqlite3_stmt *s = NULL;
    int64_t variant;
    int code = names_open(&n, l, e);
    if (code) return code;
    code = lab_prepare(l, "INSERT OR REPLACE INTO codes(codegen, variant, hash) VALUES(?, ?, ?)",
                       &s, e);
    for (size_t i = 0; i < r->codes.count && !code; i++) {
        const struct code_row *row = &r->codes.items[i];
        code = names_variant(&n, &r->variants.items[row->variant], &variant, e);
        if (code) continue;
        lab_bind(s, "iis", blob, variant, &row->hash);
        code = lab_step(l, s, e);
    }
    sqlite3_finalize(s);
    names_close(&n);
    return code;
}
