/* Times, errors and machine code of many machines, out of an archive's tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/filter.h"
#include "publish/load/codes.h"
#include "publish/load/results.h"
#include "publish/site/many.h"

const char *const many_levels[MANY_LEVELS + 1] = {"L1", "L2", "L3", "DRAM", "", NULL};

static int no_memory(const struct lab_db *l, struct error *e)
{
    return fail(e, EXIT_PARTIAL, "out of memory: %s; narrow with --filter", l->path);
}

static size_t count_of(const struct lab_db *l, const char *sql)
{
    sqlite3_stmt *s = NULL;
    size_t value = 0;
    if (sqlite3_prepare_v2(l->db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
        value = (size_t)sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return value;
}

/* ---- Names ------------------------------------------------------------------------------------
 */

static int load_variants(const struct lab_db *l, const char *const *filters, size_t filter_count,
                         struct many *m, struct error *e)
{
    sqlite3_stmt *s = NULL;
    m->variant_count = count_of(l, "SELECT max(id) FROM variants") + 1;
    m->variants = calloc(m->variant_count, sizeof *m->variants);
    if (!m->variants) return no_memory(l, e);
    int code = lab_prepare(l, "SELECT id, variant FROM variants", &s, e);
    while (!code && sqlite3_step(s) == SQLITE_ROW) {
        struct many_variant *v = &m->variants[sqlite3_column_int64(s, 0)];
        const char *id = (const char *)sqlite3_column_text(s, 1);
        struct axes *a = &v->axes;
        bool match = false;
        if (!axes_parse(id, a)) continue;
        const struct place place = {id, a->op, a->algorithm, a->dtype, a->isa, a->cc, a->policy};
        code = filter_matches(&place, filters, filter_count, &match, e);
        if (code || !match) continue;
        v->id = strdup(id);
        v->bytes = NAN;
        v->errors = malloc(m->machine_count * sizeof *v->errors);
        v->codes = calloc(m->machine_count, sizeof *v->codes);
        if (!v->id || !v->errors || !v->codes) code = no_memory(l, e);
        for (size_t i = 0; !code && i < m->machine_count; i++) v->errors[i] = NAN;
    }
    sqlite3_finalize(s);
    return code;
}

/* Shapes without their rows, and for each number of the archive which one it is. */
static int load_shapes(const struct lab_db *l, struct many *m, int **places, struct error *e)
{
    sqlite3_stmt *s = NULL;
    const size_t count = count_of(l, "SELECT max(id) FROM shapes") + 1;
    *places = calloc(count, sizeof **places);
    m->shapes = calloc(count, sizeof *m->shapes);
    if (!*places || !m->shapes) return no_memory(l, e);
    int code = lab_prepare(l, "SELECT id, n, threads, family FROM shapes", &s, e);
    while (!code && sqlite3_step(s) == SQLITE_ROW) {
        struct many_shape shape = {(size_t)sqlite3_column_int64(s, 1),
                                   (size_t)sqlite3_column_int64(s, 2), ""};
        snprintf(shape.family, sizeof shape.family, "%s", (const char *)sqlite3_column_text(s, 3));
        size_t at = 0;
        while (at < m->shape_count &&
               (m->shapes[at].n != shape.n || m->shapes[at].threads != shape.threads ||
                strcmp(m->shapes[at].family, shape.family) != 0))
            at++;
        if (at == m->shape_count) m->shapes[m->shape_count++] = shape;
        (*places)[sqlite3_column_int64(s, 0)] = (int)at;
    }
    sqlite3_finalize(s);
    return code;
}

/* ---- Machine code, errors ---------------------------------------------------------------------
 */

/* Of libraries the version stands for the code. */
static void learn_libraries(struct many *m, size_t machine)
{
    static const char prefix[] = "peer-";
    json_t *versions = json_loads(m->machines[machine].libraries, 0, NULL);
    for (size_t i = 0; i < m->variant_count; i++) {
        struct many_variant *v = &m->variants[i];
        if (!v->id || strncmp(v->axes.algorithm, prefix, sizeof prefix - 1) != 0) continue;
        const char *name = v->axes.algorithm + sizeof prefix - 1;
        const char *text = json_string_value(json_object_get(versions, name));
        for (uint64_t hash = 5381; text && *text; text++)
            v->codes[machine] = hash = hash * 33 + (unsigned char)*text;
    }
    json_decref(versions);
}

static int load_codes(const struct lab_db *l, struct many *m, struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code = lab_prepare(l, "SELECT variant, hash FROM codes WHERE blob = ?", &s, e);
    for (size_t i = 0; !code && i < m->machine_count; i++) {
        lab_bind(s, "i", m->machines[i].codegen);
        while (sqlite3_step(s) == SQLITE_ROW) {
            struct many_variant *v = &m->variants[sqlite3_column_int64(s, 0)];
            if (v->id) v->codes[i] = strtoull((const char *)sqlite3_column_text(s, 1), NULL, 16);
        }
        sqlite3_reset(s);
        learn_libraries(m, i);
    }
    sqlite3_finalize(s);
    return code;
}

