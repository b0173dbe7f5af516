#include "publish/policy/policy_speed.h"

#include <math.h>
#include <string.h>

struct sums {
    struct speed logs; /* as if all cells erred together */
    struct ratio_mean paired;
};

static void add_row(struct sums *sums, const struct compare_row *row)
{
    sums->logs.left_out += row->tied;
    if (isnan(row->ratio)) return;
    sums->logs.ratio -= log(row->ratio);
    sums->logs.low -= log(row->high);
    sums->logs.high -= log(row->low);
    sums->logs.cells++;
    if (row->side_by_side) /* a speed: time of a over time of b */
        ratio_mean_add(&sums->paired, row->b->processes, row->a->processes);
}

static struct speed mean_of(const struct sums *sums)
{
    double cells = (double)sums->logs.cells;
    struct ratio paired = ratio_mean_value(&sums->paired);
    struct speed mean = sums->logs;
    bool is_paired = sums->paired.ratios == mean.cells;
    mean.ratio = is_paired ? paired.value : exp(mean.ratio / cells);
    mean.low = is_paired ? paired.low : exp(mean.low / cells);
    mean.high = is_paired ? paired.high : exp(mean.high / cells);
    return mean;
}

void policy_speeds_over_off(const struct comparison *c, struct policies *p)
{
    if (strcmp(c->plan->sides[0].name, "off") != 0) return;
    for (size_t i = 0; i < p->count; i++) {
        struct sums sums = {.paired = {.ratios = 0}};
        for (size_t k = 0; k < c->row_count; k++) {
            const struct compare_row *row = &c->rows[k];
            if (!strcmp(row->axes.cc, p->rows[i].cc) &&
                !strcmp(c->plan->sides[row->to].name, p->rows[i].policy) &&
                policy_kernel_fits(&p->rows[i], &row->axes))
                add_row(&sums, row);
        }
        if (sums.logs.cells) p->rows[i].speed = mean_of(&sums);
    }
}

/* Multiplies the speed relative to the compiler's own `off` by that of its `off` relative to the
 * first compiler's. */
void policy_speeds_over_first(const struct comparison *c, struct policies *p)
{
    const char *first = c ? c->plan->sides[0].name : p->rows[0].cc;
    for (size_t i = 0; i < p->count; i++) {
        struct sums sums = {.paired = {.ratios = 0}};
        for (size_t k = 0; c && k < c->row_count; k++) {
            const struct compare_row *row = &c->rows[k];
            if (!strcmp(row->axes.policy, "off") &&
                !strcmp(c->plan->sides[row->to].name, p->rows[i].cc) &&
                policy_kernel_fits(&p->rows[i], &row->axes))
                add_row(&sums, row);
        }
        double compiler = !strcmp(first, p->rows[i].cc) ? 1 : mean_of(&sums).ratio;
        p->rows[i].overall = compiler * p->rows[i].speed.ratio;
    }
}

/* The ratio of `off` to itself is 1, if `off` was timed at all. */
void policy_speed_of_off(const struct results *r, struct policies *p)
{
    for (size_t i = 0; i < r->timing_count; i++) {
        const struct timing_result *t = &r->timings[i];
        struct policy_row *row = policy_find(p, t->axes.cc, "off");
        if (row && !strcmp(t->axes.policy, "off") && t->ns_per_element > 0 &&
            policy_kernel_fits(row, &t->axes))
            row->speed = (struct speed){1, 1, 1, row->speed.cells + 1, 0};
    }
}
