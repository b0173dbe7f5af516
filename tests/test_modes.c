// SPDX-License-Identifier: MIT
/* Cells with two modes: a kernel that is five times slower in some processes, from its samples to
 * its row. */
#include "base/random.h"
#include "measure/bench.h"
#include "measure/modes.h"
#include "measure/ratio.h"
#include "measure/stats.h"
#include "measure/worker_timing.h"
#include "model/record.h"
#include "random_normal.h"
#include "scratch.h"

#include "drive.h"
#include "facts.h"

/* ---- The majority ---------------------------------------------------------------------------- */

enum { PROCESSES_MAX = 12 };

/* Draws the times of `count` processes; `slow` of them are `factor` times as long. */
static void draw_times(uint64_t *state, size_t count, size_t slow, double factor, double *times)
{
    for (size_t i = 0; i < count; i++)
        times[i] = 100 * exp(0.003 * random_normal(state)) * (i < slow ? factor : 1);
}

TEST(test_fewer_than_half_do_not_move_it)
{
    uint64_t random = 7;
    for (int trial = 0; trial < 500; trial++)
        for (size_t count = 3; count <= PROCESSES_MAX; count++)
            for (size_t slow = 0; 2 * slow < count; slow++) {
                double a[PROCESSES_MAX], b[PROCESSES_MAX];
                draw_times(&random, count, 0, 1, a);
                draw_times(&random, count, slow, trial % 2 ? 5 : 0.3, b);
                struct ratio r =
                    ratio_of_times((struct by_process){a, count}, (struct by_process){b, count});
                struct modes m = modes_of(b, count);
                assert_int_equal(r.off, slow);
                assert_true(fabs(r.value - 1) < 0.03);
                assert_int_equal(m.count, slow ? 2 : 1);
                assert_int_equal(m.items[m.usual].processes, count - slow);
                assert_true(fabs(m.items[m.usual].time / 100 - 1) < 0.03 && !m.tied);
                if (count - slow >= 3) assert_true(r.low > 0.95 && r.high < 1.05);
            }
}

TEST(test_halves_have_no_majority)
{
    uint64_t random = 8;
    for (size_t count = 4; count <= PROCESSES_MAX; count += 2) {
        double a[PROCESSES_MAX], b[PROCESSES_MAX];
        draw_times(&random, count, 0, 1, a);
        draw_times(&random, count, count / 2, 5, b);
        struct by_process of_a = {a, count}, of_b = {b, count};
        struct ratio r = ratio_of_times(of_a, of_b);
        struct ratio_mean mean = {.ratios = 0};
        struct modes m = modes_of(b, count);
        assert_true(isnan(r.value) && isnan(r.low) && isnan(r.p) && ratio_is_tied(r));
        assert_false(ratio_mean_add(&mean, of_a, of_b));
        assert_int_equal(mean.left_out, 1);
        assert_true(m.tied && m.count == 2 && m.items[m.usual].processes == count / 2);
        assert_true(m.high < 110); /* the time is that of the faster mode */
    }
}

/* Two outliers need not agree with each other, nor lie on the same side. */
TEST(test_what_is_off_need_not_agree)
{
    static const double scattered[] = {100, 101, 100.5, 220, 99.5, 460},
                        sides[] = {100, 101, 50, 100.5, 99.5, 460};
    struct modes m = modes_of(scattered, 6);
    assert_int_equal(m.count, 2);
    assert_int_equal(m.items[1].processes, 2);
    m = modes_of(sides, 6);
    assert_int_equal(m.count, 3);
    assert_int_equal(m.usual, 1);
    assert_true(m.items[0].time == 50 && m.items[2].time == 460);
}

/* A slow process that slows all cells alike cancels in the ratio, even if both times have two
 * modes. */
TEST(test_a_slow_process_cancels)
{
    static const double a[] = {10, 10, 10, 15, 15, 15}, b[] = {20, 20.1, 20, 30, 30.1, 30};
    struct ratio r = ratio_of_times((struct by_process){a, 6}, (struct by_process){b, 6});
    assert_true(fabs(r.value - 2) < 0.01 && !r.off);
    assert_true(modes_of(a, 6).tied);
}

