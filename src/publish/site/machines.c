// SPDX-License-Identifier: MIT
#include "publish/site/machines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "publish/db/columns.h"
#include "publish/db/db.h"
#include "publish/render/query.h"
#include "publish/render/rows.h"
#include "publish/site/assets.h"
#include "publish/site/frame.h"
#include "publish/site/lines.h"
#include "publish/sql/facts.h"
#include "publish/sql/sql.h"

/* Whole records take 270 MB of memory a machine: more than these are read as an archive's tables
 * have them. */
enum { WHOLE = 7 };
/* More machines than these have no column each. */
enum { COLUMNS = 24 };

/* ---- Which runs stand side by side ----------------------------------------------------------- */

static int put_asked(const struct lab_db *l, const int64_t *runs, size_t count, struct error *e)
{
    int code = 0;
    for (size_t i = 0; !code && i < count; i++)
        code = lab_run(l, e, "INSERT INTO temp.asked VALUES(?, ?)", "ii", (int64_t)i, runs[i]);
    return code;
}

/* Selects the newest run of each machine, in the order of their names. */
static const char newest_sql[] =
    "CREATE TEMP TABLE kept AS SELECT run, slug FROM (SELECT a.run, m.slug, row_number() OVER "
    "(PARTITION BY m.id ORDER BY a.side DESC) AS age FROM temp.asked a JOIN runs r ON r.id = a.run "
    "JOIN machines m ON m.id = r.machine) WHERE age = 1; DELETE FROM temp.asked; INSERT INTO "
    "temp.asked SELECT row_number() OVER (ORDER BY slug) - 1, run FROM temp.kept";
static const char asked_sql[] =
    "PRAGMA temp_store = MEMORY; CREATE TEMP TABLE asked(side INTEGER PRIMARY KEY, run INTEGER)";

/* The runs of few machines again, whole. */
static int read_whole(struct lab_db *l, const char *path, struct error *e)
{
    char words[WHOLE][1100];
    const char *places[WHOLE];
    size_t count = 0;
    sqlite3_stmt *s;
    struct lab_db whole;
    int code = lab_prepare(
        l, "SELECT r.run FROM temp.asked JOIN runs r ON r.id = asked.run ORDER BY side", &s, e);
    for (; !code && count < WHOLE && sqlite3_step(s) == SQLITE_ROW; count++) {
        snprintf(words[count], sizeof *words, "%s:run=%s", path, column_text(s, 0));
        places[count] = words[count];
    }
    sqlite3_finalize(s);
    if (!code) code = db_read(&whole, places, count, e);
    if (code) return code;
    lab_close(l);
    *l = whole;
    return 0;
}

/* Sums of errors, which are a view in memory, are computed once. */
static const char all_sql[] =
    "INSERT INTO temp.asked SELECT id - 1, id FROM runs; CREATE TEMP TABLE IF NOT EXISTS "
    "error_sums AS SELECT * FROM main.error_sums; CREATE INDEX temp.sums_of_blobs ON "
    "error_sums(blob)";

static int ask_all(const struct lab_db *l, struct error *e)
{
    const int code = lab_execute(l, asked_sql, e);
    return code ? code : lab_execute(l, all_sql, e);
}

static int open_newest(const char *path, const char *selector, struct machines *m, struct error *e)
{
    int64_t *runs = NULL;
    size_t count = 0;
    int code = db_open(&m->l, path, LAB_READ, e);
    if (code) return code;
    code = lab_select(&m->l, selector, &runs, &count, e);
    if (!code) code = lab_execute(&m->l, asked_sql, e);
    if (!code) code = put_asked(&m->l, runs, count, e);
    if (!code) code = lab_execute(&m->l, newest_sql, e);
    free(runs);
    m->sides = (size_t)lab_number(&m->l, "SELECT count(*) FROM temp.asked");
    if (code) lab_close(&m->l);
    return code;
}

