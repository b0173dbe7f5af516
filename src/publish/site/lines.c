// SPDX-License-Identifier: MIT
#include "publish/site/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/stats.h"
#include "model/record.h"

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

/* Gathers the fastest cell of each side. */
static void add_least(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct gathered *g = sqlite3_aggregate_context(context, sizeof *g);
    size_t sides;
    const struct cell *cells = cells_of(values[0], &sides);
    (void)count;
    if (!g) return;
    if (!g->cells) *g = (struct gathered){memory_zeroed(sides + 1, sizeof *g->cells), sides};
    for (size_t i = 0; i < sides; i++)
        if (cells[i].ns > 0 && !(g->cells[i].ns > 0 && g->cells[i].ns <= cells[i].ns))
            g->cells[i] = cells[i];
}

static void cell_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    size_t sides, side = (size_t)sqlite3_value_int64(values[1]);
    const struct cell *cells = cells_of(values[0], &sides);
    (void)count;
    if (side >= sides || !(cells[side].ns > 0)) return;
    const bool shape = *(const char *)sqlite3_value_text(values[2]) == 's';
    sqlite3_result_int(context, shape ? cells[side].shape : cells[side].merged);
}

static void over(sqlite3_context *context, int count, sqlite3_value **values)
{
    size_t sides, known = 0;
    const struct cell *cells = cells_of(values[0], &sides);
    double sum = 0;
    (void)count;
    for (size_t i = 0; i < sides; i++)
        if (cells[i].ns > 0) {
            sum += log((double)cells[i].ns);
            known++;
        }
    if (!strcmp((const char *)sqlite3_value_text(values[1]), "mean"))
        sqlite3_result_double(context, sum / (double)known);
    else
        sqlite3_result_int64(context, (int64_t)known);
}

/* ---- Figures for the page's script ----------------------------------------------------------- */

/* 0: none. A time in 1024 codes an octave, to 0.07%; a clock in GHz from 0.7 to 6.6, in 79, to
 * 0.5%; a share in percent, each a code. 't', 'c', 's': of 2, 1, 1 bytes. */
static unsigned code_of(char figure, const struct cell *c)
{
    const double ns = (double)c->ns, clock = (double)c->cycles / ns,
                 code = figure == 't'   ? 32768 + 1024 * log2(ns)
                        : figure == 'c' ? 40 + 79 * log2(clock)
                                        : 1 + (double)c->percent;
    return ns > 0 && !isnan(code) ? (unsigned)fmax(1, fmin(figure == 't' ? 65535 : 255, code + 0.5))
                                  : 0;
}

/* A JSON text. */
static void packed(sqlite3_context *context, int count, sqlite3_value **values)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t sides;
    (void)count;
    const struct cell *cells = cells_of(values[0], &sides);
    const char figure = *(const char *)sqlite3_value_text(values[1]);
    const size_t wide = figure == 't' ? 2 : 1, size = sides * wide;
    unsigned char *bytes = memory_zeroed(size + 2, 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(code_of(figure, &cells[i / wide]) >> 8 * (i % wide));
    char *text = memory_zeroed((size + 2) / 3 * 4 + 3, 1), *at = text;
    *at++ = '"';
    for (size_t i = 0; i < size; i += 3) {
        const unsigned word = (unsigned)(bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2]);
        for (size_t k = 0; k < 4; k++)
            *at++ = i + k <= size ? digits[word >> (18 - 6 * k) & 63] : '=';
    }
    *at = '"';
    sqlite3_result_text(context, text, -1, free);
    free(bytes);
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

/* Sums of logarithms by side, and of how many. */
struct sums {
    double *logs;
    size_t sides;
};

static void add_ratios(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct sums *s = sqlite3_aggregate_context(context, sizeof *s);
    size_t sides, others;
    const struct cell *over = cells_of(values[0], &sides), *under = cells_of(values[1], &others);
    const double all = others == sides ? 0 : sqlite3_value_double(values[1]);
    (void)count;
    if (!s->logs) *s = (struct sums){memory_zeroed(2 * sides + 1, sizeof *s->logs), sides};
    for (size_t i = 0; i < sides; i++) {
        const double time = all > 0 ? all : (double)under[i].ns;
        if (over[i].ns > 0 && time > 0)
            s->logs[2 * i] += log((double)over[i].ns / time), s->logs[2 * i + 1]++;
    }
}

static void ratios_end(sqlite3_context *context)
{
    const struct sums *s = sqlite3_aggregate_context(context, 0);
    if (!s) return;
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (size_t i = 0; i < s->sides; i++)
        sqlite3_str_appendf(text, s->logs[2 * i + 1] > 0 ? "%c%!.15g" : "%cnull", i ? ',' : '[',
                            exp(s->logs[2 * i] / s->logs[2 * i + 1]));
    sqlite3_str_appendchar(text, 1, ']');
    sqlite3_result_text(context, sqlite3_str_finish(text), -1, sqlite3_free);
    free(s->logs);
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

/* records_of(place, name): the records of a file that no table has, as a JSON array. */
static void records_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct error ignored; /* a place without the file has nothing of it to show */
    json_t *records = NULL;
    (void)count;
    const char *place = (const char *)sqlite3_value_text(values[0]);
    if (!place || record_read_from(place, (const char *)sqlite3_value_text(values[1]), true,
                                   &records, &ignored))
        return;
    sqlite3_result_text(context, json_dumps(records, JSON_COMPACT), -1, free);
    json_decref(records);
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
        {"spread", 2, spread, NULL, NULL},         {"packed", 2, packed, NULL, NULL},
        {"cell", 3, cell_of, NULL, NULL},          {"over", 2, over, NULL, NULL},
        {"cells", 6, NULL, add_cell, cells_end},   {"file_of", 2, file_of, NULL, NULL},
        {"winners", 2, NULL, add_racer, race_end}, {"ratios", 2, NULL, add_ratios, ratios_end},
        {"least", 1, NULL, add_least, cells_end},  {"records_of", 2, records_of, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (sqlite3_create_function(l->db, functions[i].name, functions[i].arguments, SQLITE_UTF8,
                                    (void *)(uintptr_t)l, functions[i].function, functions[i].step,
                                    functions[i].end) != SQLITE_OK)
            return lab_failed(l, e);
    return 0;
}
