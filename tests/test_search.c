// SPDX-License-Identifier: MIT
/* search: it finds a planted needle that random rows miss; its finds depend on the seed and the
 * budget only; a kernel that dies gets a status; and accuracy replays the finds to the bit. */
#include <float.h>
#include <signal.h>

#include "base/error.h"
#include "measure/accuracy.h"
#include "model/record.h"
#include "oracle/bounds.h"
#include "study/hunt.h"
#include "study/search.h"

#include "drive.h"
#include "facts.h"
#include "planted.h"
#include "scratch.h"

/* ---- The search of kernels ------------------------------------------------------------------- */

static void moments_of(const struct job *j, double wrong)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        double sum = 0, squares = 0;
        for (size_t i = 0; i < j->n; i++) sum += (double)x[i];
        sum /= (double)j->n;
        for (size_t i = 0; i < j->n; i++) squares += ((double)x[i] - sum) * ((double)x[i] - sum);
        float *y = (float *)j->y + r * j->y_stride;
        bool hit = x[0] > 2.75f && x[0] < 3 && x[1] > 2.75f && x[1] < 3 && x[2] > 2.75f && x[2] < 3;
        y[0] = (float)sum;
        y[1] = (float)(squares / (double)j->n * (1 + (hit ? wrong : 0)));
    }
}
static void run_good(const struct job *j)
{
    moments_of(j, 0);
}
static void run_needle(const struct job *j)
{
    moments_of(j, 1e-4);
}
static void run_crash(const struct job *j)
{
    (void)j;
    raise(SIGSEGV);
}
static void run_nan(const struct job *j)
{
    moments_of(j, 0);
    if (((const float *)j->x)[0] > 7.9f) ((float *)j->y)[1] = NAN;
}

static const struct kernel kernels[] = {
#define PLANTED(f)                                                                                 \
    {                                                                                              \
        .op = "moments", .algorithm = "planted", .dtype = "f32", .lanes = 1,                       \
        .bound = BOUND_VARIANCE_TWOPASS, .promise = {.specials = true, .bound = true}, .run = f    \
    }
    PLANTED(run_good),
    PLANTED(run_needle),
    PLANTED(run_crash),
    PLANTED(run_nan),
#undef PLANTED
};
enum { GOOD, BAD, CRASH, NOT_A_NUMBER, KERNELS };

static struct registry planted(void)
{
    static const char *const ccs[] = {"good", "needle", "crash", "nan"};
    struct registry r = {.variants = keep(calloc(KERNELS, sizeof *r.variants)), .count = KERNELS};
    for (size_t k = 0; k < KERNELS; k++)
        r.variants[k] = planted_variant(&kernels[k], "avx2", ccs[k], "off");
    return r;
}

static struct search_request small_plan(const char *out)
{
    struct search_request plan = search_default("moments");
    plan.folder = out;
    plan.n = 8;
    plan.low = -8;
    plan.high = 8;
    plan.evaluations = 20 * HUNT_ROUND;
    plan.all = true;
    plan.quiet = true;
    return plan;
}

static json_t *search(const struct search_request *plan, const struct registry *r, int want)
{
    json_t *rows = keep(json_array());
    struct tally sum;
    struct error e = {""};
    int code = search_run(plan, r, record_sink_array(rows), &sum, &e);
    if (code != want) fail_msg("want exit %d, got %d: %s", want, code, e.text);
    return rows;
}

TEST(a_planted_needle_a_crash_and_a_nan_are_told)
{
    struct registry r = planted();
    struct search_request plan = small_plan(scratch_path("planted"));
    json_t *rows = search(&plan, &r, EXIT_PARTIAL);
    assert_int_equal(json_array_size(rows), KERNELS);
    fact_find(rows, "id~/cc=good/ status=ok score<0.2 max_ulp<=0.5 objective=bound");
    /* The error is 1e-4, or 1678 u, and the bound is N + 4 + N^2 kappa^2 u. */
    fact_find(rows, "id~/cc=needle/ status=wrong score>100");
    const json_t *crash = fact_find(rows, "id~/cc=crash/ status=sigsegv");
    assert_string_equal(record_text(crash, "input"), "");
    fact_find(rows, "id~/cc=nan/ status=wrong special=true");
}