static int by_code(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The code that most machines ran. Of several, the least hash, which is the same one each time. */
static uint64_t usual_code(const struct many *m, const struct many_variant *v, uint64_t *room)
{
    size_t most = 0;
    uint64_t usual = 0;
    memcpy(room, v->codes, m->machine_count * sizeof *room);
    qsort(room, m->machine_count, sizeof *room, by_code);
    for (size_t i = 0, next; i < m->machine_count; i = next) {
        for (next = i; next < m->machine_count && room[next] == room[i];) next++;
        if (!room[i] || next - i <= most) continue;
        usual = room[i];
        most = next - i;
    }
    return usual;
}

static int find_usual(const struct lab_db *l, struct many *m, struct error *e)
{
    uint64_t *room = calloc(m->machine_count, sizeof *room);
    if (!room) return no_memory(l, e);
    for (size_t i = 0; i < m->variant_count; i++)
        if (m->variants[i].id) m->variants[i].usual = usual_code(m, &m->variants[i], room);
    free(room);
    return 0;
}

static int load_errors(const struct lab_db *l, struct many *m, struct error *e)
{
    static const struct results none; /* the operations that the lab itself knows */
    sqlite3_stmt *s = NULL;
    int code = lab_prepare(
        l, "SELECT variant, max_ulp, max_u, hazard FROM error_sums WHERE blob = ?", &s, e);
    for (size_t i = 0; !code && i < m->machine_count; i++) {
        lab_bind(s, "i", m->machines[i].accuracy);
        while (sqlite3_step(s) == SQLITE_ROW) {
            struct many_variant *v = &m->variants[sqlite3_column_int64(s, 0)];
            if (!v->id) continue;
            const int column = !strcmp(error_unit(&none, v->axes.op), "u") ? 2 : 1;
            v->errors[i] = (float)lab_real(s, column);
            v->hazard |= sqlite3_column_int(s, 3) != 0;
        }
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    return code;
}

/* ---- Times ------------------------------------------------------------------------------------
 */

/* Where the line of a variant, shape and level stands; -1: nowhere yet. */
struct finder {
    int *places, *lines;
    size_t room;
};

static int level_of(const char *name)
{
    int level = 0;
    while (level < MANY_LEVELS - 1 && strcmp(name, many_levels[level]) != 0) level++;
    return level;
}

static struct many_line *line_of(struct many *m, struct finder *f, size_t variant, int shape,
                                 int level)
{
    int *at = &f->lines[(variant * m->shape_count + (size_t)shape) * MANY_LEVELS + (size_t)level];
    if (*at >= 0) return &m->lines[*at];
    if (m->line_count == f->room) {
        size_t room = f->room ? 2 * f->room : 1024;
        struct many_line *more = realloc(m->lines, room * sizeof *more);
        if (!more) return NULL;
        m->lines = more;
        f->room = room;
    }
    struct many_line *line = &m->lines[m->line_count];
    *line = (struct many_line){.variant = variant, .shape = shape, .level = level};
    line->ns = calloc(m->machine_count, sizeof *line->ns);
    line->cycles = calloc(m->machine_count, sizeof *line->cycles);
    line->shares = calloc(m->machine_count, sizeof *line->shares);
    *at = (int)m->line_count++;
    return line->ns && line->cycles && line->shares ? line : NULL;
}

static int take_cell(const struct lab_db *l, struct many *m, struct finder *f, sqlite3_stmt *s,
                     size_t machine, struct error *e)
{
    const size_t variant = (size_t)sqlite3_column_int64(s, 0);
    const struct many_variant *v = &m->variants[variant];
    if (!v->id) return 0;
    m->machines[machine].cells++;
    if (v->usual && v->codes[machine] && v->usual != v->codes[machine]) return 0;
    m->machines[machine].compared++;
    struct many_line *line = line_of(m, f, variant, f->places[sqlite3_column_int64(s, 1)],
                                     level_of((const char *)sqlite3_column_text(s, 4)));
    if (!line) return no_memory(l, e);
    const float ns = (float)lab_real(s, 2);
    if (line->ns[machine] > 0 && line->ns[machine] <= ns) return 0;
    const double percent = lab_real(s, 3);
    line->ns[machine] = ns;
    line->cycles[machine] = (float)lab_real(s, 5);
    line->shares[machine] = (unsigned char)(isnan(percent)  ? 255
                                            : percent < 254 ? percent + 0.5
                                                            : 254);
    return 0;
}

static int load_cells(const struct lab_db *l, struct many *m, struct finder *f, struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code = lab_prepare(
        l,
        "SELECT c.variant, c.shape, c.ns, c.percent, coalesce(c.residency, ''), c.cycles "
        "FROM runs r JOIN cells c ON c.blob = r.timing "
        "WHERE r.id = ? AND c.ns > 0",
        &s, e);
    for (size_t i = 0; !code && i < m->machine_count; i++) {
        lab_bind(s, "i", m->machines[i].run);
        while (!code && sqlite3_step(s) == SQLITE_ROW) code = take_cell(l, m, f, s, i, e);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    return code;
}

int many_load(const struct lab_db *l, const char *const *filters, size_t filter_count,
              struct many *m, struct error *e)
{
    struct finder f = {.lines = NULL};
    int code = load_variants(l, filters, filter_count, m, e);
    if (!code) code = load_shapes(l, m, &f.places, e);
    if (!code) code = load_codes(l, m, e);
    if (!code) code = find_usual(l, m, e);
    if (!code) code = load_errors(l, m, e);
    const size_t places = m->variant_count * m->shape_count * MANY_LEVELS;
    if (!code) f.lines = malloc((places + 1) * sizeof *f.lines);
    if (!code && !f.lines) code = no_memory(l, e);
    for (size_t i = 0; !code && i < places; i++) f.lines[i] = -1;
    if (!code) code = load_cells(l, m, &f, e);
    free(f.lines);
    free(f.places);
    return code;
}
