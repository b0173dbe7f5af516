/* The answer, in a few lines: which flags, which kernels, what the vector's width buys, what equal
 * bits cost, how sure. */
#include <ctype.h>
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

/* "grow by 18%", "shrink by 5%", "stay the same", "grow 60,600 times". */
struct change_text {
    char text[48];
};
static struct change_text change_text(double ratio)
{
    struct change_text t;
    const double percent = 100 * fabs(ratio - 1);
    if (isinf(ratio))
        snprintf(t.text, sizeof t.text, "are without bound");
    else if (ratio >= 10)
        snprintf(t.text, sizeof t.text, "grow %s times", number_digits(ratio, 3).text);
    else if (percent < 0.5)
        snprintf(t.text, sizeof t.text, "stay the same");
    else
        snprintf(t.text, sizeof t.text, "%s by %.0f%%", ratio > 1 ? "grow" : "shrink", percent);
    return t;
}

/* "; errors stay the same on average, grow by 18% at most (softmax/online scalar)" */
static void errors_text(const struct policy_row *row, char *text, size_t size)
{
    *text = '\0';
    if (isnan(row->error.mean)) return;
    const struct change_text average = change_text(row->error.mean);
    if (row->error.worst < 1.005)
        snprintf(text, size, "errors %s on average, and grow nowhere", average.text);
    else
        snprintf(text, size, "errors %s on average, %s at most (%s)", average.text,
                 change_text(row->error.worst).text, row->error.kernel);
}

/* The fastest policy that is not advised, if it is faster than what is. */
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
    char lost[80] = "", errors[260];
    errors_text(faster, errors, sizeof errors);
    if (losses_of(r, faster))
        snprintf(lost, sizeof lost, "; up to %s results of a kernel are lost",
                 number_count(losses_of(r, faster)).text);
    doc_item(d, "Faster, and not advised: `%s -O3%s%s`, %.3f times as fast as `off`. %c%s%s; %s.",
             faster->cc, *faster->flags ? " " : "", faster->flags, faster->speed.ratio,
             toupper((unsigned char)faster->objection[0]), faster->objection + 1, lost, errors);
}

/* ", what gcc-12 does without a flag": where another policy has the same code. */
static const char *also_named(const struct report *r, const struct policy_row *row)
{
    for (size_t i = 0; i < r->policies.count; i++) {
        const struct policy_row *other = &r->policies.rows[i];
        if (other != row && !strcmp(other->cc, row->cc) && !strcmp(other->policy, "default") &&
            !strcmp(other->same_code, row->same_code))
            return " (the same code as without the flag)";
    }
    return "";
}

/* "3 reported failures happen (a, b, c)" */
static void write_failures(const json_t *names, char *text, size_t size)
{
    const size_t count = json_array_size(names);
    size_t i;
    const json_t *name;
    snprintf(text, size, count ? "; reported failures that happen then: %zu (" : "", count);
    json_array_foreach(names, i, name)
    {
        const size_t length = strlen(text);
        if (length + 60 > size) break;
        snprintf(text + length, size - length, "%s%s", i ? ", " : "", json_string_value(name));
    }
    const size_t length = strlen(text);
    if (count) snprintf(text + length, size - length, "%s)", i < count ? ", .." : "");
}

static void write_flags(const struct report *r, struct doc *d)
{
    const struct policy_row *row = r->policies.recommended;
    char errors[260], failures[300], interval[48] = "";
    if (!row) {
        if (r->policies.count) doc_item(d, "**Flags**: %s.", r->policies.why);
        return;
    }
    if (!isnan(row->speed.low))
        snprintf(interval, sizeof interval, " ([%.3f, %.3f], 95%%)", row->speed.low,
                 row->speed.high);
    errors_text(row, errors, sizeof errors);
    write_failures(row->cases_broken, failures, sizeof failures);
    if (!strcmp(row->policy, "off"))
        doc_item(d, "**Flags**: `%s -O3 %s`. Nothing that keeps its promises is faster%s.", row->cc,
                 row->flags, failures);
    else
        doc_item(d,
                 "**Flags**: `%s -O3%s%s`%s. Gain: %.3f times as fast as with "
                 "`-ffp-contract=off`%s, on average of %zu kernels; %zu more have the same code "
                 "either way. Price: %s%s%s.",
                 row->cc, *row->flags ? " " : "", row->flags, also_named(r, row), row->speed.ratio,
                 interval, row->speed.kernels, row->speed.unchanged, errors,
                 *errors ? "" : "errors are not known", failures);
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
    doc_cell(d, "%s", strcmp(column_text(s, CLASS), "DRAM") ? column_text(s, CLASS) : "memory");
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
    static const char *const heads[] = {"operation",  "rows in",    "kernel, ISA, built by",
                                        "ns/element", "% of limit", "max error",
                                        NULL};
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
    doc_text(d,
             "**Kernels**: the fastest that keeps all its promises and errs by at most %.3g ulp "
             "(`--max-ulp`), or u, 2^-24 of the inputs' size, where results come near zero. "
             "%% of limit: of what this core allows. %s%s.%s%s%s",
             r->summaries.bar,
             *faster ? "Faster, but beyond the bar: " : "None beyond it is faster", faster,
             *beyond ? " Nothing within it: " : "", beyond, *beyond ? "." : "");
}

/* ---- The vector's width, and equal bits --------------------------------------------------------
 */

static const char *isa_title(const char *isa)
{
    return !strcmp(isa, "avx512") ? "AVX-512" : !strcmp(isa, "avx2") ? "AVX2" : "scalar code";
}

static void write_widths(const struct report *r, struct doc *d)
{
    sqlite3_stmt *s = section_ask(r, d, sql_answer_isa);
    if (!s) return;
    if (sqlite3_step(s) == SQLITE_ROW)
        doc_item(d,
                 "**Width**: %s is %s times as fast as %s (the same kernel, %s cells of %s "
                 "operations).",
                 isa_title(column_text(s, 0)),
                 speed_text(column_real(s, 2), column_real(s, 3), column_real(s, 4), 2).text,
                 isa_title(column_text(s, 1)), column_text(s, 5), column_text(s, 6));
    sqlite3_finalize(s);
}

static void write_bits(const struct report *r, struct doc *d)
{
    sqlite3_stmt *s = section_ask(r, d, sql_answer_bits);
    if (!s) return;
    if (sqlite3_step(s) == SQLITE_ROW)
        doc_item(d,
                 "**Equal bits** on every ISA, by every compiler and policy (`invariant`): they "
                 "take %s of the time of the fastest other kernel; no slower at %s of %s shapes.",
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
        doc_item(d,
                 "**How sure**: %s%s **This run was disturbed**: repeat it on a machine that does "
                 "nothing else; smaller differences say nothing about the code.",
                 identical, unsteady);
    else
        doc_item(d, "**How sure**: %s%s Smaller differences say nothing about the code.", identical,
                 unsteady);
}

void section_answer(const struct report *r, struct doc *d)
{
    doc_list(d);
    write_flags(r, d);
    if (r->results.timing_count) write_steadiness(r, d);
    doc_list_end(d);
    if (!r->results.timing_count) {
        doc_text(d, "No times are in these results: run `ulplab bench`, then write the report "
                    "again.");
        return;
    }
    write_bar(r, d);
    if (r->policies.count) write_winners(r, d);
    doc_list(d);
    write_widths(r, d);
    write_bits(r, d);
    doc_list_end(d);
}
