// SPDX-License-Identifier: MIT
#include "publish/site/machines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "measure/stats.h"
#include "model/record.h"
#include "publish/archive/archive.h"
#include "publish/db/columns.h"
#include "publish/db/db.h"
#include "publish/render/query.h"
#include "publish/render/rows.h"
#include "publish/site/assets.h"
#include "publish/site/frame.h"
#include "publish/sql/facts.h"
#include "publish/sql/sql.h"

/* Whole records take 270 MB of memory a machine: more than these are read as an archive's tables
 * have them. */
enum { WHOLE = 7 };
/* More machines than these have no column each. */
enum { COLUMNS = 24 };

/* ---- Which runs stand side by side ----------------------------------------------------------- */

static const char asked_sql[] = "CREATE TEMP TABLE asked(side INTEGER PRIMARY KEY, run INTEGER)";
/* The newest run of each machine, in the order of their names. */
static const char newest_sql[] =
    "INSERT INTO temp.asked SELECT row_number() OVER (ORDER BY machine) - 1, id FROM (SELECT id, "
    "machine, max(place) FROM temp.chosen_runs GROUP BY machine)";
/* All runs. Sums of errors, which are a view in memory, are computed once. */
static const char all_sql[] =
    "INSERT INTO temp.asked SELECT id - 1, id FROM runs; "
    "CREATE TEMP TABLE IF NOT EXISTS error_sums AS SELECT * FROM main.error_sums; "
    "CREATE INDEX temp.sums_of_blobs ON error_sums(blob)";

/* Selects the runs that stand side by side; closes the database if it cannot. */
static int machines_ask(struct machines *m, const char *sql, struct error *e)
{
    int code = lab_execute(&m->l, asked_sql, e);
    if (!code) code = lab_execute(&m->l, sql, e);
    m->sides = (size_t)lab_number(&m->l, "SELECT count(*) FROM temp.asked");
    if (code) lab_close(&m->l);
    return code;
}

/* The runs of few machines again, whole. */
static int read_whole(struct lab_db *l, const char *path, struct error *e)
{
    char words[WHOLE][1100];
    const char *places[WHOLE];
    size_t count = 0;
    sqlite3_stmt *s;
    int code = lab_prepare(
        l, "SELECT r.run FROM temp.asked JOIN runs r ON r.id = asked.run ORDER BY side", &s, e);
    for (; !code && count < WHOLE && sqlite3_step(s) == SQLITE_ROW; count++) {
        snprintf(words[count], sizeof *words, "%s:run=%s", path, column_text(s, 0));
        places[count] = words[count];
    }
    sqlite3_finalize(s);
    lab_close(l);
    return code ? code : db_read(l, places, count, e);
}

static int open_newest(const char *path, const char *selector, struct machines *m, struct error *e)
{
    int code = db_open(&m->l, path, LAB_READ, e);
    if (code) return code;
    code = archive_choose(&m->l, selector, e);
    if (!code) return machines_ask(m, newest_sql, e);
    lab_close(&m->l);
    return code;
}

int machines_count(const char *word, size_t *count, struct error *e)
{
    char path[1024];
    const char *selector;
    struct machines m;
    *count = 1;
    if (!lab_is_place(word, path, sizeof path, &selector)) return 0;
    int code = open_newest(path, selector, &m, e);
    if (code) return code;
    *count = m.sides;
    lab_close(&m.l);
    return 0;
}

static int open_places(const struct machines_request *q, struct machines *m, struct error *e)
{
    char path[1024];
    const char *selector;
    const bool archive = q->count == 1 && lab_is_place(q->places[0], path, sizeof path, &selector);
    int code = archive ? open_newest(path, selector, m, e) : 0;
    if (archive && (code || m->sides > WHOLE)) return code;
    if (archive)
        code = read_whole(&m->l, path, e);
    else if (q->loaded)
        m->l = *q->loaded;
    else
        code = db_read(&m->l, q->places, q->count, e);
    return code ? code : machines_ask(m, all_sql, e);
}

/* ---- What is asked of them ------------------------------------------------------------------- */

static int choose_variants(const struct machines_request *q, const struct lab_db *l,
                           struct error *e)
{
    static const char sql[] =
        "CREATE TEMP TABLE wanted(variant INTEGER PRIMARY KEY, library); INSERT INTO temp.wanted "
        "SELECT id, cc = 'lib' AND algorithm LIKE 'peer-%' FROM variants "
        "WHERE fits(variant, op, algorithm, dtype, isa, cc, policy)";
    return narrow_run(l, sql, q->filters, q->filter_count, e);
}

static int machines_prepare(const struct machines_request *q, struct machines *m, struct error *e)
{
    const struct lab_db *l = &m->l;
    m->few = m->sides <= COLUMNS;
    int code = lines_functions_add(l, e);
    if (!code) code = choose_variants(q, l, e);
    if (!code)
        code = lab_run(l, e, sql_machines_scope, "diti", q->bar, (int64_t)m->few, q->places[0],
                       (int64_t)q->count);
    if (!code) code = lab_execute(l, sql_machines_lines, e);
    if (!code) code = lab_execute(l, sql_gains, e);
    if (!code) code = lab_execute(l, sql_winners, e);
    if (!code) code = lab_execute(l, sql_machines_figures, e);
    return code;
}

/* ---- Sections -------------------------------------------------------------------------------- */

