// SPDX-License-Identifier: MIT
#include "publish/site/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/stats.h"
#include "model/registry.h"
#include "publish/db/columns.h"

/* A side's cell on a line. */
struct cell {
    float ns, cycles, percent; /* ns 0: none; NAN: unknown */
    int shape;
};
enum { LEVELS = 5 };
static const char *const levels[LEVELS] = {"L1", "L2", "L3", "DRAM", ""};

static const struct cell *cells_of(sqlite3_value *value, size_t *count)
{
    *count = (size_t)sqlite3_value_bytes(value) / sizeof(struct cell);
    return sqlite3_value_blob(value);
}

/* ---- Figures for the page's script ----------------------------------------------------------- */

enum figure { TIME, EXACT, CLOCK, CYCLES, SHARE, FIGURES };
static const struct {
    const char *name;
    size_t bytes;
    double zero, octave; /* the code of 1, and how many codes an octave has */
} figures[FIGURES] = {
    [TIME] = {"time", 2, 1 << 15, 1 << 10},   /* to 0.07% */
    [EXACT] = {"exact", 3, 1 << 23, 1 << 17}, /* to 0.001% */
    [CLOCK] = {"clock", 1, 40, 79},           /* in GHz: from 0.7 to 6.6, to 0.5% */
    [CYCLES] = {"cycles", 3, 1 << 23, 1 << 17},
    [SHARE] = {"share", 1, 0, 0},
};

/* 0: none. The last code is what is infinite, or larger; 1 what is 0, or smaller. */
static unsigned long code_of(enum figure f, double value)
{
    const double last = ldexp(1, (int)(8 * figures[f].bytes)) - 1;
    if (isnan(value)) return 0;
    const double code =
        f == SHARE ? value + 1.5 : figures[f].zero + figures[f].octave * log2(value) + 0.5;
    return (unsigned long)fmax(1, fmin(last, value > 0 ? code : 1));
}

static double figure_of(const struct cell *c, enum figure f)
{
    if (!(c->ns > 0)) return NAN;
    if (f == CLOCK) return (double)c->cycles / (double)c->ns;
    return (double)(f == SHARE ? c->percent : f == CYCLES ? c->cycles : c->ns);
}

struct packing {
    unsigned char *bytes;
    size_t count, room;
};

static void put_code(struct packing *p, size_t place, enum figure f, double value)
{
    const size_t end = (place + 1) * figures[f].bytes;
    unsigned long code = code_of(f, value);
    if (end > p->room) {
        const size_t room = 2 * end + 64;
        p->bytes = memory_grow(p->bytes, room);
        memset(p->bytes + p->room, 0, room - p->room);
        p->room = room;
    }
    for (size_t i = end - figures[f].bytes; i < end; i++, code >>= 8)
        p->bytes[i] = (unsigned char)(code & 255);
    if (end > p->count) p->count = end;
}

static void give_base64(sqlite3_context *context, struct packing *p)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = memory_zeroed(p->count / 3 * 4 + 5, 1), *at = text;
    for (size_t i = 0; i < p->count; i += 3) {
        unsigned long word = (unsigned long)p->bytes[i] << 16;
        if (i + 1 < p->count) word |= (unsigned long)p->bytes[i + 1] << 8;
        if (i + 2 < p->count) word |= p->bytes[i + 2];
        for (size_t k = 0; k < 4; k++)
            *at++ = i + k <= p->count ? digits[word >> (18 - 6 * k) & 63] : '=';
    }
    sqlite3_result_text(context, text, (int)(at - text), free);
    free(p->bytes);
}

static void packed(sqlite3_context *context, int count, sqlite3_value **values)
{
    const char *name = (const char *)sqlite3_value_text(values[1]);
    struct packing p = {.bytes = NULL};
    size_t sides, f = 0;
    (void)count;
    const struct cell *cells = cells_of(values[0], &sides);
    while (f < FIGURES && strcmp(figures[f].name, name ? name : "") != 0) f++;
    if (f == FIGURES) return;
    for (size_t i = 0; i < sides; i++)
        put_code(&p, i, (enum figure)f, figure_of(&cells[i], (enum figure)f));
    give_base64(context, &p);
}

