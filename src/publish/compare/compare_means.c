#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "publish/compare/compare_means.h"
#include "publish/compare/compare_stages.h"

static bool is_meant(const struct compare_mean *mean, const struct compare_row *row)
{
    return row->to == mean->to && (!mean->op[0] || !strcmp(mean->op, row->axes.group)) &&
           (!mean->residency[0] || !strcmp(mean->residency, row->a->residency));
}

/* Sums over the cells of one operation. */
struct sums {
    struct ratio_mean paired;
    double logs[3];
    size_t cells;
};

static void add_row(struct sums *sums, const struct compare_row *row)
{
    sums->logs[0] += log(row->ratio);
    sums->logs[1] += log(row->low);
    sums->logs[2] += log(row->high);
    sums->cells++;
    if (row->side_by_side)
        ratio_mean_add(&sums->paired, row->a->processes,
                       row->same_code ? row->a->processes : row->b->processes);
}

static void join(struct sums *all, const struct sums *op)
{
    if (!op->cells) return;
    for (size_t i = 0; i < 3; i++) all->logs[i] += op->logs[i] / (double)op->cells;
    all->cells++;
    if (op->paired.ratios == op->cells) ratio_mean_join(&all->paired, &op->paired);
}

static bool op_is_new(const struct comparison *c, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (!strcmp(c->rows[i].axes.group, c->rows[row].axes.group)) return false;
    return true;
}

/* Adds the rows of one operation to the mean's counts. */
static struct sums sums_of(const struct comparison *c, const char *op, struct compare_mean *mean)
{
    struct sums sums = {.cells = 0};
    for (size_t i = 0; i < c->row_count; i++) {
        const struct compare_row *row = &c->rows[i];
        if (!is_meant(mean, row) || strcmp(row->axes.group, op) != 0) continue;
        mean->verdicts[row->verdict]++;
        mean->left_out += row->tied;
        if (isnan(row->ratio) || !row->everywhere) continue;
        mean->cells++;
        mean->same_code += row->same_code;
        add_row(&sums, row);
    }
    return sums;
}

struct compare_mean compare_mean_of(const struct comparison *c, size_t to, const char *op,
                                    const char *residency)
{
    struct compare_mean mean = {.to = to, .op = op, .residency = residency};
    struct sums all = {.cells = 0};
    for (size_t i = 0; i < c->row_count; i++) {
        const char *group = c->rows[i].axes.group;
        if ((*op && strcmp(op, group) != 0) || !op_is_new(c, i)) continue;
        struct sums sums = sums_of(c, group, &mean);
        join(&all, &sums);
    }
    mean.ratio = exp(all.logs[0] / (double)all.cells); /* 0 / 0 is NaN: no cell, no mean */
    mean.low = exp(all.logs[1] / (double)all.cells);
    mean.high = exp(all.logs[2] / (double)all.cells);
    if (all.cells && all.paired.ratios == all.cells) {
        struct ratio ratio = ratio_mean_value(&all.paired);
        mean.ratio = ratio.value;
        mean.low = ratio.low;
        mean.high = ratio.high;
    }
    return mean;
}

/* ---- Cells that every side has -----------------------------------------------------------------
 */

static int by_cell(const void *a, const void *b)
{
    return strcmp((*(struct compare_row *const *)a)->cell, (*(struct compare_row *const *)b)->cell);
}

static int mark_everywhere(struct comparison *c)
{
    struct compare_row **rows = calloc(c->row_count + 1, sizeof *rows);
    if (!rows) return -1;
    for (size_t i = 0; i < c->row_count; i++) rows[i] = &c->rows[i];
    qsort(rows, c->row_count, sizeof *rows, by_cell);
    for (size_t i = 0, end; i < c->row_count; i = end) {
        for (end = i + 1; end < c->row_count && !by_cell(&rows[i], &rows[end]);) end++;
        for (size_t k = i; k < end; k++) rows[k]->everywhere = end - i == c->plan->count - 1;
    }
    free(rows);
    return 0;
}

static void add_mean(struct comparison *c, size_t to, const char *op, const char *residency)
{
    struct compare_mean mean = compare_mean_of(c, to, op, residency);
    if (!isnan(mean.ratio)) c->means[c->mean_count++] = mean;
}

int compare_means_make(struct comparison *c)
{
    static const char *const residencies[] = {"L1", "L2", "L3", "DRAM"};
    size_t ops = 0;
    if (mark_everywhere(c)) return -1;
    for (size_t i = 0; i < c->row_count; i++) ops += op_is_new(c, i);
    c->means = calloc((1 + 5 * ops) * c->plan->count + 1, sizeof *c->means);
    if (!c->means) return -1;
    for (size_t to = 1; to < c->plan->count; to++) {
        add_mean(c, to, "", "");
        for (size_t i = 0; i < c->row_count; i++) {
            const char *op = c->rows[i].axes.group;
            if (!op_is_new(c, i)) continue;
            size_t whole = c->mean_count;
            add_mean(c, to, op, "");
            for (size_t l = 0; l < 4; l++) add_mean(c, to, op, residencies[l]);
            if (c->mean_count == whole + 2) c->mean_count--; /* a single level repeats the whole */
        }
    }
    return 0;
}
