// SPDX-License-Identifier: MIT
#include "publish/compare/compare.h"

#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/db/db.h"
#include "publish/db/names.h"
#include "publish/render/rows.h"
#include "publish/sql/facts.h"
#include "publish/sql/sql.h"

const double compare_usual_margin = 0.02; /* the noise of a shared machine is usually smaller */
const double compare_usual_detect = 2;

enum { WORDS_MAX = 16 };

/* The sides to compare. Only comparisons over an axis have values. */
struct plan {
    const char *kind, *axis;
    const char *places[WORDS_MAX], *values[WORDS_MAX];
    size_t place_count, value_count;
};

static void compare_choose_kind(const char *by, struct plan *p)
{
    const bool of_runs = by && (!strcmp(by, "cpu") || !strcmp(by, "commit"));
    p->kind = !by ? "runs" : of_runs ? by : "axis";
    p->axis = by && !of_runs ? by : NULL;
}

/* A run of an archive is a single word. */
static int compare_add_place(struct plan *p, const char *word, struct error *e)
{
    char path[1024], *text = NULL;
    const char *selector;
    size_t size;
    int code = 0;
    if (lab_is_place(word, path, sizeof path, &selector))
        code = lab_read_place(word, "machine.json", &text, &size, e);
    free(text);
    p->places[p->place_count++] = word;
    return code;
}

static int sort_words(const struct compare_request *q, struct plan *p, struct error *e)
{
    int code = 0;
    if (q->word_count > WORDS_MAX)
        return fail(e, EXIT_USAGE, "compare: more than %d sides; give fewer", WORDS_MAX);
    for (size_t i = 0; !code && i < q->word_count; i++)
        if (p->axis && !record_is_folder(q->words[i]))
            p->values[p->value_count++] = q->words[i];
        else
            code = compare_add_place(p, q->words[i], e);
    if (!code && !p->place_count && p->axis && q->home) code = compare_add_place(p, q->home, e);
    if (code) return code;
    if (p->axis && (!p->place_count || p->place_count > 2))
        return fail(e, EXIT_USAGE, "compare: --by %s: %zu folders; give one or two", q->by,
                    p->place_count);
    if (!p->axis && p->place_count < 2)
        return fail(e, EXIT_USAGE,
                    "compare: %zu folders; give two or more, or one with --by isa, policy or cc",
                    p->place_count);
    return 0;
}

/* Makes the sides. */
static int compare_make_sides(const struct lab_db *l, const struct plan *p,
                              const struct compare_request *q, struct error *e)
{
    char *places = json_words(p->places, p->place_count),
         *values = json_words(p->values, p->value_count);
    const int code = lab_run(l, e, sql_compare_scope, "ttdtditt", p->kind, p->axis, q->margin,
                             q->gates, q->detect, (int64_t)q->map_count, places, values);
    free(places);
    free(values);
    return code;
}

/* Makes the tables of a database that has all records. */
static int compare_loaded(const struct plan *p, const struct compare_request *q, struct lab_db *l,
                          struct error *e)
{
    int code = q->map_count ? db_renames(l, q->maps, q->map_count, e) : 0;
    if (!code && q->map_count) code = db_rename(l, e);
    if (!code) code = db_narrow(l, q->filters, q->filter_count, e);
    if (!code) code = lab_run(l, e, sql_facts, "");
    if (!code) code = compare_make_sides(l, p, q, e);
    if (!code) code = lab_run(l, e, sql_compare, "");
    if (code) lab_close(l);
    return code;
}

int compare_open(const struct compare_request *q, struct lab_db *l, struct error *e)
{
    struct plan p = {.place_count = 0};
    compare_choose_kind(q->by, &p);
    int code = sort_words(q, &p, e);
    if (!code) code = db_read(l, p.places, p.place_count, e);
    return code ? code : compare_loaded(&p, q, l, e);
}

int compare_open_sides(const struct compare_request *q, const json_t *document,
                       const struct compare_side sides[2], struct lab_db *l, struct error *e)
{
    const struct plan p = {
        .kind = "duel", .places = {sides[0].name, sides[1].name}, .place_count = 2};
    const json_t *const rows[] = {sides[0].rows, sides[1].rows};
    int code = db_read_records(l, document, "timing.jsonl", rows, 2, e);
    return code ? code : compare_loaded(&p, q, l, e);
}
