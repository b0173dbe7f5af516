#include "publish/compare/compare_write.h"

#include <string.h>

#include "base/number.h"
#include "publish/compare/compare_text.h"

static void write_sides(const struct comparison *c, FILE *out, struct terminal terminal)
{
    static const char *const kinds[] = {[COMPARE_RUNS] = "runs of one machine",
                                        [COMPARE_AXIS] = "the values of one axis",
                                        [COMPARE_CPUS] = "CPUs (the machines differ)",
                                        [COMPARE_COMMITS] =
                                            "commits: the same ids, whatever their machine code"};
    write_prose(
        out, terminal, 2, "Comparison of %s%s%s; time of b over time of a, above 1 is slower.",
        kinds[c->plan->kind], c->plan->axis ? ": " : "", c->plan->axis ? c->plan->axis : "");
    for (size_t s = 0; s < c->plan->count; s++) {
        const struct side *side = &c->plan->sides[s];
        char run[400];
        origin_describe(side->results, side->folder, run, sizeof run);
        bool said = s && c->plan->axis && side->results == c->plan->sides[s - 1].results;
        write_prose(out, terminal, 6, "  %s = %s%s%s", s ? "b" : "a", side->name, said ? "" : ": ",
                    said ? "" : run);
    }
}

/* ---- Means ---------------------------------------------------------------------------------- */

static void write_means(const struct comparison *c, FILE *out, struct terminal terminal)
{
    static const struct column columns[] = {
        {"b", false, 0},     {"operation", false, 0}, {"in", false, 0},  {"b/a [95%]", true, 0},
        {"faster", true, 0}, {"slower", true, 0},     {"same", true, 0}, {"~", true, 0},
    };
    struct table table;
    table_begin(&table, columns, 8);
    for (size_t i = 0; i < c->mean_count; i++) {
        const struct compare_mean *m = &c->means[i];
        char counts[VERDICTS][24], ratio[64];
        for (size_t v = 0; v < VERDICTS; v++)
            snprintf(counts[v], sizeof counts[v], "%zu", m->verdicts[v]);
        compare_interval_text(m->ratio, m->low, m->high, ratio, sizeof ratio);
        const char *const cells[] = {c->plan->sides[m->to].name,
                                     m->op[0] ? m->op : "all",
                                     m->residency[0] ? m->residency : "all",
                                     ratio,
                                     counts[VERDICT_FASTER],
                                     counts[VERDICT_SLOWER],
                                     counts[VERDICT_SAME],
                                     counts[VERDICT_UNKNOWN]};
        table_add(&table, TINT_NONE, cells);
    }
    table_end(&table, out, terminal);
}

/* ---- Accuracy ------------------------------------------------------------------------------- */

static void add_accuracy(struct table *t, const struct comparison *c,
                         const struct compare_accuracy *a)
{
    char max[64], lost[64], mean[64], bits[64], kernel[80];
    struct axes axes = {.op = ""};
    compare_pair_text(a->max_ulp, max, sizeof max);
    compare_lost_text(a, lost, sizeof lost);
    compare_pair_text(a->mean_ulp, mean, sizeof mean);
    compare_bits_text(a, bits, sizeof bits);
    axes_parse(a->variant, &axes);
    snprintf(kernel, sizeof kernel, "%s/%s", axes.op, axes.algorithm);
    table_add(t, a->cells == a->equal ? TINT_NONE : TINT_BAD,
              (const char *const[]){c->plan->sides[a->to].name, kernel, axes.dtype, axes.isa,
                                    axes.cc, axes.policy, max, lost, mean, bits});
}

/* Used where nothing was timed. A terminal shows only the rows that differ if there are many. */
static void write_accuracies(const struct comparison *c, FILE *out, struct terminal terminal)
{
    static const struct column columns[] = {{"b", false, 0},           {"kernel", false, 0},
                                            {"dtype", false, 0},       {"isa", false, 0},
                                            {"cc", false, 0},          {"policy", false, 0},
                                            {"max ulp a b", true, 0},  {"lost a b", true, 0},
                                            {"mean ulp a b", true, 1}, {"equal bits", true, 0}};
    struct table table;
    size_t same = 0, left = 0;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    table.gathered = 6;
    for (size_t i = 0; i < c->accuracy_count; i++) {
        const struct compare_accuracy *a = &c->accuracies[i];
        if (a->from) continue;
        bool equal = a->cells && a->cells == a->equal;
        bool skip = terminal.columns && c->accuracy_count > COMPARE_SCREEN_ROWS &&
                    (equal || table.rows >= COMPARE_SCREEN_ROWS);
        same += skip && equal;
        left += skip && !equal;
        if (!skip) add_accuracy(&table, c, a);
    }
    if (table.rows) table_end(&table, out, terminal);
    if (same + left)
        write_prose(out, terminal, 2,
                    "... and %zu rows that differ, %zu with equal bits throughout: --filter "
                    "narrows, a pipe or --json has all.",
                    left, same);
}

static void write_classes(const struct comparison *c, FILE *out, struct terminal terminal)
{
    static const struct column columns[] = {
        {"variants", true, 0}, {"equal bits ( | divides)", false, 0}, {"such as", false, 1}};
    struct table table;
    table_begin(&table, columns, 3);
    for (size_t i = 0; i < c->class_count; i++) {
        char count[24];
        snprintf(count, sizeof count, "%zu", c->classes[i].variants);
        table_add(&table, TINT_NONE,
                  (const char *const[]){count, c->classes[i].members, c->classes[i].first});
    }
    table_end(&table, out, terminal);
}