/* The mean over cells does not move with the second mode of one cell. */
TEST(test_means_are_of_majorities)
{
    uint64_t random = 9;
    struct ratio_mean mean = {.ratios = 0};
    for (int cell = 0; cell < 4; cell++) {
        double a[6], b[6];
        draw_times(&random, 6, 0, 1, a);
        draw_times(&random, 6, cell == 2 ? 2 : 0, 5, b);
        assert_true(ratio_mean_add(&mean, (struct by_process){a, 6}, (struct by_process){b, 6}));
    }
    struct ratio r = ratio_mean_value(&mean);
    assert_true(fabs(r.value - 1) < 0.01 && r.low > 0.98 && r.high < 1.02 && !r.off);
}

/* ---- From samples to rows -------------------------------------------------------------------- */

static void add_samples(json_t *records, const char *variant, int process, double ns)
{
    json_t *record =
        json_pack("{s:s, s:i, s:s+, s:s, s:s, s:i, s:i, s:i, s:s, s:s, s:s, s:s}", "record",
                  "samples", "process", process, "id", variant, "/rows=1/n=64/threads=1", "variant",
                  variant, "family", "normal", "rows", 1, "n", 64, "threads", 1, "residency", "L1",
                  "status", "ok", "reason", "", "block", "softmax/f32/1x64");
    json_t *samples = json_array(), *rounds = json_array();
    for (int i = 0; i < 8; i++) {
        json_array_append_new(samples, json_real(ns * (1 + 0.001 * i)));
        json_array_append_new(rounds, json_integer(i));
    }
    json_object_set_new(record, "ns", samples);
    json_object_set_new(record, "round", rounds);
    json_array_append_new(records, record);
}

/* Returns the rows of a kernel of 100 ns and of one of 200 ns that is five times slower in `slow`
 * of six processes. */
static json_t *summarise(int slow)
{
    json_t *records = keep(json_array()), *rows = keep(json_array()), *limits = keep(json_array());
    struct error e = {.text = ""};
    bool partial;
    for (int p = 0; p < 6; p++) {
        add_samples(records, "softmax/a/dtype=f32/isa=avx2/cc=gcc-12/policy=off", p, 100 + p % 2);
        add_samples(records, "softmax/b/dtype=f32/isa=avx2/cc=gcc-12/policy=off", p,
                    200 * (p >= 6 - slow ? 5 : 1));
    }
    assert_int_equal(bench_summarise(records, limits, record_sink_array(rows), &partial, &e), 0);
    return rows;
}

static struct ratio ratio_of_rows(const json_t *rows)
{
    struct by_process a = bench_low_ns(json_array_get(rows, 0)),
                      b = bench_low_ns(json_array_get(rows, 1));
    struct ratio r = ratio_of_times(a, b);
    free((void *)a.values);
    free((void *)b.values);
    return r;
}

TEST(test_a_row_says_its_modes)
{
    for (int slow = 0; slow <= 3; slow++) {
        json_t *rows = summarise(slow);
        struct ratio r = ratio_of_rows(rows);
        assert_int_equal(json_array_size(fact_at(rows, "1.modes")), slow ? 2 : 0);
        assert_facts(rows,
                     "0.flags!~two-modes 1.flags%s 1.ns_per_row>198 1.ns_per_row<202 1.ci_high<210",
                     slow ? "~two-modes" : "!~two-modes");
        if (slow)
            assert_facts(
                rows, "1.modes.1.processes=%d 1.modes.1.ns_per_row>990 1.modes.1.ns_per_row<1010",
                slow);
        if (slow < 3)
            assert_true(fabs(r.value / 2 - 1) < 0.03);
        else
            assert_true(ratio_is_tied(r));
    }
}