static void add_packed(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct packing *p = sqlite3_aggregate_context(context, sizeof *p);
    (void)count;
    if (!p || sqlite3_value_type(values[1]) == SQLITE_NULL) return;
    put_code(p, (size_t)sqlite3_value_int64(values[0]), EXACT, sqlite3_value_double(values[1]));
}

static void packed_end(sqlite3_context *context)
{
    struct packing *p = sqlite3_aggregate_context(context, 0);
    if (p) give_base64(context, p);
}

/* ---- Over the sides -------------------------------------------------------------------------- */

static void spread(sqlite3_context *context, int count, sqlite3_value **values)
{
    size_t sides, known = 0;
    (void)count;
    const struct cell *cells = cells_of(values[0], &sides);
    double *sorted = memory_zeroed(sides + 1, sizeof *sorted);
    for (size_t i = 0; i < sides; i++)
        if (cells[i].ns > 0) sorted[known++] = (double)cells[i].ns;
    stats_sort(sorted, known);
    const size_t place = (size_t)(sqlite3_value_double(values[1]) * (double)known);
    if (known) sqlite3_result_double(context, sorted[place < known ? place : known - 1]);
    free(sorted);
}

/* Sums of logarithms by side. */
struct sums {
    double *logs, *counts;
    size_t sides;
};

static struct sums *sums_for(sqlite3_context *context, size_t sides)
{
    struct sums *s = sqlite3_aggregate_context(context, sizeof *s);
    if (s && !s->logs) {
        s->sides = sides;
        s->logs = memory_zeroed(2 * sides + 1, sizeof *s->logs);
        s->counts = s->logs + sides;
    }
    return s;
}

static void add_log(struct sums *s, size_t side, double log)
{
    s->logs[side] += log;
    s->counts[side]++;
}

static void sums_end(sqlite3_context *context)
{
    struct sums *s = sqlite3_aggregate_context(context, 0);
    char *text = NULL;
    size_t size = 0;
    if (!s || !s->logs) return;
    FILE *out = memory_text(&text, &size);
    for (size_t i = 0; i < s->sides; i++) {
        fputc(i ? ',' : '[', out);
        if (s->counts[i] > 0)
            fprintf(out, "%.5g", exp(s->logs[i] / s->counts[i]));
        else
            fputs("null", out);
    }
    fputc(']', out);
    memory_text_close(out);
    sqlite3_result_text(context, text, (int)size, free);
    free(s->logs);
}

static double log_mean(const struct cell *cells, size_t sides, size_t *known)
{
    double sum = 0;
    *known = 0;
    for (size_t i = 0; i < sides; i++)
        if (cells[i].ns > 0) {
            sum += log((double)cells[i].ns);
            ++*known;
        }
    return sum / (double)*known;
}

static void add_pace(sqlite3_context *context, int count, sqlite3_value **values)
{
    size_t sides, known;
    (void)count;
    const struct cell *cells = cells_of(values[0], &sides);
    struct sums *s = sums_for(context, sides);
    const double mean = log_mean(cells, sides, &known);
    for (size_t i = 0; s && i < sides; i++)
        if (cells[i].ns > 0) add_log(s, i, log((double)cells[i].ns) - mean);
}

static void add_gain(sqlite3_context *context, int count, sqlite3_value **values)
{
    size_t sides, others;
    (void)count;
    const struct cell *narrow = cells_of(values[0], &sides), *wide = cells_of(values[1], &others);
    struct sums *s = sums_for(context, sides);
    for (size_t i = 0; s && i < sides && i < others; i++)
        if (narrow[i].ns > 0 && wide[i].ns > 0)
            add_log(s, i, log((double)narrow[i].ns / (double)wide[i].ns));
}

