// SPDX-License-Identifier: MIT
#include "publish/db/names.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/db/sql.h"

enum { PARTS = 6, VARIANT_ID_MAX = 240 };

struct db_names {
    const struct lab_db *l;
    sqlite3_stmt *add_variant, *find_variant, *add_shape, *find_shape;
    /* Numbers by an id up to its policy, as a record spells it (0: it is no variant's), or by a
     * shape. */
    json_t *known;
    bool bare_norms, had_log;
};

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Runs the statement that finds a row's number; 0 where there is none. */
static int64_t found(sqlite3_stmt *s)
{
    int64_t number = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_reset(s);
    return number;
}

/* 0 where it failed. */
static int64_t find_or_add(sqlite3_stmt *finder, sqlite3_stmt *adder)
{
    int64_t number = found(finder);
    if (number) return number;
    const bool added = sqlite3_step(adder) == SQLITE_DONE;
    if (added) number = sqlite3_last_insert_rowid(sqlite3_db_handle(adder));
    sqlite3_reset(adder);
    return number;
}

/* ---- Variants -------------------------------------------------------------------------------- */

/* The axes of a variant's id, cut apart. */
struct axes {
    char op[24], algorithm[40], dtype[16], isa[16], cc[40], policy[40];
};

/* Returns whether `id` is op/algorithm/dtype=../isa=../cc=../policy=..; the rest of a cell's is
 * ignored. */
static bool axes_parse(const char *id, struct axes *a)
{
    return sscanf(id, "%23[^/]/%39[^/]/dtype=%15[^/]/isa=%15[^/]/cc=%39[^/]/policy=%39[^/]", a->op,
                  a->algorithm, a->dtype, a->isa, a->cc, a->policy) == 6;
}

/* op/algorithm/dtype=../isa=../cc=../policy=.., without what follows. */
static size_t names_head_of(const char *id, size_t size)
{
    const char *at = id, *const end = id + size;
    for (int part = 0; part < PARTS; part++) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        if (!slash) return size;
        at = slash + 1;
    }
    return (size_t)(at - 1 - id);
}

/* The name that an operation has today. */
static const char *name_of_today(const struct db_names *n, const char *op)
{
    return n->bare_norms && !strcmp(op, "layernorm") ? "layernorm_bare" : op;
}

/* log: it is one of softmax's kernels, called for log_softmax. */
static int64_t names_number_of(const struct db_names *n, const char *head, bool log)
{
    char id[VARIANT_ID_MAX];
    struct axes a;
    if (!axes_parse(head, &a)) return 0;
    const char *op = log && !strcmp(a.op, "softmax") ? "log_softmax" : name_of_today(n, a.op);
    snprintf(id, sizeof id, "%s/%s/dtype=%s/isa=%s/cc=%s/policy=%s", op, a.algorithm, a.dtype,
             a.isa, a.cc, a.policy);
    lab_bind(n->find_variant, "t", id);
    lab_bind(n->add_variant, "ttttttt", id, op, a.algorithm, a.dtype, a.isa, a.cc, a.policy);
    return find_or_add(n->find_variant, n->add_variant);
}

int64_t db_names_variant(struct db_names *n, struct slice id, bool log)
{
    static const char suffix[] = "/log=1", mark[] = "log ";
    const size_t length = names_head_of(id.at, id.size);
    char key[VARIANT_ID_MAX];
    log = log || memmem(id.at + length, id.size - length, suffix, sizeof suffix - 1) != NULL;
    n->had_log |= log;
    snprintf(key, sizeof key, "%s%.*s", log ? mark : "", (int)length, id.at);
    json_t *number = json_object_get(n->known, key);
    if (!number) {
        number = json_integer(names_number_of(n, key + (log ? sizeof mark - 1 : 0), log));
        json_object_set_new_nocheck(n->known, key, number);
    }
    return json_integer_value(number);
}

static void variant(sqlite3_context *c, int count, sqlite3_value **values)
{
    const char *id = (const char *)sqlite3_value_text(values[0]);
    (void)count;
    if (!id) return;
    const int64_t number = db_names_variant(
        sqlite3_user_data(c), (struct slice){id, (size_t)sqlite3_value_bytes(values[0])}, false);
    if (number) sqlite3_result_int64(c, number);
}

