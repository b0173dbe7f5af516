#include "publish/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"

enum { TEXT_MAX = 300, ROWS_ON_A_SCREEN = 40 };

/* "=" where every cell has equal bits; else how many of how many. */
static void bits_text(const struct compare_accuracy *a, char *text, size_t size)
{
    if (!a || !a->cells)
        snprintf(text, size, "-");
    else if (a->equal == a->cells)
        snprintf(text, size, "=");
    else
        snprintf(text, size, "%zu/%zu", a->equal, a->cells);
}

static void interval_text(double ratio, double low, double high, char *text, size_t size)
{
    if (isnan(ratio))
        snprintf(text, size, "-");
    else if (isnan(low))
        snprintf(text, size, "%.3f [-]", ratio);
    else
        snprintf(text, size, "%.3f [%.3f, %.3f]", ratio, low, high);
}

/* ---- What is compared ----------------------------------------------------------------------- */

static void write_sides(const struct comparison *c, FILE *out, struct terminal terminal)
{
    static const char *const kinds[] = {[COMPARE_RUNS] = "runs of one machine",
                                        [COMPARE_AXIS] = "the values of one axis",
                                        [COMPARE_CPUS] = "CPUs (the machines differ)",
                                        [COMPARE_COMMITS] = "commits (kernels may differ)"};
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
        interval_text(m->ratio, m->low, m->high, ratio, sizeof ratio);
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

/* ---- Rows ----------------------------------------------------------------------------------- */

typedef void cell_writer(const struct comparison *, const struct compare_row *, char *text,
                         size_t size);

static void put_side(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    snprintf(text, n, "%s", c->plan->sides[r->to].name);
}
static void put_kernel(const struct comparison *c, const struct compare_row *r, char *text,
                       size_t n)
{
    (void)c;
    snprintf(text, n, "%s/%s%s", r->axes.op, r->axes.algorithm,
             r->accuracy && r->accuracy->hazard ? " (hazard)" : "");
}
static void put_isa(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    (void)c;
    snprintf(text, n, "%s", r->axes.isa);
}
static void put_cc(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    (void)c;
    snprintf(text, n, "%s", r->axes.cc);
}
static void put_policy(const struct comparison *c, const struct compare_row *r, char *text,
                       size_t n)
{
    (void)c;
    snprintf(text, n, "%s", r->axes.policy);
}
static void put_shape(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    (void)c;
    int length = snprintf(text, n, "%zux%zu", r->a->rows, r->a->n);
    if (r->a->threads > 1)
        length += snprintf(text + length, n - (size_t)length, " t=%zu", r->a->threads);
    if (r->a->family[0] && strcmp(r->a->family, "normal") != 0)
        snprintf(text + length, n - (size_t)length, " %s", r->a->family);
}
static void put_residency(const struct comparison *c, const struct compare_row *r, char *text,
                          size_t n)
{
    (void)c;
    bool equal = !strcmp(r->a->residency, r->b->residency);
    snprintf(text, n, "%s%s%s", r->a->residency, equal ? "" : "/", equal ? "" : r->b->residency);
}
static void put_times(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    (void)c;
    snprintf(text, n, "%s %s", cell_fixed(r->a->ns_per_element, 3).text,
             cell_fixed(r->b->ns_per_element, 3).text);
}
static void put_ratio(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    (void)c;
    interval_text(r->ratio, r->low, r->high, text, n);
}
static void put_q(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    (void)c;
    snprintf(text, n, isnan(r->q) ? "-" : r->q < 0.001 ? "<0.001" : "%.3f", r->q);
}
static void put_verdict(const struct comparison *c, const struct compare_row *r, char *text,
                        size_t n)
{
    (void)c;
    snprintf(text, n, "%s", r->verdict == VERDICT_UNKNOWN ? "~" : verdict_name(r->verdict));
}
static void put_pair(const double values[2], char *text, size_t n)
{
    snprintf(text, n, "%s %s", cell_ulp(values[0]).text, cell_ulp(values[1]).text);
}
static void put_max(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    (void)c;
    put_pair(r->accuracy ? r->accuracy->max_ulp : (const double[2]){NAN, NAN}, text, n);
}
static void put_mean(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    (void)c;
    put_pair(r->accuracy ? r->accuracy->mean_ulp : (const double[2]){NAN, NAN}, text, n);
}
static void put_bits(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    (void)c;
    bits_text(r->accuracy, text, n);
}

static const struct row_column {
    struct column column;
    cell_writer *write;
    bool constant_is_said; /* a value that all rows share stands above the table instead */
} row_columns[] = {
    {{"b", false, 0}, put_side, true},
    {{"kernel", false, 0}, put_kernel, false},
    {{"isa", false, 0}, put_isa, true},
    {{"cc", false, 0}, put_cc, true},
    {{"policy", false, 0}, put_policy, true},
    {{"rows x n", false, 0}, put_shape, true},
    {{"in", false, 7}, put_residency, true},
    {{"ns/element a b", true, 5}, put_times, false},
    {{"b/a [95%]", true, 0}, put_ratio, false},
    {{"q", true, 8}, put_q, false},
    {{"verdict", false, 0}, put_verdict, false},
    {{"max ulp a b", true, 4}, put_max, false},
    {{"mean ulp a b", true, 9}, put_mean, false},
    {{"bits", true, 6}, put_bits, false},
};
enum { ROW_COLUMNS = sizeof row_columns / sizeof *row_columns };

static bool is_constant(const struct comparison *c, cell_writer *write)
{
    char first[TEXT_MAX], text[TEXT_MAX];
    write(c, &c->rows[0], first, sizeof first);
    for (size_t i = 1; i < c->row_count; i++) {
        write(c, &c->rows[i], text, sizeof text);
        if (strcmp(first, text) != 0) return false;
    }
    return true;
}

/* Chooses the columns whose cells differ; says the others. */
static size_t choose_columns(const struct comparison *c, FILE *out,
                             const struct row_column **chosen)
{
    size_t count = 0;
    bool said = false;
    for (size_t k = 0; k < ROW_COLUMNS; k++) {
        const struct row_column *column = &row_columns[k];
        char text[TEXT_MAX];
        if (!column->constant_is_said || !is_constant(c, column->write)) {
            chosen[count++] = column;
            continue;
        }
        column->write(c, &c->rows[0], text, sizeof text);
        if (!strcmp(text, "*") || !text[0]) continue;
        fprintf(out, "%s%s: %s", said ? "; " : "In every row: ", column->column.title, text);
        said = true;
    }
    if (said) fputs(".\n", out);
    return count;
}

static int by_change(const void *a, const void *b)
{
    const struct compare_row *x = *(const struct compare_row *const *)a;
    const struct compare_row *y = *(const struct compare_row *const *)b;
    bool told_x = x->verdict <= VERDICT_SLOWER, told_y = y->verdict <= VERDICT_SLOWER;
    double far_x = fabs(log(x->ratio)), far_y = fabs(log(y->ratio));
    if (told_x != told_y) return told_x ? -1 : 1;
    if (far_x != far_y) return far_x > far_y ? -1 : 1;
    return strcmp(x->cell, y->cell);
}

static void write_rows(const struct comparison *c, FILE *out, struct terminal terminal)
{
    static const enum tint tints[VERDICTS] = {TINT_GOOD, TINT_BAD, TINT_NONE, TINT_FAINT};
    const struct compare_row **rows = calloc(c->row_count + 1, sizeof *rows);
    const struct row_column *chosen[ROW_COLUMNS];
    struct column columns[ROW_COLUMNS];
    size_t shown = c->row_count, count = choose_columns(c, out, chosen);
    struct table table;
    for (size_t i = 0; rows && i < c->row_count; i++) rows[i] = &c->rows[i];
    if (rows && terminal.columns && shown > ROWS_ON_A_SCREEN) {
        qsort(rows, shown, sizeof *rows, by_change);
        shown = ROWS_ON_A_SCREEN;
    }
    for (size_t k = 0; k < count; k++) columns[k] = chosen[k]->column;
    table_begin(&table, columns, count);
    for (size_t i = 0; rows && i < shown; i++) {
        char text[ROW_COLUMNS][TEXT_MAX];
        const char *cells[ROW_COLUMNS];
        for (size_t k = 0; k < count; k++) {
            chosen[k]->write(c, rows[i], text[k], sizeof text[k]);
            cells[k] = text[k];
        }
        table_add(&table, tints[rows[i]->verdict], cells);
    }
    table_end(&table, out, terminal);
    if (shown < c->row_count)
        fprintf(out,
                "... and %zu rows that changed less: --filter narrows, a pipe or --json has all.\n",
                c->row_count - shown);
    free(rows);
}

/* ---- Accuracy ------------------------------------------------------------------------------- */

static void add_accuracy(struct table *t, const struct comparison *c,
                         const struct compare_accuracy *a)
{
    char max[64], mean[64], bits[64], kernel[80];
    struct axes axes = {.op = ""};
    put_pair(a->max_ulp, max, sizeof max);
    put_pair(a->mean_ulp, mean, sizeof mean);
    bits_text(a, bits, sizeof bits);
    axes_parse(a->variant, &axes);
    snprintf(kernel, sizeof kernel, "%s/%s", axes.op, axes.algorithm);
    table_add(t, a->cells == a->equal ? TINT_NONE : TINT_BAD,
              (const char *const[]){c->plan->sides[a->to].name, kernel, axes.dtype, axes.isa,
                                    axes.cc, axes.policy, max, mean, bits});
}

/* Where nothing was timed. On a screen what differs comes alone, where that is not all. */
static void write_accuracies(const struct comparison *c, FILE *out, struct terminal terminal)
{
    static const struct column columns[] = {
        {"b", false, 0},          {"kernel", false, 0},      {"dtype", false, 0},
        {"isa", false, 0},        {"cc", false, 0},          {"policy", false, 0},
        {"max ulp a b", true, 0}, {"mean ulp a b", true, 1}, {"equal bits", true, 0}};
    struct table table;
    size_t same = 0, left = 0;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    table.gathered = 6;
    for (size_t i = 0; i < c->accuracy_count; i++) {
        const struct compare_accuracy *a = &c->accuracies[i];
        if (a->from) continue;
        bool equal = a->cells && a->cells == a->equal;
        bool skip = terminal.columns && c->accuracy_count > ROWS_ON_A_SCREEN &&
                    (equal || table.rows >= ROWS_ON_A_SCREEN);
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

static void write_notes(const struct comparison *c, FILE *out, struct terminal terminal)
{
    size_t too_few = 0;
    for (size_t i = 0; i < c->row_count; i++)
        too_few += !strcmp(c->rows[i].why, "too few processes for any verdict");
    write_prose(
        out, terminal, 2,
        "Ratio: Hodges-Lehmann over the processes' medians; q: Mann-Whitney, "
        "Benjamini-Hochberg over all rows; means are geometric, their intervals as wide as if "
        "all cells erred together.");
    write_prose(out, terminal, 2,
                "faster, slower: q <= 0.05 and more than %.3g%%; same: the whole interval within "
                "that; ~: the data cannot tell.",
                100 * c->plan->margin);
    write_prose(out, terminal, 2,
                "ulp: family normal; bits: accuracy cells whose outputs are equal, = is all.");
    if (too_few)
        write_prose(out, terminal, 2,
                    "%zu rows have too few processes for any verdict: bench --processes 5 or more.",
                    too_few);
    if (c->grids_differ)
        write_prose(out, terminal, 2,
                    "The folders were measured on different grids; the common cells are compared.");
    if (c->alone[0] || c->alone[1])
        write_prose(out, terminal, 2,
                    "Timed on one side alone, not compared: %zu cells of a, %zu of b.", c->alone[0],
                    c->alone[1]);
}

void compare_write(const struct comparison *c, FILE *out, struct terminal terminal, bool brief)
{
    if (!brief) write_sides(c, out, terminal);
    if (!brief) fputc('\n', out);
    if (c->row_count) {
        write_means(c, out, terminal);
        fputc('\n', out);
        write_rows(c, out, terminal);
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

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *sides_json(const struct comparison *c)
{
    json_t *sides = json_array();
    for (size_t s = 0; s < c->plan->count; s++) {
        const struct side *side = &c->plan->sides[s];
        struct origin o = origin_of(side->results);
        char date[DATE_MAX];
        origin_date(side->results, side->folder, date);
        json_array_append_new(sides,
                              json_pack("{s:s, s:s, s:s?, s:s, s:s, s:s}", "name", side->name,
                                        "folder", side->folder, "value", side->value, "slug",
                                        o.slug, "commit", o.commit, "started", date));
    }
    return sides;
}

static json_t *accuracy_json(const struct comparison *c, const struct compare_accuracy *a)
{
    if (!a) return json_null();
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:o}", "variant", a->variant,
                     "a", c->plan->sides[a->from].name, "b", c->plan->sides[a->to].name,
                     "max_ulp_a", record_real(a->max_ulp[0]), "max_ulp_b",
                     record_real(a->max_ulp[1]), "mean_ulp_a", record_real(a->mean_ulp[0]),
                     "mean_ulp_b", record_real(a->mean_ulp[1]), "cells", (json_int_t)a->cells,
                     "equal", (json_int_t)a->equal, "bits_equal",
                     a->cells ? json_boolean(a->equal == a->cells) : json_null());
}

static json_t *row_json(const struct comparison *c, const struct compare_row *r)
{
    json_t *row = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "cell", r->cell, "a_name",
        c->plan->sides[0].name, "b_name", c->plan->sides[r->to].name, "a",
        record_real(r->a->ns_per_element), "b", record_real(r->b->ns_per_element), "ratio",
        record_real(r->ratio), "ci_low", record_real(r->low), "ci_high", record_real(r->high), "p",
        record_real(r->p), "q", record_real(r->q), "verdict", verdict_name(r->verdict));
    json_t *rest = json_pack("{s:s, s:[I,I], s:s, s:s, s:o}", "why", r->why, "processes",
                             (json_int_t)r->processes[0], (json_int_t)r->processes[1], "status_a",
                             r->a->status, "status_b", r->b->status, "accuracy",
                             accuracy_json(c, r->accuracy));
    json_object_update(row, rest);
    json_decref(rest);
    return row;
}

static json_t *mean_json(const struct comparison *c, const struct compare_mean *m)
{
    json_t *mean =
        json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "a_name", c->plan->sides[0].name, "b_name",
                  c->plan->sides[m->to].name, "op", m->op[0] ? m->op : "all", "residency",
                  m->residency[0] ? m->residency : "all", "ratio", record_real(m->ratio), "ci_low",
                  record_real(m->low), "ci_high", record_real(m->high));
    for (size_t v = 0; v < VERDICTS; v++)
        json_object_set_new(mean, verdict_name(v), json_integer((json_int_t)m->verdicts[v]));
    return mean;
}

json_t *compare_document(const struct comparison *c)
{
    static const char *const kinds[] = {"runs", "axis", "cpu", "commit"};
    json_t *rows = json_array(), *means = json_array(), *accuracy = json_array(),
           *classes = json_array();
    for (size_t i = 0; i < c->row_count; i++) json_array_append_new(rows, row_json(c, &c->rows[i]));
    for (size_t i = 0; i < c->mean_count; i++)
        json_array_append_new(means, mean_json(c, &c->means[i]));
    for (size_t i = 0; i < c->accuracy_count; i++)
        json_array_append_new(accuracy, accuracy_json(c, &c->accuracies[i]));
    for (size_t i = 0; i < c->class_count; i++)
        json_array_append_new(
            classes, json_pack("{s:s, s:I, s:s}", "members", c->classes[i].members, "variants",
                               (json_int_t)c->classes[i].variants, "first", c->classes[i].first));
    json_t *machine = json_object_get(c->plan->sides[0].results->machine, "machine");
    json_t *document = record_document(json_incref(machine));
    json_t *rest = json_pack(
        "{s:s, s:s?, s:o, s:f, s:s, s:b, s:[I,I], s:o, s:o, s:o, s:o}", "comparison",
        kinds[c->plan->kind], "axis", c->plan->axis, "sides", sides_json(c), "margin",
        c->plan->margin, "unit", "ns_per_element; ratio is time of b over time of a",
        "grids_differ", c->grids_differ, "alone", (json_int_t)c->alone[0], (json_int_t)c->alone[1],
        "rows", rows, "geomean", means, "accuracy", accuracy, "classes", classes);
    json_object_update(document, rest);
    json_decref(rest);
    return document;
}
