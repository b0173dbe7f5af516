#include "publish/archive/names.h"

#include <string.h>

#include "publish/load/codes.h"

int names_open(struct archive_names *n, const struct lab_db *l, struct error *e)
{
    *n = (struct archive_names){.l = l};
    int code = lab_prepare(l,
                           "INSERT OR IGNORE INTO variants(variant, op, algorithm, dtype, isa, cc, "
                           "policy) VALUES(?, ?, ?, ?, ?, ?, ?)",
                           &n->add_variant, e);
    if (!code)
        code = lab_prepare(l, "SELECT id FROM variants WHERE variant = ?", &n->find_variant, e);
    if (!code)
        code = lab_prepare(l,
                           "INSERT OR IGNORE INTO shapes(\"rows\", n, threads, family, log) "
                           "VALUES(?, ?, ?, ?, 0)",
                           &n->add_shape, e);
    if (!code)
        code = lab_prepare(l,
                           "SELECT id FROM shapes WHERE \"rows\" = ? AND n = ? AND threads = ? "
                           "AND family = ? AND log = 0",
                           &n->find_shape, e);
    if (code) names_close(n);
    return code;
}

void names_close(struct archive_names *n)
{
    sqlite3_finalize(n->add_variant);
    sqlite3_finalize(n->find_variant);
    sqlite3_finalize(n->add_shape);
    sqlite3_finalize(n->find_shape);
    *n = (struct archive_names){0};
}

/* 0 where there is none. */
static int64_t find(sqlite3_stmt *s)
{
    int64_t id = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_reset(s);
    return id;
}

static int find_or_add(struct archive_names *n, sqlite3_stmt *finder, sqlite3_stmt *adder,
                       int64_t *id, struct error *e)
{
    *id = find(finder);
    if (*id) return 0;
    int code = lab_step(n->l, adder, e);
    *id = sqlite3_last_insert_rowid(n->l->db);
    return code;
}

int names_variant(struct archive_names *n, struct named_variant *v, int64_t *id, struct error *e)
{
    char name[VARIANT_ID_MAX];
    const struct axes *a = &v->axes;
    *id = v->number;
    if (*id) return 0;
    variant_id(a, name);
    lab_bind(n->find_variant, "t", name);
    lab_bind(n->add_variant, "ttttttt", name, a->op, a->algorithm, a->dtype, a->isa, a->cc,
             a->policy);
    int code = find_or_add(n, n->find_variant, n->add_variant, id, e);
    v->number = *id;
    return code;
}

static bool is_same(const struct archive_shape *a, const struct archive_shape *b)
{
    return a->rows == b->rows && a->n == b->n && a->threads == b->threads &&
           a->family.size == b->family.size && !memcmp(a->family.at, b->family.at, a->family.size);
}

/* Thousands of cells have some dozens of shapes. */
int names_shape(struct archive_names *n, const struct archive_shape *s, int64_t *id,
                struct error *e)
{
    sqlite3_stmt *const both[] = {n->find_shape, n->add_shape};
    const size_t place =
        (s->rows * 31 + s->n * 7 + s->n / 256 + s->threads * 3 + s->family.size) % SHAPES_KEPT;
    *id = n->kept[place].id;
    if (*id && is_same(&n->kept[place].shape, s)) return 0;
    for (size_t i = 0; i < 2; i++)
        lab_bind(both[i], "iiis", (int64_t)s->rows, (int64_t)s->n, (int64_t)s->threads, &s->family);
    int code = find_or_add(n, n->find_shape, n->add_shape, id, e);
    n->kept[place].shape = *s;
    n->kept[place].id = code ? 0 : *id;
    return code;
}