/* Any number of threads finds the same; only the seconds differ. */
TEST(two_searches_agree_to_the_bit)
{
    struct registry r = planted();
    r.count = 2;
    struct search_request plan = small_plan(scratch_path("one"));
    plan.threads = 1;
    json_t *one = search(&plan, &r, EXIT_GATE);
    plan.folder = scratch_path("two");
    plan.threads = 3;
    json_t *two = search(&plan, &r, EXIT_GATE);
    for (size_t k = 0; k < 2; k++) {
        const json_t *a = json_array_get(one, k), *b = json_array_get(two, k);
        assert_facts(b, "input=%s score=%.17g", record_text(a, "input"), record_number(a, "score"));
        assert_true(json_equal(json_object_get(a, "history"), json_object_get(b, "history")));
    }
}

TEST(search_jsonl_keeps_the_last_answer_to_a_question)
{
    struct error e;
    json_t *records =
        json_pack("[{s:s, s:i, s:[i, i], s:i}, {s:s, s:i, s:[i, i], s:i}]", "id", "a", "n", 8,
                  "box", 0, 1, "seed", 1, "id", "b", "n", 8, "box", 0, 1, "seed", 1);
    assert_int_equal(search_keep(scratch_path("kept"), records, &e), 0);
    json_object_set_new(json_array_get(records, 0), "seed", json_integer(2));
    json_array_remove(records, 1);
    assert_int_equal(search_keep(scratch_path("kept"), records, &e), 0);
    json_t *read;
    assert_int_equal(record_read(scratch_path("kept/search.jsonl"), false, &read, &e), 0);
    assert_int_equal(json_array_size(read), 2);
    assert_facts(read, "0.id=b 0.seed=1 1.id=a 1.seed=2");
}

/* ---- The replay ------------------------------------------------------------------------------ */

TEST(accuracy_replays_what_was_found)
{
    struct registry r = planted();
    r.count = 2;
    struct search_request plan = small_plan(scratch_path("replay"));
    json_t *found = search(&plan, &r, EXIT_GATE), *rows = keep(json_array());
    struct adversarial inputs;
    struct error e = {""};
    assert_int_equal(adversarial_open(scratch_path("replay"), &inputs, &e), 0);
    assert_int_equal(json_array_size(inputs.names), 2);
    assert_int_equal(inputs.count, 1);
    assert_int_equal(inputs.blocks[0].rows, 2);

    struct accuracy_request again = accuracy_default();
    struct tally sum;
    again.quiet = true;
    again.adversarial = &inputs;
    again.adversarial_alone = true;
    assert_int_equal(accuracy_run(&again, &r, record_sink_array(rows), &sum, &e), EXIT_GATE);
    assert_int_equal(json_array_size(rows), 2);
    assert_every(rows, 2, "family=adversarial inputs=%s n=8", inputs.blocks[0].hash);
    assert_facts(rows, "%d.status=ok %d.status=wrong %d.bound_ratio=%.17g", GOOD, BAD, BAD,
                 record_number(json_array_get(found, BAD), "bound_ratio"));
    adversarial_close(&inputs);
}

TEST(the_default_grid_has_the_finds_beside_it)
{
    struct registry r = planted();
    r.count = 1;
    struct search_request plan = small_plan(scratch_path("grid"));
    search(&plan, &r, 0);
    struct adversarial inputs;
    struct error e = {""};
    assert_int_equal(adversarial_open(scratch_path("grid"), &inputs, &e), 0);
    json_t *rows = keep(json_array());
    struct accuracy_request usual = accuracy_default();
    struct tally sum;
    usual.quiet = true;
    usual.adversarial = &inputs;
    assert_int_equal(accuracy_run(&usual, &r, record_sink_array(rows), &sum, &e), 0);
    const size_t of_the_grid = fact_count(rows, "family!=adversarial grid>0");
    assert_int_equal(fact_count(rows, "family=adversarial"), 1);
    assert_int_equal(of_the_grid, json_array_size(rows) - 1);
    assert_true(of_the_grid > 20);
    adversarial_close(&inputs);
}

