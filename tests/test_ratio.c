// SPDX-License-Identifier: MIT
/* Rounds, and the ratios formed from them, on samples whose true ratio is known. */
#include "measure/ratio.h"
#include "measure/stats.h"
#include "measure/worker_timing.h"

#include "random_normal.h"
#include "test.h"

/* ---- Student's distribution ------------------------------------------------------------------ */

TEST(test_student)
{
    /* Two-sided 95% and 99% points of Abramowitz and Stegun, table 26.10. */
    static const struct {
        double freedom, of_95, of_99;
    } table[] = {{1, 12.706, 63.657}, {2, 4.303, 9.925},  {3, 3.182, 5.841},
                 {5, 2.571, 4.032},   {10, 2.228, 3.169}, {29, 2.045, 2.756}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_true(fabs(student_t(0.05, table[i].freedom) - table[i].of_95) < 6e-4);
        assert_true(fabs(student_t(0.01, table[i].freedom) - table[i].of_99) < 6e-4);
        assert_true(fabs(student_p(-table[i].of_95, table[i].freedom) - 0.05) < 2e-4);
    }
}

/* Values of the usual tables: t(10; 0.975) = 2.228, t(4; 0.995) = 4.604, t(1; 0.975) = 12.706,
 * t(60; 0.9995) = 3.460. */
