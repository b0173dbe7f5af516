#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/folder.h"
#include "model/record.h"
#include "publish/compare/sides.h"

/* The gate: some cell is slower by more than --threshold with a significant test. */
static int judge(const struct comparison *c, const struct options *o, struct error *e)
{
    size_t count = compare_regressions(c), worst = 0, known = 0;
    for (size_t i = 0; i < c->row_count; i++) known += !isnan(c->rows[i].ratio);
    if (o->threshold.given && !known)
        return fail(e, EXIT_GATE,
                    "compare: --threshold: nothing was compared: no cell was timed on both sides; "
                    "measure both with the same options");
    if (!o->threshold.given || !count) return 0;
    for (size_t i = 0; i < c->row_count; i++)
        if (c->rows[i].verdict == VERDICT_SLOWER &&
            (c->rows[worst].verdict != VERDICT_SLOWER || c->rows[i].ratio > c->rows[worst].ratio))
            worst = i;
    return fail(
        e, EXIT_GATE,
        "slower: %zu of %zu cells: by more than %g%%, the worst %s by %.1f%%; see the rows, "
        "or allow more with --threshold",
        count, c->row_count, o->threshold.value, c->rows[worst].cell,
        100 * (c->rows[worst].ratio - 1));
}

/* A word names a folder of results, or with --by a value of the axis. */
static int check_out(const struct options *o, struct error *e)
{
    int code = 0;
    for (size_t i = 0; i < o->positional.count && !code; i++)
        if (!o->by || record_is_folder(o->positional.items[i]))
            code = refuse_second_folder("compare", o, o->positional.items[i], e);
    return code;
}

static int compare(const struct options *o, struct error *e)
{
    char home[1024];
    struct sides sides;
    struct comparison c;
    int code = results_to_read(o, home, sizeof home, e);
    if (!code)
        code = sides_open(&(struct sides_request){.words = o->positional.items,
                                                  .word_count = o->positional.count,
                                                  .by = o->by,
                                                  .home = home,
                                                  .filters = o->filters.items,
                                                  .filter_count = o->filters.count},
                          &sides, e);
    if (code) return code;
    if (o->threshold.given) sides.plan.margin = o->threshold.value / 100;
    code = compare_make(&sides.plan, &c, e);
    if (!code) {
        if (o->json)
            code = record_print(compare_document(&c), e);
        else
            compare_write(&c, stdout, terminal_of(stdout), o->quiet);
        if (!code) code = judge(&c, o, e);
        compare_free(&c);
    }
    sides_close(&sides);
    return code;
}

static bool compares_values(const char *by)
{
    return by && strcmp(by, "cpu") != 0 && strcmp(by, "commit") != 0;
}

int cmd_compare(const struct options *o, struct error *e)
{
    struct options found = *o;
    int code = check_out(o, e);
    if (!code)
        code = keep_result_folders("compare", compares_values(o->by), &o->positional,
                                   &found.positional, e);
    return code ? code : compare(&found, e);
}
