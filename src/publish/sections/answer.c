/* The answer, in a few lines: which flags, which kernels, what the vector's width buys, what equal
 * bits cost, how sure. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "publish/sections/sections.h"
#include "publish/db/columns.h"
#include "publish/sql/sql.h"

/* Runs whose pairs of identical code are further apart, at the 90th percentile, are disturbed. */
static const double steady = 0.03;

/* ---- Flags -------------------------------------------------------------------------------------
 */

/* "1.109 [1.108, 1.110]"; alone where nothing is known of its interval. */
struct speed_text {
    char text[48];
};
static struct speed_text speed_text(double value, double low, double high, int decimals)
{
    struct speed_text t;
    const int length = snprintf(t.text, sizeof t.text, "%.*f", decimals, value);
    if (!isnan(low))
        snprintf(t.text + length, sizeof t.text - (size_t)length, " [%.*f, %.*f]", decimals, low,
                 decimals, high);
    return t;
}

static size_t losses_of(const struct report *r, const struct policy_row *row)
{
    size_t builds;
    const struct loss *worst = losses_worst(&r->losses, row->cc, row->policy, &builds);
    return worst ? worst->lost : 0;
}

/* "-ffast-math (1.261 x) loses 1,024 results": the fastest policy of the compiler that is not
 * advised, if it is faster than what is. */
static void write_given_up(const struct report *r, struct doc *d, const struct policy_row *best)
{
    const struct policy_row *faster = NULL;
    for (size_t i = 0; i < r->policies.count; i++) {
        const struct policy_row *row = &r->policies.rows[i];
        if (!row->allowed && row->overall > best->overall &&
            (!faster || row->overall > faster->overall))
            faster = row;
    }
    if (!faster) return;
    char lost[64] = "";
    if (losses_of(r, faster))
        snprintf(lost, sizeof lost, ", loses %s results", number_count(losses_of(r, faster)).text);
    doc_item(d, "Not advised: `%s %s`, %.3f x: %s%s; errors %s x, at most %s x (%s).", faster->cc,
             faster->flags, faster->speed.ratio, faster->objection, lost,
             number_digits(faster->error.mean, 3).text, number_digits(faster->error.worst, 3).text,
             faster->error.kernel);
}

static void write_flags(const struct report *r, struct doc *d)
{
    const struct policy_row *row = r->policies.recommended;
    char errors[220] = "";
    if (!row) {
        if (r->policies.count) doc_item(d, "**Flags**: %s.", r->policies.why);
        return;
    }
    if (!isnan(row->error.mean))
        snprintf(errors, sizeof errors, "; errors %s x, at most %s x (%s)",
                 number_digits(row->error.mean, 3).text, number_digits(row->error.worst, 3).text,
                 row->error.kernel);
    doc_item(d,
             "**Flags**: `%s -O3%s%s`: %s x the speed of `-ffp-contract=off`, over "
             "%zu kernels whose code a policy changes (%zu none does)%s; case studies broken: %zu.",
             row->cc, *row->flags ? " " : "", row->flags,
             speed_text(row->speed.ratio, row->speed.low, row->speed.high, 3).text,
             row->speed.kernels, row->speed.unchanged, errors, json_array_size(row->cases_broken));
    write_given_up(r, d, row);
}

/* ---- Kernels -----------------------------------------------------------------------------------
 */

enum { OP, CLASS, SHAPES, ALGORITHM, ISA, CC, POLICY, NS, PERCENT, ERROR, UNIT };

struct winner {
    char op[24], algorithm[40], isa[16];
};

/* `best` is the same kernel under the name that one looks for. */
static const char *kernel_of(const char *algorithm)
{
    return strcmp(algorithm, "best") ? algorithm : "invariant";
}

static void write_winner(struct doc *d, sqlite3_stmt *s, bool first)
{
    doc_row(d);
    doc_cell(d, "%s", first ? column_text(s, OP) : "");
    doc_cell(d, "%s", column_text(s, CLASS));
    doc_cell(d, "`%s` %s %s `%s`", kernel_of(column_text(s, ALGORITHM)), column_text(s, ISA),
             column_text(s, CC), column_text(s, POLICY));
    doc_cell(d, "%s", number_decimals(column_real(s, NS), 3).text);
    doc_percent(d, column_real(s, PERCENT));
    doc_error(d, column_real(s, ERROR), column_text(s, UNIT));
    doc_row_end(d);
}

/* One line for each operation that a model is made of, and one more for each class of shapes in
 * which another kernel wins; the next section has the other operations. */
static void write_winners(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"operation", "rows",      "kernel", "ns/element",
                                        "% limit",   "max error", NULL};
    struct winner last = {.op = ""};
    sqlite3_stmt *s = section_ask(r, d, sql_answer_kernels);
    if (!s) return;
    doc_table(d, heads);
    while (sqlite3_step(s) == SQLITE_ROW) {
        const bool first = strcmp(last.op, column_text(s, OP)) != 0;
        if (!first && !strcmp(last.algorithm, kernel_of(column_text(s, ALGORITHM))) &&
            !strcmp(last.isa, column_text(s, ISA)))
            continue;
        write_winner(d, s, first);
        snprintf(last.op, sizeof last.op, "%s", column_text(s, OP));
        snprintf(last.algorithm, sizeof last.algorithm, "%s", kernel_of(column_text(s, ALGORITHM)));
        snprintf(last.isa, sizeof last.isa, "%s", column_text(s, ISA));
    }
    doc_table_end(d);
    sqlite3_finalize(s);
}