/* A section is words and a query (render/query.h). */
static const struct part {
    enum { FEW, MANY } of; /* how many machines; those of many are not in performance.html */
    const char *id, *title, *words, *sql;
} parts[] = {
    {FEW, "answer", "The answer",
     "Of each machine and compiler the fastest policy that promises something, with its speed over "
     "off [95% interval] over the cells whose code it changes, in code of intrinsics and in plain "
     "loops, which compilers may contract as they are written; and its times over the mean of "
     "those that ran the same code. Kernels that write their arithmetic out do not change.",
     sql_machines_answer},
    {FEW, "runs", "The runs",
     "Cells compare where two machines ran the same machine code, and libraries where their "
     "version is the same, at the same row length and level of memory. Of each variant, the code "
     "that most machines ran stands here; the rest is beyond the comparison. Times of different "
     "machines were not measured side by side: what disturbed one run did not disturb the other.",
     sql_machines_facts},
    {FEW, "isas", "What an ISA buys",
     "Speed of the fastest advised kernel of the wider ISA over the fastest advised one of the "
     "narrower [95% interval], over how many shapes on one thread, each operation weighs the same; "
     "the share of its limit that the wider one reaches, on average; next to it the same kernel on "
     "both, by the same compiler and policy: least, median, most. Beside a level of memory stand "
     "the lengths of rows that were timed there.",
     sql_machines_isas},
    {FEW, "features", "What each feature buys", "", sql_section_features},
    {FEW, "policies", "Policies",
     "Speed relative to off of the same compiler [95% interval], over the cells whose code the "
     "policy changes, without kernels that are wrong by design; each operation weighs the same.",
     sql_machines_policies},
    {FEW, "differ", "Where the best policy differs",
     "Builds of equal machine code of which each machine is faster under another policy: how much "
     "longer the other's takes [95% interval]. Only policies that promise something; of several "
     "pairs of machines the one with the greatest gain, at most 60.",
     sql_machines_differ},
    {FEW, "kernels", "Kernels",
     "The fastest advised build of each machine, by operation and class of shapes (short rows "
     "have at most 64 elements), on one thread: ns per element, the share of its limit, the "
     "largest error on family normal. Advised is what promises something, keeps it, and errs by "
     "at most the bar (--max-ulp).",
     sql_machines_winners},
    {MANY, "machines", "Machines",
     "The 10 fastest and the 10 slowest, by the geometric mean of their times over all machines' "
     "mean; limits of one thread. performance.html has all.",
     sql_machines_list},
    {MANY, "kernels", "Kernels",
     "Of each operation and level of memory the build with the least mean, of those that half of "
     "the machines ran: time of an element on one thread, over machines.",
     sql_machines_races},
    {FEW, "limits", "Limits, measured in the same runs",
     "Of several sizes of one kind and level the best.", sql_machines_limits},
};
enum { PARTS = sizeof parts / sizeof *parts };

/* Returns the parts that have rows, a bit each. */
static unsigned write_parts(const struct machines *m, const struct doc *d, size_t first, size_t end)
{
    unsigned found = 0;
    for (size_t i = first; i < end; i++) {
        const struct part *p = &parts[i];
        if (p->of == (m->few ? FEW : MANY) && !(d->html && p->of == MANY) &&
            query_section(d, &m->l, p->id, p->title, p->words, p->sql))
            found |= 1U << i;
    }
    return found;
}

int machines_open(const struct machines_request *q, struct machines *m, struct error *e)
{
    int code = open_places(q, m, e);
    if (code) return code;
    code = machines_prepare(q, m, e);
    if (code) lab_close(&m->l);
    return code;
}

/* "2 CPUs", "3 runs of 1 CPU". */
static void title_of(const struct machines *m, char *title, size_t size)
{
    const int cpus = (int)lab_number(&m->l, "SELECT count(DISTINCT machine) FROM temp.sides");
    const char *noun = m->few ? "CPU" : "machine";
    if ((size_t)cpus < m->sides)
        snprintf(title, size, "%zu runs of %d %s%s", m->sides, cpus, noun, cpus == 1 ? "" : "s");
    else
        snprintf(title, size, "%d %s%s", cpus, noun, cpus == 1 ? "" : "s");
}

int machines_write_text(const struct machines *m, const char *path, struct error *e)
{
    char *text = NULL, title[80];
    size_t size = 0;
    const struct doc d = {.out = memory_text(&text, &size)};
    title_of(m, title, sizeof title);
    fprintf(d.out, "# Performance and accuracy: %s\n\n", title);
    write_parts(m, &d, 0, PARTS);
    memory_text_close(d.out);
    int code = file_write_atomic(path, text, size, e);
    free(text);
    return code;
}

int machines_write_page(const struct machines *m, const char *path, struct error *e)
{
    char title[80], whole[100];
    size_t size = 0, links = 3;
    json_t *data;
    int code = columns_json(&m->l, sql_machines_page, &data, e);
    if (code) return code;
    title_of(m, title, sizeof title);
    snprintf(whole, sizeof whole, "%s side by side", title);
    struct frame f = {
        .title = whole,
        .without =
            "the tables of cells are missing. performance.md beside this page has the fastest "
            "builds.",
        .links = {{"bars", "AVX-512"}, {"cells", "Cells"}, {"list", "Machines"}},
        .data = data,
        .scripts = {machines_js},
    };
    const struct doc d = {.out = memory_text(&f.body, &size), .html = true};
    write_parts(m, &d, 0, 1);
    fputs(machines_html, d.out);
    const unsigned found = write_parts(m, &d, 1, PARTS);
    memory_text_close(d.out);
    for (size_t i = 1; i < PARTS; i++)
        if (found >> i & 1) f.links[links++] = (struct frame_link){parts[i].id, parts[i].title};
    return frame_write(&f, path, e);
}

/* ---- Lines ---------------------------------------------------------------------------------- */

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