/* Asserts that earlier records, in a folder, are read as the row that is made today. */
static void assert_is_of_today(const json_t *old, const json_t *new)
{
    struct error e = {.text = ""};
    json_t *machine = keep(json_pack("{s:i, s:{}}", "schema", 1, "machine"));
    assert_int_equal(json_dump_file(machine, scratch_path("machine.json"), 0), 0);
    if (record_write_file(scratch_path("timing.jsonl"), old, &e)) fail_msg("%s", e.text);
    json_t
        *answer = drive_json(
            drive_program("ulplab"), 0,
            "sql %s --json \"SELECT modes, instr(flags, 'two-modes') > 0 AS flag, ns, c.high * s.n "
            "AS high FROM cells c JOIN cell_details d USING (blob, variant, shape) JOIN shapes s "
            "ON s.id = c.shape ORDER BY c.place\"",
            scratch),
        *cell = fact_at(answer, "rows.1"),
        *modes = keep(json_loads(record_text(cell, "modes"), 0, NULL));
    assert_true(json_equal(modes, json_object_get(new, "modes")));
    assert_facts(cell, "flag=1 high<210");
    assert_true(fabs(record_number(cell, "ns") - record_number(new, "ns_per_element")) < 1e-9);
}

/* A record from before modes were recorded is converted to today's form. */
TEST(test_earlier_records)
{
    for (int slow = 0; slow <= 3; slow++) {
        json_t *rows = summarise(slow), *old = keep(json_deep_copy(rows)), *row;
        row = json_array_get(old, 1);
        json_object_del(row, "modes");
        json_object_set_new(row, "flags", json_array());
        json_object_set_new(row, "ns_per_row", json_real(2 * record_number(row, "ns_per_row")));
        json_object_set_new(row, "ns_per_element",
                            json_real(2 * record_number(row, "ns_per_element")));
        json_object_set_new(row, "ci_high", json_real(1000));
        if (slow) assert_is_of_today(old, json_array_get(rows, 1));
    }
}

/* ---- A first call that prepares -------------------------------------------------------------- */

static bool prepared;

/* Prepares work in the first call, as a library does that compiles code for a new shape. */
static void prepare_first(const struct job *job)
{
    struct clock clock = {.tsc_hz = 1e9};
    (void)job;
    if (!prepared) clock_pause(&clock, 20e-3);
    prepared = true;
}

/* The first call must not be taken for the time of every call: calls would then be sampled one by
 * one, with cold caches. If another process takes the CPU during the estimate, one of ten attempts
 * still shows the right time. */
TEST(test_a_first_call_is_not_the_measure)
{
    const struct kernel k = {.op = "softmax", .run = prepare_first};
    const struct work_header work = {.warmup_s = 1e-3, .sample_s = 100e-6};
    const struct data d = {.rows = 1, .n = 1, .outputs = 1, .threads = 1, .type = dtype_of(&k)};
    struct clock clock;
    struct timer timer;
    bool short_calls = false;
    clock_calibrate(&clock, 0.02);
    for (int attempt = 0; attempt < 10 && !short_calls; attempt++) {
        prepared = false;
        timer_open(&timer, &clock);
        struct visit_result r = timer_visit(&timer, &work, &d, &k, &(struct visit){0});
        timer_close(&timer);
        short_calls = r.calls > 100 && r.ns < 10e3;
    }
    assert_true(short_calls);
}

static size_t calls_made;
static double call_s;

static void take_time(const struct job *job)
{
    struct clock clock = {.tsc_hz = 1e9};
    (void)job;
    calls_made++;
    if (call_s > 0) clock_pause(&clock, call_s);
}

/* Where not even reading the input is shorter than a sample, the first call says all; unless it was
 * shorter, since a kernel may do nothing. */
TEST(test_a_long_first_call_is_the_only_one)
{
    const struct kernel k = {.op = "softmax", .run = take_time};
    const struct work_header work = {.warmup_s = 1e-3, .sample_s = 100e-6};
    const struct data d = {
        .rows = 4096, .n = 1 << 16, .outputs = 1, .threads = 1, .type = dtype_of(&k)};
    struct clock clock;
    struct timer timer;
    clock_calibrate(&clock, 0.02);
    timer_open(&timer, &clock);
    for (int slow = 0; slow < 2; slow++) {
        calls_made = 0;
        call_s = slow ? 20e-3 : 0;
        struct visit_result r = timer_visit(&timer, &work, &d, &k, &(struct visit){0});
        assert_int_equal(calls_made == 1, slow);
        assert_int_equal(r.calls == 1, slow);
    }
    timer_close(&timer);
}

TEST_GROUP(scratch_open, scratch_close)