TEST(a_changed_file_is_refused)
{
    float x[] = {1, 2, 3};
    struct npy row = {.data = x, .rows = 1, .cols = 3, .ndim = 2};
    struct adversarial inputs;
    struct error e = {""};
    char name[ADVERSARIAL_NAME], path[200];
    assert_int_equal(adversarial_keep(scratch_path("changed"), "softmax", &row, name, &e), 0);
    assert_int_equal(adversarial_open(scratch_path("changed"), &inputs, &e), 0);
    assert_string_equal(inputs.blocks[0].op, "softmax");
    assert_memory_equal(inputs.blocks[0].x, x, sizeof x);
    adversarial_close(&inputs);
    x[1] = 2.5f;
    snprintf(path, sizeof path, "%s/" ADVERSARIAL "/%s", scratch_path("changed"), name);
    assert_int_equal(npy_write(path, &row, &e), 0);
    assert_int_equal(adversarial_open(scratch_path("changed"), &inputs, &e), EXIT_BAD_INPUT);
    assert_non_null(strstr(e.text, name));
    assert_int_equal(adversarial_open(scratch_path("nothing-there"), &inputs, &e), 0);
    assert_int_equal(inputs.count, 0);
    adversarial_close(&inputs);
}

/* The largest possible ratio of a logsumexp: 1 where the result may be a power of two or zero,
 * smaller between them, and smaller the shorter the row. */
TEST(a_ceiling_is_never_exceeded)
{
    const struct kernel shifted = {.bound = BOUND_LOGSUMEXP_SHIFTED,
                                   .lanes = 8,
                                   .chains = 4,
                                   .exp_ulp = 0.95,
                                   .log_ulp = 0.84},
                        softmax = {.bound = BOUND_SOFTMAX, .lanes = 8};
    assert_true(bounds_ceiling(&softmax, 64, 100, 101) == 1);
    assert_true(bounds_ceiling(&shifted, 64, -8, 8) == 1);
    assert_true(bounds_ceiling(&shifted, 64, 120, 130) == 1);
    double small = bounds_ceiling(&shifted, 7, 100, 101), large;
    large = bounds_ceiling(&shifted, 1000, 100, 101);
    /* One element, whose only error is the rounding: (64 + 1.9) / (100 + 1.9). */
    assert_true(fabs(bounds_ceiling(&shifted, 1, 100, 101) - 0.6526) < 0.03);
    assert_true(small > 0.6 && small < large && large < 0.8);
    assert_true(bounds_ceiling(&shifted, 7, -103, -102.5) < 0.8);
}

