#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/modes.h"
#include "publish/analyse/pairs.h"
#include "publish/compare/compare_stages.h"
#include "measure/ranks.h"

/* Logarithms of the medians of the processes of the usual mode; the caller frees. */
static double *log_medians(const json_t *record, size_t *count)
{
    const json_t *medians = json_object_get(record, "process_medians_ns"), *median;
    double *values = memory_zeroed(json_array_size(medians) + 1, sizeof *values);
    size_t i;
    *count = 0;
    json_array_foreach(medians, i, median) if (json_number_value(median) > 0) values[(*count)++] =
        json_number_value(median);
    struct modes modes = modes_of(values, *count);
    size_t all = *count;
    *count = 0;
    for (i = 0; i < all; i++)
        if (values[i] >= modes.low && values[i] <= modes.high) values[(*count)++] = log(values[i]);
    return values;
}

/* Two runs, or records of before there were blocks: the processes are samples of their own. */
static void test_unpaired(struct compare_row *row)
{
    row->tied = row->a->tied || row->b->tied;
    if (row->tied) return;
    double *a = log_medians(row->a->record, &row->processes[0]);
    double *b = log_medians(row->b->record, &row->processes[1]);
    struct sample before = {a, row->processes[0]}, after = {b, row->processes[1]};
    row->ratio = row->b->ns_per_element / row->a->ns_per_element;
    if (before.count && after.count) {
        struct shift shift = compare_shift(before, after);
        row->p = compare_p(before, after);
        row->ratio = exp(shift.estimate);
        row->low = exp(shift.low);
        row->high = exp(shift.high);
    }
    free(a);
    free(b);
}

static void test_side_by_side(struct compare_row *row)
{
    struct ratio r = ratio_of_times(row->a->processes, row->b->processes);
    row->processes[0] = row->processes[1] = r.processes - r.off;
    row->tied = ratio_is_tied(r);
    row->ratio = r.value;
    row->low = r.low;
    row->high = r.high;
    row->p = r.p;
}

static bool has_too_few_processes(const struct compare_row *row)
{
    return row->side_by_side
               ? isnan(row->p)
               : compare_least_p(row->processes[0], row->processes[1]) > verdict_significance;
}

static void judge(const struct comparison *c, struct compare_row *row)
{
    double noise = row->side_by_side ? c->identical.p95 : 0;
    struct ratio ratio = {.value = row->ratio, .low = row->low, .high = row->high};
    row->verdict = verdict_of(ratio, row->q, noise, c->plan->margin);
    row->why = row->verdict != VERDICT_UNKNOWN ? ""
               : row->tied                     ? "two modes, and no majority of processes"
               : isnan(row->ratio)             ? "not timed on both sides"
               : has_too_few_processes(row)    ? "too few processes for any verdict"
               : fabs(row->ratio - 1) < noise  ? "identical code is as far apart in this run"
                                               : "the data cannot tell";
}

/* Two values of an axis can give the same machine code, which takes the same time whatever the
 * clock said. */
static bool is_same_code(const struct comparison *c, const struct compare_row *row, size_t to)
{
    char a[VARIANT_ID_MAX], b[VARIANT_ID_MAX];
    if (c->plan->kind != COMPARE_AXIS) return false;
    variant_id(&row->a->axes, a);
    variant_id(&row->b->axes, b);
    const char *code = code_of(&c->codes[0], a);
    return *code && !strcmp(code, code_of(&c->codes[to], b)) && row->a->ns_per_element > 0 &&
           row->b->ns_per_element > 0;
}

static void make_row(const struct comparison *c, const struct cell_entry *a,
                     const struct cell_entry *b, size_t to, struct compare_row *row)
{
    const struct timing_result *timed = a->row, *other = b->row;
    *row = (struct compare_row){.axes = timed->axes,
                                .to = to,
                                .a = timed,
                                .b = other,
                                .ratio = NAN,
                                .low = NAN,
                                .high = NAN,
                                .p = NAN,
                                .q = NAN,
                                .flag = pair_flag(timed, other),
                                .accuracy = compare_accuracy_find(c, a, to)};
    snprintf(row->cell, sizeof row->cell, "%s", a->key);
    if (c->plan->axis) axes_set(&row->axes, c->plan->axis, "*");
    row->side_by_side = c->plan->sides[0].results == c->plan->sides[to].results &&
                        pair_is_side_by_side(row->a, row->b);
    if (row->side_by_side)
        test_side_by_side(row);
    else
        test_unpaired(row);
    row->same_code = is_same_code(c, row, to);
    if (row->same_code) row->ratio = row->low = row->high = row->p = 1;
    row->tied &= !row->same_code;
}

/* Compares the cells that both sides have; counts those that they do not, or that ran other code.
 */
static void compare_pair(struct comparison *c, const struct cell_index *first,
                         const struct cell_index *other, size_t to)
{
    size_t before = c->row_count, withheld = 0;
    for (size_t i = 0, k = 0; cells_next_pair(first, other, &i, &k); i++, k++) {
        const struct cell_entry *a = &first->entries[i], *b = &other->entries[k];
        enum beyond why = compare_beyond(c, 0, a, to, b);
        bool withhold = why != BEYOND_NOT && c->plan->kind != COMPARE_COMMITS;
        if (withhold) {
            c->beyond[0][why]++;
            c->beyond[to][why]++;
            withheld++;
            continue;
        }
        c->changed += why != BEYOND_NOT;
        make_row(c, a, b, to, &c->rows[c->row_count++]);
    }
    size_t both = c->row_count - before + withheld;
    c->beyond[0][BEYOND_UNMEASURED] += first->count - both;
    c->beyond[to][BEYOND_UNMEASURED] += other->count - both;
    c->alone[0] += first->count - both + withheld;
    c->alone[1] += other->count - both + withheld;
}

int compare_rows_make(struct comparison *c)
{
    struct cell_index first = cells_index(c->plan, 0, true);
    int code = first.entries ? 0 : -1;
    c->rows = memory_zeroed(first.count * c->plan->count + 1, sizeof *c->rows);
    if (!c->rows) code = -1;
    for (size_t to = 1; !code && to < c->plan->count; to++) {
        struct cell_index other = cells_index(c->plan, to, true);
        if (other.entries)
            compare_pair(c, &first, &other, to);
        else
            code = -1;
        free(other.entries);
    }
    free(first.entries);
    return code;
}

/* The tests that are corrected together (Benjamini and Hochberg) are all cells of the comparison.
 */
int compare_verdicts_make(struct comparison *c)
{
    double *p = memory_zeroed(c->row_count + 1, sizeof *p),
           *q = memory_zeroed(c->row_count + 1, sizeof *q);
    int code = p && q ? 0 : -1;
    for (size_t i = 0; !code && i < c->row_count; i++) p[i] = c->rows[i].p;
    if (!code) code = compare_q(p, q, c->row_count);
    for (size_t i = 0; !code && i < c->row_count; i++) {
        c->rows[i].q = q[i];
        judge(c, &c->rows[i]);
    }
    free(p);
    free(q);
    return code;
}
