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

struct compare_mean compare_mean_of(const struct comparison *c, size_t to, const char *op,
                                    const char *residency)
{
    struct compare_mean mean = {.to = to, .op = op, .residency = residency};
    struct ratio_mean paired = {.ratios = 0};
    double sums[3] = {0};
    size_t cells = 0;
    for (size_t i = 0; i < c->row_count; i++) {
        const struct compare_row *row = &c->rows[i];
        if (!is_meant(&mean, row)) continue;
        mean.verdicts[row->verdict]++;
        mean.left_out += row->tied;
        if (isnan(row->ratio)) continue;
        sums[0] += log(row->ratio);
        sums[1] += log(row->low);
        sums[2] += log(row->high);
        cells++;
        if (row->side_by_side) ratio_mean_add(&paired, row->a->processes, row->b->processes);
    }
    mean.ratio = exp(sums[0] / (double)cells); /* 0 / 0 is NaN: no cell, no mean */
    mean.low = exp(sums[1] / (double)cells);
    mean.high = exp(sums[2] / (double)cells);
    if (cells && paired.ratios == cells) {
        struct ratio ratio = ratio_mean_value(&paired);
        mean.ratio = ratio.value;
        mean.low = ratio.low;
        mean.high = ratio.high;
    }
    return mean;
}

static void add_mean(struct comparison *c, size_t to, const char *op, const char *residency)
{
    struct compare_mean mean = compare_mean_of(c, to, op, residency);
    if (!isnan(mean.ratio)) c->means[c->mean_count++] = mean;
}

static bool op_is_new(const struct comparison *c, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (!strcmp(c->rows[i].axes.group, c->rows[row].axes.group)) return false;
    return true;
}

int compare_means_make(struct comparison *c)
{
    static const char *const residencies[] = {"L1", "L2", "L3", "DRAM"};
    size_t ops = 0;
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