static int open_archive(const char *path, const char *selector, struct machines *m, struct error *e)
{
    int code = open_newest(path, selector, m, e);
    if (code || m->sides > WHOLE) return code;
    code = read_whole(&m->l, path, e);
    if (!code) code = ask_all(&m->l, e);
    if (code) lab_close(&m->l);
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
    if (q->count == 1 && lab_is_place(q->places[0], path, sizeof path, &selector))
        return open_archive(path, selector, m, e);
    int code = 0;
    if (q->loaded)
        m->l = *q->loaded;
    else
        code = db_read(&m->l, q->places, q->count, e);
    if (code) return code;
    code = ask_all(&m->l, e);
    m->sides = (size_t)lab_number(&m->l, "SELECT count(*) FROM temp.asked");
    if (code) lab_close(&m->l);
    return code;
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

/* Two values that a query gives where two runs must not stand side by side. */
static int check_comparable(const struct lab_db *l, struct error *e)
{
    static const char sql[] =
        "WITH f AS (SELECT side, name, document ->> 'schema' AS schema, document ->> "
        "'$.request.seed' AS seed FROM temp.sides WHERE folder IS NOT NULL) "
        "SELECT a.name, b.name, a.schema, b.schema, a.seed, b.seed, a.schema <> b.schema "
        "FROM f a JOIN f b ON b.side > a.side WHERE a.schema <> b.schema OR a.seed <> b.seed";
    sqlite3_stmt *s;
    int code = lab_prepare(l, sql, &s, e);
    if (code) return code;
    if (sqlite3_step(s) == SQLITE_ROW) {
        const bool schema = sqlite3_column_int(s, 6);
        code = fail(e, EXIT_BAD_INPUT,
                    schema ? "refused: %s and %s: schema %s against %s; measure one of them again"
                           : "refused: %s and %s: inputs of seed %s against %s; measure again with "
                             "one --seed",
                    column_text(s, 0), column_text(s, 1), column_text(s, schema ? 2 : 4),
                    column_text(s, schema ? 3 : 5));
    }
    sqlite3_finalize(s);
    return code;
}

static int check_shared(const struct machines_request *q, const struct lab_db *l, struct error *e)
{
    if (lab_number(l, "SELECT count(*) FROM temp.counts WHERE cells") < 2 ||
        lab_number(l, "SELECT count(*) FROM temp.lines WHERE sides > 1"))
        return 0;
    return fail(e, EXIT_USAGE,
                "report: %s%s: no cell in common: other machine code or other shapes; change "
                "--filter, or compare commits with 'ulplab compare --by commit'",
                q->places[0], q->count > 1 ? " and others" : "");
}

static int prepare(const struct machines_request *q, struct machines *m, struct error *e)
{
    const struct lab_db *l = &m->l;
    char bar[200];
    m->few = m->sides <= COLUMNS;
    snprintf(bar, sizeof bar,
             "CREATE TEMP TABLE bar AS SELECT %.17g AS bar; CREATE TEMP "
             "TABLE exact AS SELECT %d AS exact",
             q->bar, m->few);
    int code = lines_functions_add(l, e);
    if (!code) code = lab_execute(l, bar, e);
    if (!code) code = choose_variants(q, l, e);
    if (!code) code = lab_execute(l, sql_machines_scope, e);
    if (!code) code = check_comparable(l, e);
    if (!code) code = check_shared(q, l, e);
    if (!code) code = lab_execute(l, sql_machines_lines, e);
    if (!code) code = lab_execute(l, sql_machines_figures, e);
    if (!code) code = lab_execute(l, sql_machines_bytes, e);
    return code;
}

/* ---- Sections -------------------------------------------------------------------------------- */

/* A section is words and a query (render/query.h). */
static const struct part {
    const char *id, *title, *words, *sql;
    bool few, many, page; /* where it stands: of few machines, of many; in performance.html */
} parts[] = {
    {"answer", "The answer",
     "Of each machine, over its own run: what AVX-512 buys over AVX2, the fastest policy that "
     "promises something with its speed over off [95% interval], and its times over the mean of "
     "those that ran the same code.",
     sql_machines_answer, .few = true, .page = true},
    {"runs", "The runs",
     "Cells compare where two machines ran the same machine code, and libraries where their "
     "version is the same, at the same row length and level of memory. Of each variant, the code "
     "that most machines ran stands here; the rest is beyond the comparison. Times of different "
     "machines were not measured side by side: what disturbed one run did not disturb the other.",
     sql_machines_facts, .few = true, .page = true},
    {"isas", "What an ISA buys",
     "Speed of the wider over the narrower [95% interval]: the same kernel, compiler, policy and "
     "shape on one thread, each operation weighs the same; of how many cells, and the share of "
     "its limit that the wider one reaches, on average.",
     sql_machines_isas, .few = true, .page = true},
    {"features", "What each feature buys", "", sql_section_features, .few = true, .page = true},
    {"policies", "Policies",
     "Speed relative to off of the same compiler [95% interval], over the cells that all of its "
     "policies have, of kernels whose code they change; each operation weighs the same.",
     sql_machines_policies, .few = true, .page = true},
    {"differ", "Where the best policy differs",
     "Builds of equal machine code of which each machine is faster under another policy: how much "
     "longer the other's takes [95% interval]. Only policies that promise something; of several "
     "pairs of machines the one with the greatest gain, at most 60.",
     sql_machines_differ, .few = true, .page = true},
    {"kernels", "Kernels",
     "The fastest advised build of each machine, by operation and class of shapes (short rows "
     "have at most 64 elements), on one thread: ns per element, the share of its limit, the "
     "largest error on family normal. Advised is what promises something, keeps it, and errs by "
     "at most the bar (--max-ulp).",
     sql_machines_winners, .few = true, .page = true},
    {"machines", "Machines",
     "The 10 fastest and the 10 slowest, by the geometric mean of their times over all machines' "
     "mean; limits of one thread. performance.html has all.",
     sql_machines_list, .many = true},
    {"kernels", "Kernels",
     "Of each operation and level of memory the build with the least mean, of those that half of "
     "the machines ran: time of an element on one thread, over machines.",
     sql_machines_races, .many = true},
    {"limits", "Limits, measured in the same runs",
     "Of several sizes of one kind and level the best.", sql_machines_limits, .few = true,
     .page = true},
};
enum { PARTS = sizeof parts / sizeof *parts };

static bool stands(const struct machines *m, size_t i, bool page)
{
    return m->parts >> i & 1 && (!page || parts[i].page);
}

/* The parts that have rows. */
static unsigned find_parts(const struct machines *m)
{
    unsigned found = 0;
    for (size_t i = 0; i < PARTS; i++)
        if ((m->few ? parts[i].few : parts[i].many) && query_has_rows(&m->l, parts[i].sql, false))
            found |= 1U << i;
    return found;
}

static void write_parts(const struct machines *m, const struct doc *d, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const struct part *p = &parts[i];
        if (!stands(m, i, d->html)) continue;
        query_section(d, &m->l, p->id, p->title, p->words, p->sql);
    }
}

int machines_open(const struct machines_request *q, struct machines *m, struct error *e)
{
    int code = open_places(q, m, e);
    if (code) return code;
    code = prepare(q, m, e);
    if (code)
        lab_close(&m->l);
    else
        m->parts = find_parts(m);
    return code;
}

void machines_close(struct machines *m)
{
    lab_close(&m->l);
}

/* "2 CPUs", "3 runs of 1 CPU". */
static void title_of(const struct machines *m, char *title, size_t size)
{
    const int cpus = (int)lab_number(&m->l, "SELECT count(DISTINCT slug) FROM temp.sides");
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
    size_t size = 0, links = 2;
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
        .style = machines_css,
        .links = {{"cells", "Cells"}, {"list", "Machines"}},
        .data = data,
        .scripts = {machines_js},
    };
    const struct doc d = {.out = memory_text(&f.body, &size), .html = true};
    write_parts(m, &d, 0, 1);
    fputs(machines_html, d.out);
    write_parts(m, &d, 1, PARTS);
    memory_text_close(d.out);
    for (size_t i = 1; i < PARTS; i++)
        if (stands(m, i, true)) f.links[links++] = (struct frame_link){parts[i].id, parts[i].title};
    return frame_write(&f, path, e);
}