TEST(test_student_of_the_tables)
{
    const struct {
        double t, freedom, p;
    } rows[] = {
        {2.228, 10, 0.05}, {4.604, 4, 0.01}, {12.706, 1, 0.05}, {3.460, 60, 0.001}, {0, 5, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fabs(student_p(rows[i].t, rows[i].freedom) / rows[i].p - 1) > 1e-3)
            fail_msg("%zu: %g", i, student_p(rows[i].t, rows[i].freedom));
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

TEST(test_rounds_are_spread_evenly)
{
    struct work_header work = {.patience_s = 0.1, .rounds = 24};
    assert_int_equal(block_rounds(&work, 1e-4), 24);
    assert_int_equal(block_rounds(&work, 0.01), 10);
    assert_int_equal(block_rounds(&work, 10), 3); /* the minimum, however slow the cell is */
    work.rounds = 2;
    assert_int_equal(block_rounds(&work, 10), 2);
    for (size_t taken = 1; taken <= 24; taken++) {
        size_t count = 0, last = 0;
        for (size_t round = 0; round < 24; round++) {
            if (!block_takes_part(taken, 24, round)) continue;
            assert_true(!count || round - last <= 24 / taken + 1);
            last = round;
            count++;
        }
        assert_int_equal(count, taken);
    }
}

enum { MEMBERS = 7, ROUNDS = 12 };
struct seen {
    size_t calls, items[MEMBERS * ROUNDS], orders;
    size_t put[MEMBERS];
    double clock;
};

static struct visit_result fake_visit(void *context, const struct work_order *o,
                                      const struct visit *visit)
{
    struct seen *seen = context;
    if (!visit->calls) return (struct visit_result){.calls = 3, .ns = 1000};
    assert_true(visit->settled_calls > 0);
    seen->items[seen->orders++] = o->item;
    seen->clock += 1e-3;
    return (struct visit_result){.calls = visit->calls, .ns = 1000.0 + (double)o->item};
}
static double fake_seconds(void *context)
{
    return ((const struct seen *)context)->clock;
}
static void fake_put(void *context, struct work_cell *cell)
{
    struct seen *seen = context;
    size_t item = cell->head.item;
    seen->put[item]++;
    assert_int_equal(cell->samples, ROUNDS);
    for (size_t i = 0; i < ROUNDS; i++) {
        assert_int_equal(cell->values[i].round, i);
        assert_true(cell->values[i].ns == 1000.0 + (double)item);
        assert_true(!i || cell->values[i].at_s > cell->values[i - 1].at_s);
    }
}

/* In each round every member is timed once, one vector width after the other, in a different order
 * each time. */
TEST(test_a_block_goes_in_rounds)
{
    struct work_header work = {.patience_s = 1, .rounds = ROUNDS, .layout = 5};
    struct work_order orders[MEMBERS];
    struct seen seen = {.calls = 0};
    for (size_t i = 0; i < MEMBERS; i++)
        orders[i] = (struct work_order){.item = i, .width = (enum width)(i % WIDTHS)};
    block_measure(&work, orders, MEMBERS,
                  &(struct block_hooks){&seen, fake_visit, fake_seconds, fake_put});
    assert_int_equal(seen.orders, MEMBERS * ROUNDS);
    size_t alike = 0;
    for (size_t round = 0; round < ROUNDS; round++) {
        const size_t *items = seen.items + round * MEMBERS;
        unsigned met = 0, changes = 0;
        for (size_t i = 0; i < MEMBERS; i++) {
            met |= 1u << items[i];
            changes += i && items[i] % WIDTHS != items[i - 1] % WIDTHS;
            alike += round && items[i] == items[i - (ptrdiff_t)MEMBERS];
        }
        assert_int_equal(met, (1u << MEMBERS) - 1);
        assert_int_equal(changes, WIDTHS - 1);
    }
    assert_true(alike < MEMBERS * (ROUNDS - 1) / 2);
    for (size_t i = 0; i < MEMBERS; i++) assert_int_equal(seen.put[i], 1);
}

/* ---- Ratios ---------------------------------------------------------------------------------- */

/* Makes the samples of two cells in one process as on a shared machine: each cell has a layout of
 * its own, both see the same drift, and bursts of a neighbour add up to half of the time to some
 * rounds. */
static void a_process(uint64_t *state, double ratio, double busy, double *low_a, double *low_b)
{
    enum { SAMPLES = 24 };
    double a[SAMPLES], b[SAMPLES], layout_a = 0.004 * random_normal(state),
                                   layout_b = 0.004 * random_normal(state);
    bool burst = false;
    for (int i = 0; i < SAMPLES; i++) {
        if (random_unit(state) < 0.25) burst = random_unit(state) < busy;
        double drift = 1 + 0.001 * i, hit = burst ? 1 + 0.5 * random_unit(state) : 1;
        double late = burst ? 1 + 0.5 * random_unit(state) : 1;
        a[i] = 100 * exp(layout_a + 0.002 * fabs(random_normal(state))) * drift * hit;
        b[i] = 100 * ratio * exp(layout_b + 0.002 * fabs(random_normal(state))) * drift * late;
    }
    stats_sort(a, SAMPLES);
    stats_sort(b, SAMPLES);
    *low_a = stats_quantile(a, SAMPLES, RATIO_QUANTILE);
    *low_b = stats_quantile(b, SAMPLES, RATIO_QUANTILE);
}

struct trials {
    double coverage, found, bias;
};
static struct trials try_many(double ratio, double busy)
{
    enum { TRIALS = 2000, PROCESSES = 6 };
    uint64_t state = 11;
    struct trials sum = {0};
    for (int t = 0; t < TRIALS; t++) {
        double a[PROCESSES], b[PROCESSES];
        for (int p = 0; p < PROCESSES; p++) a_process(&state, ratio, busy, &a[p], &b[p]);
        struct ratio r =
            ratio_of_times((struct by_process){a, PROCESSES}, (struct by_process){b, PROCESSES});
        assert_true(r.low <= r.value && r.value <= r.high && r.processes == PROCESSES);
        assert_int_equal(r.p<0.05, r.low> 1 || r.high < 1);
        sum.coverage += r.low <= ratio && ratio <= r.high;
        sum.found += r.low > 1;
        sum.bias += log(r.value / ratio);
    }
    return (struct trials){sum.coverage / TRIALS, sum.found / TRIALS, sum.bias / TRIALS};
}

TEST(test_intervals_hold_the_true_ratio)
{
    static const double ratios[] = {1, 1.01, 1.03, 1.1};
    for (size_t i = 0; i < 4; i++)
        for (int busy = 0; busy < 2; busy++) {
            struct trials t = try_many(ratios[i], 0.5 * busy);
            assert_true(t.coverage > 0.93 && t.coverage < 0.985);
            assert_true(fabs(t.bias) < 0.002);
            if (ratios[i] >= 1.03) assert_true(t.found > 0.9);
        }
}

/* A process that another program disturbed throughout moves neither the estimate nor the interval.
 */
TEST(test_one_disturbed_process)
{
    const double a[] = {100, 100, 100, 100, 100, 100}, b[] = {103, 103.1, 102.9, 103, 103.05, 150};
    struct ratio r = ratio_of_times((struct by_process){a, 6}, (struct by_process){b, 6});
    assert_true(fabs(r.value - 1.03) < 0.002);
    assert_true(r.low > 1.028 && r.high < 1.032);
    assert_int_equal(r.off, 1);
}

TEST(test_processes_that_are_missing)
{
    const double a[] = {100, NAN, 100, 100, 100}, b[] = {110, 110, NAN, 110, 110, 110};
    struct ratio r = ratio_of_times((struct by_process){a, 5}, (struct by_process){b, 6});
    assert_int_equal(r.processes, 3);
    assert_true(fabs(r.value - 1.1) < 1e-12 && fabs(r.low - 1.1) < 1e-12);
    assert_true(r.p == 0);
    r = ratio_of_times((struct by_process){a, 1}, (struct by_process){b, 1});
    assert_true(fabs(r.value - 1.1) < 1e-12 && isnan(r.low) && isnan(r.p));
    r = ratio_of_times((struct by_process){a, 0}, (struct by_process){b, 6});
    assert_true(isnan(r.value) && r.processes == 0);
}

/* The error that all cells of a process share does not average out: two hundred cells do not make
 * the interval narrower than processes differ. */
TEST(test_means_err_by_process)
{
    enum { CELLS = 200, PROCESSES = 6 };
    uint64_t random = 3;
    struct ratio_mean mean = {.ratios = 0};
    double common[PROCESSES];
    for (int p = 0; p < PROCESSES; p++) common[p] = 0.01 * random_normal(&random);
    for (int c = 0; c < CELLS; c++) {
        double a[PROCESSES], b[PROCESSES];
        for (int p = 0; p < PROCESSES; p++) {
            a[p] = 100;
            b[p] = 120 * exp(common[p] + 0.01 * random_normal(&random));
        }
        assert_true(ratio_mean_add(&mean, (struct by_process){a, PROCESSES},
                                   (struct by_process){b, PROCESSES}));
    }
    struct ratio r = ratio_mean_value(&mean), of_common = ratio_of_logs(common, PROCESSES);
    assert_int_equal(mean.ratios, CELLS);
    assert_true(fabs(r.value / (1.2 * of_common.value) - 1) < 0.003);
    assert_true(fabs(log(r.high / r.low) / log(of_common.high / of_common.low) - 1) < 0.2);
    double none[] = {NAN};
    assert_false(ratio_mean_add(&mean, (struct by_process){none, 1}, (struct by_process){none, 1}));
    assert_int_equal(mean.ratios, CELLS);
}
