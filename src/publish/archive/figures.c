#include "publish/archive/figures.h"

#include <math.h>
#include <string.h>

#include "model/record.h"
#include "publish/archive/names.h"

/* ---- Times ------------------------------------------------------------------------------------
 */

/* A cell that crashed is a row without a time; one that was skipped is none. */
static bool was_tried(const struct timing_result *t)
{
    return strcmp(t->status, "skipped") != 0 && strcmp(t->status, "unbuilt") != 0;
}

static int add_cell(struct archive_names *n, sqlite3_stmt *s, int64_t run,
                    const struct timing_result *t, struct error *e)
{
    int64_t variant, shape;
    const struct archive_shape of = {t->rows, t->n, t->threads, t->family};
    int code = names_variant(n, &t->axes, &variant, e);
    if (!code) code = names_shape(n, &of, &shape, e);
    if (code) return code;
    const bool ok = !strcmp(t->status, "ok");
    lab_bind(s, "iiiddddiddt", run, variant, shape, ok ? t->ns_per_element : NAN, ok ? t->low : NAN,
             ok ? t->high : NAN, record_number(t->record, "spread"),
             (int64_t)json_integer_value(json_object_get(t->record, "processes")),
             record_number(t->record, "cycles_per_element"), t->percent_of_limit, t->residency);
    return lab_step(n->l, s, e);
}

static int add_cells(struct archive_names *n, int64_t run, const struct results *r, struct error *e)
{
    const size_t count = r->timing_count + r->peer_timing_count;
    sqlite3_stmt *s = NULL;
    /* A cell that was measured again stands twice in the file: the later row counts. */
    int code = lab_prepare(n->l,
                           "INSERT OR REPLACE INTO cells(run, variant, shape, ns, low, high, "
                           "spread, processes, cycles, percent, residency) "
                           "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                           &s, e);
    for (size_t i = 0; i < count && !code; i++)
        if (was_tried(&r->timings[i])) code = add_cell(n, s, run, &r->timings[i], e);
    sqlite3_finalize(s);
    return code;
}

/* ---- Limits, cases, scans ----------------------------------------------------------------------
 */

static int add_limits(const struct lab_db *l, int64_t run, const json_t *timing, struct error *e)
{
    sqlite3_stmt *s = NULL;
    const json_t *record;
    size_t i;
    int code = lab_prepare(l,
                           "INSERT INTO limits(run, name, isa, level, value, unit, threads) "
                           "VALUES(?, ?, ?, ?, ?, ?, ?)",
                           &s, e);
    json_array_foreach(timing, i, record)
    {
        if (code || strcmp(record_text(record, "record"), "limit") != 0) continue;
        lab_bind(s, "itttdti", run, record_text(record, "name"), record_text(record, "isa"),
                 record_text(record, "level"), record_number(record, "value"),
                 record_text(record, "unit"),
                 (int64_t)json_integer_value(json_object_get(record, "threads")));
        code = lab_step(l, s, e);
    }
    sqlite3_finalize(s);
    return code;
}

static int add_cases(const struct lab_db *l, int64_t run, const json_t *cases, struct error *e)
{
    sqlite3_stmt *s = NULL;
    const json_t *record;
    size_t i;
    int code =
        lab_prepare(l, "INSERT INTO cases(run, name, verdict, price) VALUES(?, ?, ?, ?)", &s, e);
    json_array_foreach(cases, i, record)
    {
        if (code || strcmp(record_text(record, "record"), "case") != 0) continue;
        lab_bind(s, "ittt", run, record_text(record, "name"), record_text(record, "verdict"),
                 record_text(record, "price"));
        code = lab_step(l, s, e);
    }
    sqlite3_finalize(s);
    return code;
}

static int add_scans(struct archive_names *n, int64_t run, const json_t *scans, struct error *e)
{
    sqlite3_stmt *s = NULL;
    const json_t *record;
    struct axes axes;
    int64_t variant;
    size_t i;
    int code = lab_prepare(n->l,
                           "INSERT INTO scans(run, variant, \"range\", max_ulp, at, misrounded) "
                           "VALUES(?, ?, ?, ?, ?, ?)",
                           &s, e);
    json_array_foreach(scans, i, record)
    {
        if (code || !axes_parse(record_text(record, "id"), &axes)) continue;
        code = names_variant(n, &axes, &variant, e);
        if (code) continue;
        lab_bind(s, "iitdtd", run, variant, record_text(record, "range"),
                 record_number(record, "max_ulp"), record_text(record, "at"),
                 record_number(record, "misrounded"));
        code = lab_step(n->l, s, e);
    }
    sqlite3_finalize(s);
    return code;
}

int figures_of_run(const struct lab_db *l, int64_t run, const struct results *r,
                   const json_t *cases, struct error *e)
{
    struct archive_names n;
    int code = names_open(&n, l, e);
    if (code) return code;
    code = add_cells(&n, run, r, e);
    if (!code) code = add_limits(l, run, r->timing, e);
    if (!code) code = add_cases(l, run, cases, e);
    if (!code) code = add_scans(&n, run, r->scan, e);
    names_close(&n);
    return code;
}

/* ---- Machine code ------------------------------------------------------------------------------
 */

int figures_of_codegen(const struct lab_db *l, int64_t blob, const struct results *r,
                       struct error *e)
{
    struct archive_names n;
    sqlite3_stmt *s = NULL;
    const json_t *record;
    struct axes axes;
    int64_t variant;
    size_t i;
    int code = names_open(&n, l, e);
    if (code) return code;
    code = lab_prepare(l, "INSERT OR REPLACE INTO codes(codegen, variant, hash) VALUES(?, ?, ?)",
                       &s, e);
    json_array_foreach(r->codegen, i, record)
    {
        const char *hash = record_text(record, "code_hash");
        if (code || !hash[0] || !axes_parse(record_text(record, "id"), &axes)) continue;
        code = names_variant(&n, &axes, &variant, e);
        if (code) continue;
        lab_bind(s, "iit", blob, variant, hash);
        code = lab_step(l, s, e);
    }
    sqlite3_finalize(s);
    names_close(&n);
    return code;
}