static void operation(sqlite3_context *c, int count, sqlite3_value **values)
{
    const char *op = (const char *)sqlite3_value_text(values[0]);
    (void)count;
    if (op) sqlite3_result_text(c, name_of_today(sqlite3_user_data(c), op), -1, SQLITE_TRANSIENT);
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

static void shape(sqlite3_context *c, int count, sqlite3_value **values)
{
    struct db_names *n = sqlite3_user_data(c);
    const int64_t rows = sqlite3_value_int64(values[0]), length = sqlite3_value_int64(values[1]),
                  threads = sqlite3_value_int64(values[2]);
    char family[64], key[160];
    (void)count;
    snprintf(family, sizeof family, "%s",
             sqlite3_value_text(values[3]) ? (const char *)sqlite3_value_text(values[3]) : "");
    snprintf(key, sizeof key, "%" PRId64 " %" PRId64 " %" PRId64 " %s", rows, length, threads,
             family);
    json_t *number = json_object_get(n->known, key);
    if (!number) {
        lab_bind(n->find_shape, "iiit", rows, length, threads, family);
        lab_bind(n->add_shape, "iiit", rows, length, threads, family);
        number = json_integer(find_or_add(n->find_shape, n->add_shape));
        json_object_set_new_nocheck(n->known, key, number);
    }
    sqlite3_result_int64(c, json_integer_value(number));
}

/* ---- Connections ----------------------------------------------------------------------------- */

int db_names_open(const struct lab_db *l, struct db_names **names, struct error *e)
{
    struct db_names *n = *names = memory_zeroed(1, sizeof *n);
    n->l = l;
    n->known = json_object();
    const struct {
        const char *sql;
        sqlite3_stmt **s;
    } statements[] = {
        {"INSERT INTO variants(variant, op, algorithm, dtype, isa, cc, policy) "
         "VALUES(?, ?, ?, ?, ?, ?, ?)",
         &n->add_variant},
        {"SELECT id FROM variants WHERE variant = ?", &n->find_variant},
        {"INSERT INTO shapes(\"rows\", n, threads, family) VALUES(?, ?, ?, ?)", &n->add_shape},
        {"SELECT id FROM shapes WHERE \"rows\" = ? AND n = ? AND threads = ? AND family = ?",
         &n->find_shape}};
    int code = 0;
    for (size_t i = 0; !code && i < sizeof statements / sizeof *statements; i++)
        code = lab_prepare(l, statements[i].sql, statements[i].s, e);
    const int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
    sqlite3_create_function(l->db, "variant", 1, flags, n, variant, NULL, NULL);
    sqlite3_create_function(l->db, "operation", 1, flags, n, operation, NULL, NULL);
    sqlite3_create_function(l->db, "shape", 4, flags, n, shape, NULL, NULL);
    if (code) db_names_close(n), *names = NULL;
    return code;
}

void db_names_begin(struct db_names *n, bool bare)
{
    json_object_clear(n->known);
    n->bare_norms = bare;
    n->had_log = false;
}

void db_names_close(struct db_names *n)
{
    if (!n) return;
    json_decref(n->known);
    sqlite3_finalize(n->add_variant);
    sqlite3_finalize(n->find_variant);
    sqlite3_finalize(n->add_shape);
    sqlite3_finalize(n->find_shape);
    free(n);
}

bool db_names_had_log(const struct db_names *n)
{
    return n->had_log;
}

/* ---- Builds that count as others (--map) ---------------------------------------------------- */

static int add_map(const struct lab_db *l, const char *map, struct error *e)
{
    char axis[8], old[40], new[40], end;
    const bool has_form = sscanf(map, "%7[^=]=%39[^:]:%39[^:]%c", axis, old, new, &end) == 3;
    if (!has_form ||
        (strcmp(axis, "cc") != 0 && strcmp(axis, "policy") != 0 && strcmp(axis, "isa") != 0))
        return fail(e, EXIT_USAGE,
                    "--map %s: want AXIS=OLD:NEW, such as cc=gcc-12:gcc-13; axes: cc, policy, isa",
                    map);
    return lab_run(l, e, "INSERT INTO temp.maps VALUES(?, ?, ?)", "ttt", axis, old, new);
}

int db_renames(const struct lab_db *l, const char *const *maps, size_t count, struct error *e)
{
    int code = lab_execute(l, "CREATE TEMP TABLE maps(axis TEXT, old TEXT, new TEXT)", e);
    for (size_t i = 0; !code && i < count; i++) code = add_map(l, maps[i], e);
    return code ? code : lab_run(l, e, db_rename_sql, "");
}

int db_rename(const struct lab_db *l, struct error *e)
{
    static const char *const tables[] = {"cells", "cell_details", "codes",      "controls",
                                         "scans", "searches",     "invariances"};
    int code =
        lab_execute(l,
                    "UPDATE error_variants SET variant = r.name FROM errors e, temp.renamed r "
                    "WHERE e.id = error_variants.error AND r.blob = e.blob AND r.variant = "
                    "error_variants.variant",
                    e);
    for (size_t i = 0; !code && i < sizeof tables / sizeof *tables; i++) {
        char sql[240];
        snprintf(sql, sizeof sql,
                 "UPDATE %s SET variant = r.name FROM temp.renamed r WHERE r.blob = %s.blob AND "
                 "r.variant = %s.variant",
                 tables[i], tables[i], tables[i]);
        code = lab_execute(l, sql, e);
    }
    return code;
}