/* ---- The whole ------------------------------------------------------------------------------ */

/* What each side has beyond what is compared, and why. */
static void write_beyond(const struct comparison *c, FILE *out, struct terminal terminal)
{
    for (size_t s = 0; s < c->plan->count; s++)
        for (enum beyond why = 0; why < BEYONDS; why++)
            if (c->beyond[s][why])
                write_prose(out, terminal, 2, "Not compared, of %s (%s): %zu cells: %s.",
                            s ? "b" : "a", c->plan->sides[s].name, c->beyond[s][why],
                            beyond_text(why));
    if (c->changed)
        write_prose(out, terminal, 2, "%zu of %zu rows compare different machine code.", c->changed,
                    c->row_count);
}

/* What a side loses that the first computes: of the variant that loses most. */
static void write_losses(const struct comparison *c, FILE *out, struct terminal terminal)
{
    for (size_t to = 1; to < c->plan->count; to++) {
        const struct compare_accuracy *worst = NULL;
        size_t variants = 0;
        for (size_t i = 0; i < c->accuracy_count; i++) {
            const struct compare_accuracy *a = &c->accuracies[i];
            if (a->from || a->to != to || a->lost[1] <= a->lost[0]) continue;
            variants++;
            if (!worst || a->lost[1] - a->lost[0] > worst->lost[1] - worst->lost[0]) worst = a;
        }
        if (!worst) continue;
        size_t lost = worst->lost[1] - worst->lost[0];
        size_t nan = worst->nan[1] > worst->nan[0] ? worst->nan[1] - worst->nan[0] : 0;
        write_prose(out, terminal, 2,
                    "%s: %s for %s results of %s that %s computes; %zu more variants lose results.",
                    c->plan->sides[to].name,
                    nan >= lost ? "NaN" : "NaN, or wrongly infinite or finite,",
                    number_count(lost).text, worst->variant, c->plan->sides[0].name, variants - 1);
    }
}

static void write_notes(const struct comparison *c, FILE *out, struct terminal terminal)
{
    size_t too_few = 0, side_by_side = 0, modes = 0, tied = 0;
    char identical[200];
    for (size_t i = 0; i < c->row_count; i++) {
        too_few += !strcmp(c->rows[i].why, "too few processes for any verdict");
        side_by_side += c->rows[i].side_by_side;
        modes += !strcmp(c->rows[i].flag, "two-modes");
        tied += c->rows[i].tied;
    }
    identical_text(&c->identical, identical, sizeof identical);
    if (side_by_side)
        write_prose(
            out, terminal, 2,
            "%zu of %zu rows were timed side by side. Ratio: the median of the majority of "
            "the processes' ratios; q: Student, Benjamini-Hochberg over all rows; means are "
            "geometric, formed within a process, their intervals over processes. %s",
            side_by_side, c->row_count, identical);
    if (side_by_side < c->row_count)
        write_prose(out, terminal, 2,
                    "%s rows were not timed side by side. Ratio: Hodges-Lehmann over the "
                    "processes' medians; q: Mann-Whitney, Benjamini-Hochberg over all rows; means "
                    "are geometric, their intervals as wide as if all cells erred together.%s%s",
                    side_by_side ? "The other" : "These", side_by_side ? "" : " ",
                    side_by_side ? "" : identical);
    write_prose(
        out, terminal, 2,
        "faster, slower: q <= 0.05, more than %.3g%%, and more than identical code is apart; "
        "same: the whole interval within that margin; ~: the data cannot tell.",
        100 * c->plan->margin);
    write_prose(
        out, terminal, 2,
        "ulp: family normal, inf where results are lost; bits: accuracy cells whose outputs "
        "are equal, = is all.");
    write_losses(c, out, terminal);
    if (c->unlike)
        write_prose(
            out, terminal, 2,
            "The errors of %zu accuracy cells are of different measures (docs/method.md, "
            "\"Error measure\") and are not compared; bits are. Measure both sides with one "
            "version.",
            c->unlike);
    if (modes)
        write_prose(out, terminal, 2,
                    "%zu rows have two-modes: some processes took a multiple of the others' time; "
                    "time and ratio are the majority's. %zu have no majority, and no ratio: means "
                    "leave them out.",
                    modes, tied);
    if (too_few)
        write_prose(out, terminal, 2,
                    "%zu rows have too few processes for any verdict: bench --processes 5 or more.",
                    too_few);
    if (c->grids_differ)
        write_prose(out, terminal, 2,
                    "The folders were measured on different grids; the common cells are compared.");
    write_beyond(c, out, terminal);
}

void compare_write(const struct comparison *c, FILE *out, struct terminal terminal, bool brief)
{
    if (!brief) write_sides(c, out, terminal);
    if (!brief) fputc('\n', out);
    if (c->row_count) {
        write_means(c, out, terminal);
        fputc('\n', out);
        compare_write_rows(c, out, terminal);
    } else {
        write_accuracies(c, out, terminal);
    }
    if (c->class_count) {
        fputc('\n', out);
        write_classes(c, out, terminal);
    }
    if (brief) return;
    fputc('\n', out);
    write_notes(c, out, terminal);
}
