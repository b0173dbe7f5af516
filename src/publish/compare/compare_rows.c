#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "publish/compare/compare_text.h"
#include "publish/compare/compare_write.h"

enum { TEXT_MAX = 300 };

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
    snprintf(text, n, "%s %s", number_decimals(r->a->ns_per_element, 3).text,
             number_decimals(r->b->ns_per_element, 3).text);
}
static void put_ratio(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    (void)c;
    compare_interval_text(r->ratio, r->low, r->high, text, n);
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
static void put_flags(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    (void)c;
    snprintf(text, n, "%s", r->flag);
}
static void put_max(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    (void)c;
    compare_pair_text(r->accuracy ? r->accuracy->max_ulp : (const double[2]){NAN, NAN}, text, n);
}
static void put_lost(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    (void)c;
    compare_lost_text(r->accuracy, text, n);
}
static void put_mean(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    (void)c;
    compare_pair_text(r->accuracy ? r->accuracy->mean_ulp : (const double[2]){NAN, NAN}, text, n);
}
static void put_bits(const struct comparison *c, const struct compare_row *r, char *text, size_t n)
{
    (void)c;
    compare_bits_text(r->accuracy, text, n);
}

static const struct row_column {
    struct column column;
    cell_writer *write;
    bool constant_is_said; /* a value that all rows share is printed above the table instead */
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
    {{"flags", false, 0}, put_flags, true},
    {{"max ulp a b", true, 4}, put_max, false},
    {{"lost a b", true, 4}, put_lost, true},
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

/* Chooses the columns whose cells differ and prints the values of the others. */
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

void compare_write_rows(const struct comparison *c, FILE *out, struct terminal terminal)
{
    static const enum tint tints[VERDICTS] = {TINT_GOOD, TINT_BAD, TINT_NONE, TINT_FAINT};
    const struct compare_row **rows = memory_zeroed(c->row_count + 1, sizeof *rows);
    const struct row_column *chosen[ROW_COLUMNS];
    struct column columns[ROW_COLUMNS];
    size_t shown = c->row_count, count = choose_columns(c, out, chosen);
    struct table table;
    for (size_t i = 0; i < c->row_count; i++) rows[i] = &c->rows[i];
    if (terminal.columns && shown > COMPARE_SCREEN_ROWS) {
        qsort(rows, shown, sizeof *rows, by_change);
        shown = COMPARE_SCREEN_ROWS;
    }
    for (size_t k = 0; k < count; k++) columns[k] = chosen[k]->column;
    table_begin(&table, columns, count);
    for (size_t i = 0; i < shown; i++) {
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
