// SPDX-License-Identifier: MIT
#include "publish/site/machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
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

/* ---- Selection of runs ----------------------------------------------------------------------- */

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

/* Selects the runs to compare; closes the database if it fails. */
static int machines_ask(struct machines *m, const char *sql, struct error *e)
{
    int code = lab_execute(&m->l, asked_sql, e);
    if (!code) code = lab_execute(&m->l, sql, e);
    m->sides = (size_t)lab_number(&m->l, "SELECT count(*) FROM temp.asked");
    if (code) lab_close(&m->l);
    return code;
}

/* Loads the runs again completely if there are only a few machines. */
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

/* ---- Queries --------------------------------------------------------------------------------- */

static int choose_variants(const struct machines_request *q, const struct lab_db *l,
                           struct error *e)
{
    static const char sql[] =
        "CREATE TEMP TABLE wanted(variant INTEGER PRIMARY KEY, library); INSERT INTO temp.wanted "
        "SELECT id, cc = 'lib' AND algorithm LIKE 'peer-%' FROM variants "
        "WHERE fits(variant, op, algorithm, dtype, isa, cc, policy)";
    return narrow_run(l, sql, q->filters, q->filter_count, e);
}

/* file_of(run, name): the text of a run's file, in an archive. */
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

static int machines_prepare(const struct machines_request *q, struct machines *m, struct error *e)
{
    const struct lab_db *l = &m->l;
    m->few = m->sides <= COLUMNS;
    sqlite3_create_function(l->db, "file_of", 2, SQLITE_UTF8, (void *)(uintptr_t)l, file_of, NULL,
                            NULL);
    int code = choose_variants(q, l, e);
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
     "For each machine and compiler the fastest policy that promises something, with its speed "
     "over off [95% interval] over the cells whose code it changes, for intrinsics and for plain "
     "loops, in which compilers may contract expressions; and the machine's times over the mean of "
     "the machines that ran the same code. Kernels with explicit arithmetic do not change.",
     sql_machines_answer},
    {FEW, "runs", "The runs",
     "Cells are compared if two machines ran the same machine code (of libraries, the same "
     "version) at the same row length and level of memory. For each variant the page has the code "
     "that most machines ran; other cells are not compared. Machines were not measured side by "
     "side: a disturbance may affect one run and not the other.",
     sql_machines_facts},
    {FEW, "isas", "Gain from wider ISAs",
     "Speed of the fastest advised kernel of the wider ISA over that of the narrower [95% "
     "interval], and the number of shapes, on one thread, with equal weight for each operation; "
     "the average share of its limit that the wider one reaches; then the same kernel on both, by "
     "the same compiler and policy: minimum, median, maximum. Each level of memory has the row "
     "lengths that were timed there.",
     sql_machines_isas},
    {FEW, "features", "Gain from each feature", "", sql_section_features},
    {FEW, "policies", "Policies",
     "Speed relative to off of the same compiler [95% interval], over the cells whose code the "
     "policy changes, without kernels that are wrong by design; each operation has the same "
     "weight.",
     sql_machines_policies},
    {FEW, "differ", "Where the best policy differs",
     "Builds with equal machine code for which two machines have different fastest policies: how "
     "much longer the other machine's policy takes [95% interval]. Only policies that promise "
     "something; among several pairs of machines the one with the largest gain, at most 60.",
     sql_machines_differ},
    {FEW, "kernels", "Kernels",
     "The fastest advised build of each machine, by operation and class of shapes (short rows "
     "have at most 64 elements), on one thread: ns per element, the share of its limit, the "
     "largest error on family normal. A build is advised if it promises something, keeps its "
     "promises, and its error is within the bar (--max-ulp).",
     sql_machines_winners},
    {MANY, "machines", "Machines",
     "The 10 fastest and the 10 slowest, by the geometric mean of their times over all machines' "
     "mean; limits of one thread. performance.html has all.",
     sql_machines_list},
    {MANY, "kernels", "Kernels",
     "For each operation and level of memory the build with the smallest mean time, among those "
     "that half of the machines ran: time per element on one thread, over machines.",
     sql_machines_races},
    {FEW, "limits", "Limits, measured in the same runs",
     "For several sizes of one kind and level, the best.", sql_machines_limits},
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