/* The fastest so far, by side, and whose it is. */
struct race {
    float *ns;
    unsigned char *names;
    size_t sides, count;
    char name[16][40];
};

static void add_racer(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct race *r = sqlite3_aggregate_context(context, sizeof *r);
    const char *name = (const char *)sqlite3_value_text(values[0]);
    size_t sides, k = 0;
    (void)count;
    const struct cell *cells = cells_of(values[1], &sides);
    if (!r || !name) return;
    if (!r->ns) {
        r->sides = sides;
        r->ns = memory_zeroed(sides + 1, sizeof *r->ns);
        r->names = memory_zeroed(sides + 1, 1);
    }
    while (k < r->count && strcmp(r->name[k], name) != 0) k++;
    if (k == sizeof r->name / sizeof *r->name) return;
    if (k == r->count) snprintf(r->name[r->count++], sizeof *r->name, "%s", name);
    for (size_t i = 0; i < sides; i++)
        if (cells[i].ns > 0 && !(r->ns[i] > 0 && r->ns[i] <= cells[i].ns)) {
            r->ns[i] = cells[i].ns;
            r->names[i] = (unsigned char)k;
        }
}

static void race_end(sqlite3_context *context)
{
    struct race *r = sqlite3_aggregate_context(context, 0);
    size_t wins[sizeof r->name / sizeof *r->name] = {0}, size = 0;
    char *text = NULL;
    if (!r || !r->ns) return;
    for (size_t i = 0; i < r->sides; i++) wins[r->names[i]] += r->ns[i] > 0;
    FILE *out = memory_text(&text, &size);
    for (const char *between = "";; between = ", ") {
        size_t most = 0;
        for (size_t k = 1; k < r->count; k++)
            if (wins[k] > wins[most]) most = k;
        if (!wins[most]) break;
        fprintf(out, "%s%s %zu", between, r->name[most], wins[most]);
        wins[most] = 0;
    }
    memory_text_close(out);
    sqlite3_result_text(context, text, (int)size, free);
    free(r->ns);
    free(r->names);
}

/* ---- Functions of names ---------------------------------------------------------------------- */

static void promises(sqlite3_context *context, int count, sqlite3_value **values)
{
    const char *policy = (const char *)sqlite3_value_text(values[0]);
    (void)count;
    sqlite3_result_int(context, policy && policy_promises(policy) != PROMISES_NOTHING);
}

static void file_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    char *text = NULL;
    size_t size = 0;
    struct error ignored; /* a run without the file has nothing of it to show */
    (void)count;
    const char *name = (const char *)sqlite3_value_text(values[1]);
    if (!lab_read(sqlite3_user_data(context), sqlite3_value_int64(values[0]), name, &text, &size,
                  &ignored) &&
        text)
        sqlite3_result_text(context, text, (int)size, free);
}

