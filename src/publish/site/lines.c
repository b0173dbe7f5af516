// SPDX-License-Identifier: MIT
#include "publish/site/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/stats.h"

/* A side's cell on a line. */
struct cell {
    float ns, cycles, percent; /* ns 0: none; NAN: unknown */
    int shape, merged;         /* merged: how many it is the fastest of */
};

static const struct cell *cells_of(sqlite3_value *value, size_t *count)
{
    *count = (size_t)sqlite3_value_bytes(value) / sizeof(struct cell);
    return sqlite3_value_blob(value);
}

static float float_of(sqlite3_value *value)
{
    return sqlite3_value_type(value) == SQLITE_NULL ? NAN : (float)sqlite3_value_double(value);
}

struct gathered {
    struct cell *cells;
    size_t sides;
};

static void add_cell(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct gathered *g = sqlite3_aggregate_context(context, sizeof *g);
    const size_t sides = (size_t)sqlite3_value_int64(values[0]),
                 side = (size_t)sqlite3_value_int64(values[1]);
    (void)count;
    if (!g || side >= sides) return;
    if (!g->cells) *g = (struct gathered){memory_zeroed(sides, sizeof *g->cells), sides};
    struct cell *cell = &g->cells[side];
    const float ns = float_of(values[2]);
    const int merged = cell->merged + 1;
    if (!(cell->ns > 0 && cell->ns <= ns))
        *cell = (struct cell){.ns = ns,
                              .cycles = float_of(values[3]),
                              .percent = float_of(values[4]),
                              .shape = sqlite3_value_int(values[5])};
    cell->merged = merged;
}

static void cells_end(sqlite3_context *context)
{
    struct gathered *g = sqlite3_aggregate_context(context, 0);
    if (g) sqlite3_result_blob(context, g->cells, (int)(g->sides * sizeof *g->cells), free);
}

static void cell_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    size_t sides, side = (size_t)sqlite3_value_int64(values[1]);
    const struct cell *cells = cells_of(values[0], &sides);
    (void)count;
    if (side >= sides || !(cells[side].ns > 0)) return;
    const bool shape = !strcmp((const char *)sqlite3_value_text(values[2]), "shape");
    sqlite3_result_int(context, shape ? cells[side].shape : cells[side].merged);
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

static void over(sqlite3_context *context, int count, sqlite3_value **values)
{
    size_t sides, known;
    const struct cell *cells = cells_of(values[0], &sides);
    const double mean = log_mean(cells, sides, &known);
    (void)count;
    if (!strcmp((const char *)sqlite3_value_text(values[1]), "mean"))
        sqlite3_result_double(context, mean);
    else
        sqlite3_result_int64(context, (int64_t)known);
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

/* ---- The functions ------------------------------------------------------------------------- */

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
        {"cell", 3, cell_of, NULL, NULL},
        {"over", 2, over, NULL, NULL},
        {"cells", 6, NULL, add_cell, cells_end},
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