/* The fastest variant of an operation at the home shape that misses the bar, where it is faster
 * than what is advised; NULL for none. */
static const struct summary *faster_beyond_bar(const struct report *r, const char *op)
{
    const struct summary *advised = choose_fastest(&r->summaries, op), *best = NULL;
    for (size_t i = 0; advised && i < r->summaries.count; i++) {
        const struct summary *v = &r->summaries.items[i];
        if (!strcmp(v->axes.group, op) && v->home && v->home->ns_per_element > 0 && !v->hazard &&
            summary_keeps_promises(v) && !summary_is_advised(&r->summaries, v) &&
            v->home->high < advised->home->low &&
            (!best || v->home->ns_per_element < best->home->ns_per_element))
            best = v;
    }
    return best;
}

static bool is_timed(const struct summaries *s, const char *op)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].home && !strcmp(s->items[i].axes.group, op)) return true;
    return false;
}

/* Appends ", WORDS" to a list. */
static void append(char *list, size_t size, const char *words)
{
    const size_t length = strlen(list);
    if (length + strlen(words) + 3 < size)
        snprintf(list + length, size - length, "%s%s", length ? ", " : "", words);
}

/* What was faster and fell short of the bar, and the operations of which nothing is within it. */
static void write_bar(const struct report *r, struct doc *d)
{
    char faster[400] = "", beyond[300] = "", words[120];
    for (size_t i = 0; i < r->present.ops.count; i++) {
        const char *op = r->present.ops.items[i];
        const struct summary *v = faster_beyond_bar(r, op);
        if (is_timed(&r->summaries, op) && !choose_fastest(&r->summaries, op))
            append(beyond, sizeof beyond, op);
        if (!v) continue;
        snprintf(words, sizeof words, "%s/%s (%s %s)", op, v->axes.algorithm,
                 number_error(v->advised, NAN).text, error_unit(&r->results, v->axes.op));
        append(faster, sizeof faster, words);
    }
    doc_item(d,
             "The bar is %.3g ulp, or u where results come near zero, over all inputs measured "
             "(`--max-ulp`). Faster, but beyond it: %s. Nothing within it: %s.",
             r->summaries.bar, *faster ? faster : "nothing", *beyond ? beyond : "no operation");
}

/* ---- The vector's width, and equal bits --------------------------------------------------------
 */

static void write_widths(const struct report *r, struct doc *d)
{
    sqlite3_stmt *s = section_ask(r, d, sql_answer_isa);
    if (!s) return;
    if (sqlite3_step(s) == SQLITE_ROW)
        doc_item(d,
                 "**Width**: %s runs at %s x the speed of %s (%s cells of %s "
                 "operations).",
                 column_text(s, 0),
                 speed_text(column_real(s, 2), column_real(s, 3), column_real(s, 4), 2).text,
                 column_text(s, 1), column_text(s, 5), column_text(s, 6));
    sqlite3_finalize(s);
}

static void write_bits(const struct report *r, struct doc *d)
{
    sqlite3_stmt *s = section_ask(r, d, sql_answer_bits);
    if (!s) return;
    if (sqlite3_step(s) == SQLITE_ROW)
        doc_item(d,
                 "**Equal bits** everywhere (`invariant`) take "
                 "%s x the time of the fastest other kernel within the bar; no "
                 "slower at %s of %s shapes.",
                 speed_text(column_real(s, 0), column_real(s, 1), column_real(s, 2), 2).text,
                 column_text(s, 4), column_text(s, 3));
    sqlite3_finalize(s);
}

/* ---- How sure ----------------------------------------------------------------------------------
 */

static void write_steadiness(const struct report *r, struct doc *d)
{
    char identical[200], unsteady[120] = "";
    const struct unsteady *u = &r->unsteady;
    identical_text(&r->identical, identical, sizeof identical);
    if (u->steady < u->blocks)
        snprintf(unsteady, sizeof unsteady, " %zu of %zu blocks of cells stayed unsteady.",
                 u->blocks - u->steady, u->blocks);
    if (r->identical.p90 > steady)
        doc_item(d, "**How sure**: %s%s **This run was disturbed.**", identical, unsteady);
    else
        doc_item(d, "**How sure**: %s%s Smaller differences say nothing about the code.", identical,
                 unsteady);
}

void section_answer(const struct report *r, struct doc *d)
{
    doc_list(d);
    write_flags(r, d);
    doc_list_end(d);
    if (!r->results.timing_count) {
        doc_text(d, "No times are in these results: run `ulplab bench`, then write the report "
                    "again.");
        return;
    }
    if (r->policies.count) write_winners(r, d);
    doc_list(d);
    write_bar(r, d);
    write_widths(r, d);
    write_bits(r, d);
    write_steadiness(r, d);
    doc_list_end(d);
}