int lines_functions_add(const struct lab_db *l, struct error *e)
{
    static const struct {
        const char *name;
        int arguments;
        void (*function)(sqlite3_context *, int, sqlite3_value **),
            (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*end)(sqlite3_context *);
    } functions[] = {
        {"spread", 2, spread, NULL, NULL},
        {"packed", 2, packed, NULL, NULL},
        {"promises", 1, promises, NULL, NULL},
        {"file_of", 2, file_of, NULL, NULL},
        {"packed_by", 2, NULL, add_packed, packed_end},
        {"paces", 1, NULL, add_pace, sums_end},
        {"gains", 2, NULL, add_gain, sums_end},
        {"winners", 2, NULL, add_racer, race_end},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (sqlite3_create_function(l->db, functions[i].name, functions[i].arguments, SQLITE_UTF8,
                                    (void *)(uintptr_t)l, functions[i].function, functions[i].step,
                                    functions[i].end) != SQLITE_OK)
            return lab_failed(l, e);
    return 0;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

struct line {
    int64_t variant, key; /* key: of temp.keys, a shape without its rows */
    int level, next;      /* next: another line of the variant, in a circle */
    struct cell *cells;
    unsigned char *merged; /* by side, how many cells it is the fastest of */
};

struct lines {
    size_t sides, variants, count, room;
    int *keys;              /* by the number of a shape */
    unsigned char *variant; /* by variant and side: WANTED, or that and UNUSUAL */
    int *last;              /* by variant: the line found last; -1: none yet */
    struct line *items;
    size_t *counts; /* by side: cells, of other code, of another version of a library, compared,
                       alone */
};
enum { WANTED = 1, UNUSUAL = 2, OF_LIBRARY = 4 };
enum { CELLS, OTHER_CODE, OTHER_LIBRARY, COMPARED, ALONE, COUNTS };

static int read_marks(const struct lab_db *l, struct lines *m, struct error *e)
{
    sqlite3_stmt *s;
    int code = lab_prepare(l, "SELECT variant, library FROM temp.wanted", &s, e);
    while (!code && sqlite3_step(s) == SQLITE_ROW)
        memset(m->variant + column_count(s, 0) * m->sides,
               WANTED | (sqlite3_column_int(s, 1) ? OF_LIBRARY : 0), m->sides);
    sqlite3_finalize(s);
    if (!code) code = lab_prepare(l, "SELECT variant, side FROM temp.unusual", &s, e);
    while (!code && sqlite3_step(s) == SQLITE_ROW)
        m->variant[column_count(s, 0) * m->sides + column_count(s, 1)] |= UNUSUAL;
    if (!code) sqlite3_finalize(s);
    if (!code)
        code = lab_prepare(
            l, "SELECT s.id, k.key FROM shapes s JOIN temp.keys k USING (n, threads, family)", &s,
            e);
    while (!code && sqlite3_step(s) == SQLITE_ROW)
        m->keys[column_count(s, 0)] = sqlite3_column_int(s, 1);
    if (!code) sqlite3_finalize(s);
    return code;
}

/* Each side has a variant's shapes in the same order: the next line is mostly the one wanted. */
static struct line *line_of(struct lines *m, size_t variant, int64_t key, const char *name)
{
    int level = 0, *last = &m->last[variant];
    while (level < LEVELS - 1 && strcmp(name, levels[level]) != 0) level++;
    for (int i = *last; i >= 0;) {
        i = m->items[i].next;
        if (m->items[i].key == key && m->items[i].level == level) return &m->items[*last = i];
        if (i == *last) break;
    }
    if (m->count == m->room)
        m->items = memory_grow(m->items, (m->room = 2 * m->room + 1024) * sizeof *m->items);
    const int at = (int)m->count++, before = *last < 0 ? at : *last;
    m->items[at] = (struct line){(int64_t)variant,
                                 key,
                                 level,
                                 before == at ? at : m->items[before].next,
                                 memory_zeroed(m->sides, sizeof(struct cell)),
                                 memory_zeroed(m->sides, 1)};
    m->items[before].next = at;
    return &m->items[*last = at];
}

static void take(struct lines *m, sqlite3_stmt *s)
{
    const size_t side = column_count(s, 0), variant = column_count(s, 1),
                 shape = column_count(s, 2);
    const unsigned marks = m->variant[variant * m->sides + side];
    size_t *counts = &m->counts[side * COUNTS];
    if (!(marks & WANTED)) return;
    counts[CELLS]++;
    if (marks & UNUSUAL) {
        counts[marks & OF_LIBRARY ? OTHER_LIBRARY : OTHER_CODE]++;
        return;
    }
    struct line *line = line_of(m, variant, m->keys[shape], column_text(s, 6));
    struct cell *cell = &line->cells[side];
    const float ns = (float)sqlite3_column_double(s, 3);
    line->merged[side]++;
    if (cell->ns > 0 && cell->ns <= ns) return;
    *cell = (struct cell){ns, (float)column_real(s, 4), (float)column_real(s, 5), (int)shape};
}

static int read_cells(const struct lab_db *l, struct lines *m, struct error *e)
{
    sqlite3_stmt *s;
    int code =
        lab_prepare(l,
                    "SELECT r.side, c.variant, c.shape, c.ns, c.cycles, c.percent, c.residency "
                    "FROM temp.sides r CROSS JOIN cells c ON c.blob = r.timing WHERE c.ns > 0",
                    &s, e);
    if (code) return code;
    while (sqlite3_step(s) == SQLITE_ROW) take(m, s);
    if (sqlite3_reset(s) != SQLITE_OK) code = lab_failed(l, e);
    sqlite3_finalize(s);
    return code;
}

static int put_line(const struct lab_db *l, struct lines *m, size_t i, sqlite3_stmt *s,
                    sqlite3_stmt *cell, struct error *e)
{
    const struct line *line = &m->items[i];
    size_t known;
    const double mean = log_mean(line->cells, m->sides, &known);
    lab_bind(s, "iiitid", (int64_t)i, line->variant, line->key, levels[line->level], (int64_t)known,
             mean);
    sqlite3_bind_blob(s, 7, line->cells, (int)(m->sides * sizeof *line->cells), SQLITE_STATIC);
    int code = lab_step(l, s, e);
    for (size_t side = 0; side < m->sides; side++) {
        if (!(line->cells[side].ns > 0)) continue;
        m->counts[side * COUNTS + (known > 1 ? COMPARED : ALONE)] += line->merged[side];
        if (!cell || code) continue;
        lab_bind(cell, "iii", (int64_t)i, (int64_t)side, (int64_t)line->cells[side].shape);
        code = lab_step(l, cell, e);
    }
    return code;
}

static int write_tables(const struct lab_db *l, struct lines *m, bool exact, struct error *e)
{
    sqlite3_stmt *s, *cell = NULL;
    int code = lab_prepare(l, "INSERT INTO temp.lines VALUES(?, ?, ?, ?, ?, ?, ?)", &s, e);
    if (code) return code;
    if (exact) code = lab_prepare(l, "INSERT INTO temp.line_cells VALUES(?, ?, ?)", &cell, e);
    for (size_t i = 0; i < m->count; i++) {
        if (!code) code = put_line(l, m, i, s, cell, e);
        sqlite3_reset(s);
        free(m->items[i].cells);
        free(m->items[i].merged);
    }
    sqlite3_finalize(cell);
    sqlite3_finalize(s);
    if (!code) code = lab_prepare(l, "INSERT INTO temp.counts VALUES(?, ?, ?, ?, ?, ?)", &s, e);
    for (size_t i = 0; !code && i < m->sides; i++) {
        const size_t *c = &m->counts[i * COUNTS];
        lab_bind(s, "iiiiii", (int64_t)i, (int64_t)c[0], (int64_t)c[1], (int64_t)c[2],
                 (int64_t)c[3], (int64_t)c[4]);
        code = lab_step(l, s, e);
    }
    sqlite3_finalize(s);
    return code;
}

int lines_make(const struct lab_db *l, bool exact, struct error *e)
{
    struct lines m = {.sides = (size_t)lab_number(l, "SELECT count(*) FROM temp.sides"),
                      .variants =
                          (size_t)lab_number(l, "SELECT coalesce(max(id), 0) + 1 FROM variants")};
    m.keys = memory_zeroed((size_t)lab_number(l, "SELECT coalesce(max(id), 0) + 1 FROM shapes"),
                           sizeof *m.keys);
    m.variant = memory_zeroed(m.variants * m.sides + 1, 1);
    m.last = memory_zeroed(m.variants + 1, sizeof *m.last);
    m.counts = memory_zeroed(m.sides * COUNTS + 1, sizeof *m.counts);
    memset(m.last, -1, m.variants * sizeof *m.last);
    int code = read_marks(l, &m, e);
    if (!code) code = read_cells(l, &m, e);
    if (!code) code = write_tables(l, &m, exact, e);
    free(m.keys);
    free(m.variant);
    free(m.last);
    free(m.counts);
    free(m.items);
    return code;
}