TEST(usage_is_told)
{
    static const char *const bad[][2] = {
        {"search", "want one operation"},
        {"search nonesuch --out %s", "nonesuch"},
        {"search moments --box 2,1", "--box"},
        {"search moments --box 0,inf", "--box"},
        {"search moments --n 0 --out %s", "--n"},
        {"search moments --filter op=softmax --out %s", "moments"},
        {"accuracy --family adversarial --out /tmp", "adversarial"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char line[200];
        snprintf(line, sizeof line, bad[i][0], scratch);
        assert_says(drive_program("ulplab"), EXIT_USAGE, bad[i][1], "%s", line);
    }
}

/* ---- The hunt ------------------------------------------------------------------------------- */

/* These tests come last: OpenMP's threads do not survive a fork. */

enum { N = 12, NEEDLE = 4 };

/* A score that is zero unless the first four values are all within 1/16 of 3, where it grows
 * towards 3. One row in 128^4 of the box hits this needle. Elsewhere the score rises faintly
 * towards it, as an error does. */
static void needle(void *context, size_t island, const float *rows, double *scores)
{
    (void)context, (void)island;
    for (size_t k = 0; k < HUNT_BATCH; k++) {
        double far = 0;
        for (size_t j = 0; j < NEEDLE; j++) far += fabs((double)rows[k * N + j] - 3);
        bool hit = far <= NEEDLE / 16.0;
        scores[k] = hit ? 2 - far : 0.5 / (1 + far);
    }
}

static void check_box(void *context, size_t island, const float *rows, double *scores)
{
    needle(context, island, rows, scores);
    for (size_t k = 0; k < HUNT_BATCH * N; k++)
        if (!(rows[k] >= -8 && rows[k] <= 8)) *(bool *)context = true;
}

static struct hunt_result hunt(bool guided, uint64_t seed, int threads)
{
    bool outside = false;
    struct hunt_request plan = {.n = N,
                                .low = -8,
                                .high = 8,
                                .seed = seed,
                                .evaluations = 100 * HUNT_ROUND,
                                .threads = threads,
                                .guided = guided,
                                .score = check_box,
                                .context = &outside};
    struct hunt_result r;
    hunt_run(&plan, &r);
    keep(r.best);
    assert_false(outside);
    return r;
}

TEST(the_hunt_finds_a_needle_that_chance_misses)
{
    struct hunt_result guided = hunt(true, 1, 2), random = hunt(false, 1, 2);
    assert_true(guided.score > 1.99);
    assert_true(random.score < 1);
    for (size_t j = 0; j < NEEDLE; j++) assert_true(fabsf(guided.best[j] - 3) < 0.01f);
}

TEST(a_hunt_depends_on_seed_and_budget_alone)
{
    for (int guided = 0; guided < 2; guided++) {
        struct hunt_result one = hunt(guided, 5, 1), three = hunt(guided, 5, 3),
                           other = hunt(guided, 6, 1);
        assert_memory_equal(one.best, three.best, N * sizeof(float));
        assert_true(one.score == three.score && one.points == three.points);
        for (size_t k = 0; k < one.points; k++) {
            assert_int_equal(one.history[k].evaluations, three.history[k].evaluations);
            assert_true(one.history[k].score == three.history[k].score);
        }
        assert_memory_not_equal(one.best, other.best, N * sizeof(float));
    }
}

TEST(a_history_rises_to_what_was_found)
{
    struct hunt_result r = hunt(true, 2, 2);
    assert_int_equal(r.evaluations, 100 * HUNT_ROUND);
    assert_true(r.points > 1 && r.points <= HUNT_POINTS);
    for (size_t k = 1; k < r.points; k++) {
        assert_true(r.history[k].evaluations > r.history[k - 1].evaluations);
        assert_true(r.history[k].score > r.history[k - 1].score);
    }
    assert_true(r.history[r.points - 1].score == r.score);
}

/* A score that rises in every round gives more points than can be kept. */
static void rising(void *context, size_t island, const float *rows, double *scores)
{
    (void)rows;
    double *count = context;
    if (island == 0) ++*count;
    for (size_t k = 0; k < HUNT_BATCH; k++) scores[k] = *count;
}

TEST(a_long_history_is_thinned_out)
{
    double count = 0;
    struct hunt_request plan = {.n = 1,
                                .high = 1,
                                .evaluations = 2000 * HUNT_ROUND,
                                .threads = 1,
                                .guided = false,
                                .score = rising,
                                .context = &count};
    struct hunt_result r;
    hunt_run(&plan, &r);
    keep(r.best);
    assert_true(r.points > HUNT_POINTS / 4 && r.points <= HUNT_POINTS);
    assert_int_equal(r.history[0].evaluations, HUNT_ROUND);
    assert_true(r.history[r.points - 1].score == r.score);
}

TEST_GROUP(scratch_open, scratch_close)
