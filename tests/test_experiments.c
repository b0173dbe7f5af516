// SPDX-License-Identifier: MIT
/* The experiments on kernels that are built to depend on one thing each: that experiment alone
 * shows it, and names the cause. */
#include "study/experiments.h"

#include "test.h"

/* y = 2 x, from an element on computed otherwise. */
static void twice(const float *x, float *y, size_t from, size_t n, float factor)
{
    for (size_t i = from; i < n; i++) y[i] = x[i] * factor;
}

static const float other = 0x1.000002p1F; /* one ulp more than 2 */

#define EACH_ROW(j, x, y)                                                                          \
    for (size_t r = 0; r < (j)->rows; r++)                                                         \
        for (const float *x = (const float *)(j)->x + r * (j)->x_stride; x; x = NULL)              \
            for (float *y = (float *)(j)->y + r * (j)->y_stride; y; y = NULL)

static void sound(const struct job *j)
{
    EACH_ROW(j, x, y) twice(x, y, 0, j->n, 2);
}
static void other_tail(const struct job *j)
{
    EACH_ROW(j, x, y)
    {
        twice(x, y, j->n - j->n % 8, j->n, other);
        twice(x, y, 0, j->n - j->n % 8, 2);
    }
}
static void peels(const struct job *j)
{
    EACH_ROW(j, x, y)
    {
        const size_t peeled = j->n < 3 ? j->n : 3;
        twice(x, y, 0, peeled, (uintptr_t)x % 32 ? other : 2);
        twice(x, y, peeled, j->n, 2);
    }
}
static void counts_calls(const struct job *j)
{
    static unsigned calls;
    EACH_ROW(j, x, y) twice(x, y, 0, j->n, ++calls % 2 ? 2 : other);
}
static void of_many_rows(const struct job *j)
{
    EACH_ROW(j, x, y) twice(x, y, 0, j->n, j->rows >= 256 ? other : 2);
}
static void looks_behind(const struct job *j)
{
    EACH_ROW(j, x, y) twice(x, y, 0, j->n, isnan(x[j->n]) ? other : 2);
}
static void looks_at_the_first_row(const struct job *j)
{
    const float *first = j->x;
    EACH_ROW(j, x, y) twice(x, y, 0, j->n, isnan(first[0]) ? other : 2);
}
static void last_row_first(const struct job *j)
{
    EACH_ROW(j, x, y) twice(x, y, 0, j->n, j->rows == 24 && r == 23 ? other : 2);
}
/* A last vector of 8 that overlaps the one before. */
static void overlaps(const struct job *j)
{
    EACH_ROW(j, x, y)
    {
        if (j->n < 8) {
            twice(x, y, 0, j->n, 2);
        } else {
            for (size_t i = 0; i + 8 <= j->n; i += 8) twice(x + i, y + i, 0, 8, 2);
            if (j->n % 8) twice(x + j->n - 8, y + j->n - 8, 0, 8, 2);
        }
    }
}
static void of_the_length(const struct job *j)
{
    EACH_ROW(j, x, y) twice(x, y, 0, j->n, j->n >= 4096 ? other : 2);
}
/* An off element behind many that are one step off: rows of 131 and more. */
static void off_behind_harmless_ones(const struct job *j)
{
    EACH_ROW(j, x, y)
    {
        const size_t body = j->n - j->n % 8;
        twice(x, y, 0, body, 2);
        twice(x, y, body, j->n, other);
        if (j->n > 1000) twice(x, y, body, body + (j->n > body), 2.002F);
    }
}
/* Results that are lost where a row stands at 8 bytes behind a multiple of 64. */
static void loses_by_place(const struct job *j)
{
    EACH_ROW(j, x, y)
    twice(x, y, 0, j->n, (uintptr_t)x % 64 == 8 ? NAN : (uintptr_t)x % 64 == 4 ? other : 2);
}
/* Calls of one length agree where the change falls between two lengths, as behind 1,004 calls. */
static void off_after_calls(const struct job *j)
{
    static unsigned calls;
    EACH_ROW(j, x, y) twice(x, y, 0, j->n, ++calls > 1001 ? 2.002F : 2);
}
static void off_between_lengths(const struct job *j)
{
    static unsigned calls;
    EACH_ROW(j, x, y) twice(x, y, 0, j->n, ++calls > 1004 ? 2.002F : 2);
}
static void off_in_place(const struct job *j)
{
    EACH_ROW(j, x, y) twice(x, y, 0, j->n, x == y ? 2.002F : 2);
}
static void writes_without_elements(const struct job *j)
{
    sound(j);
    EACH_ROW(j, x, y) if (!j->n) y[0] = 0;
}
static void by_place(const struct job *j)
{
    EACH_ROW(j, x, y) for (size_t i = 0; i < j->n; i++) y[i] = x[i] * (float)(i + 1);
}
/* A sum in two orders, by the number of rows. */
static void sums(const struct job *j)
{
    EACH_ROW(j, x, y)
    {
        float sum = 0;
        for (size_t i = 0; i < j->n; i++) sum += x[j->rows >= 256 ? j->n - 1 - i : i];
        y[0] = sum;
    }
}

static void exact_twice(const float *x, size_t n, const struct parameters *p, double *y,
                        struct oracle_row *facts)
{
    (void)p, (void)facts;
    for (size_t i = 0; i < n; i++) y[i] = 2 * (double)x[i];
}
static void exact_by_place(const float *x, size_t n, const struct parameters *p, double *y,
                           struct oracle_row *facts)
{
    (void)p, (void)facts;
    for (size_t i = 0; i < n; i++) y[i] = (double)x[i] * (double)(i + 1);
}
static void exact_sum(const float *x, size_t n, const struct parameters *p, double *y,
                      struct oracle_row *facts)
{
    (void)p, (void)facts;
    y[0] = 0;
    for (size_t i = 0; i < n; i++) y[0] += (double)x[i];
}
static const struct oracle of_elements = {.op = "t",
                                          .outputs = {"y"},
                                          .elementwise = true,
                                          .unary = true,
                                          .domain = DOMAIN_MOMENTS,
                                          .row = exact_twice},
                           of_places = {.op = "p",
                                        .outputs = {"y"},
                                        .elementwise = true,
                                        .domain = DOMAIN_MOMENTS,
                                        .row = exact_by_place},
                           of_rows = {.op = "s",
                                      .outputs = {"y"},
                                      .columns = 1,
                                      .domain = DOMAIN_MOMENTS,
                                      .row = exact_sum};

static void make_all(void (*run)(const struct job *), const struct oracle *op, bool deep,
                     struct finding found[EXPERIMENTS])
{
    const struct kernel k = {.op = op->op, .algorithm = "t", .dtype = "f32", .run = run};
    const struct experiments_plan plan = {
        .kernel = &k, .oracle = op, .seed = 1, .longest = 8209, .deep = deep, .seconds = 60};
    for (enum experiment e = 0; e < EXPERIMENTS; e++) found[e] = experiment_make(&plan, e, found);
}

static const struct planted {
    const char *name;
    void (*run)(const struct job *);
    const struct oracle *op;
    enum experiment shown; /* the experiment that shows it; EXPERIMENTS: none */
    const char *cause;
} planted[] = {
    {"sound", sound, &of_elements, EXPERIMENTS, ""},
    {"tail", other_tail, &of_elements, EXPERIMENT_TAIL, "tail"},
    {"position", peels, &of_elements, EXPERIMENT_POSITION, "position"},
    {"state", counts_calls, &of_elements, EXPERIMENT_RUN, "state"},
    {"rows", of_many_rows, &of_elements, EXPERIMENT_BATCH, "code"},
    {"reduction", sums, &of_rows, EXPERIMENT_BATCH, "reduction"},
    {"behind", looks_behind, &of_elements, EXPERIMENT_BESIDE, "beside"},
    {"first row", looks_at_the_first_row, &of_elements, EXPERIMENT_BESIDE, "beside"},
    {"overlap", overlaps, &of_elements, EXPERIMENT_IN_PLACE, "twice"},
    {"length", of_the_length, &of_elements, EXPERIMENT_THREADS, "length"},
    {"empty", writes_without_elements, &of_elements, EXPERIMENT_EMPTY, "written"},
    {"place by right", by_place, &of_places, EXPERIMENTS, ""},
};

TEST(each_is_shown_by_its_own)
{
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        struct finding found[EXPERIMENTS] = {0};
        make_all(planted[i].run, planted[i].op, true, found);
        for (enum experiment e = 0; e < EXPERIMENTS; e++) {
            const bool shown = found[e].answer == ANSWER_NO;
            if (shown != (e == planted[i].shown) || found[e].cut_at)
                fail_msg("%s: %s: answer %d, cut %d, %s", planted[i].name, experiment_name(e),
                         found[e].answer, found[e].cut_at > 0, found[e].words);
            assert_string_equal(found[e].cause, shown ? planted[i].cause : "");
            assert_true(found[e].answer != ANSWER_YES || found[e].tried[0]);
        }
    }
}

/* What differs is held against the oracle: also behind rows that differ harmlessly, and not in
 * place, which is told alone. */
TEST(what_differs_is_held)
{
    static const struct {
        void (*run)(const struct job *);
        const struct oracle *op;
        enum experiment e;
        double least, most; /* its error in u; of 2.002 for 2 it is 16,760 */
        bool wrong;
        size_t n; /* of the row that is farthest off */
    } held[] = {
        {sound, &of_elements, EXPERIMENT_RUN, 0, 0, false, 0},
        {other_tail, &of_elements, EXPERIMENT_TAIL, 1, 3, false, 0},
        {off_behind_harmless_ones, &of_elements, EXPERIMENT_TAIL, 16000, 17000, false, 1021},
        {loses_by_place, &of_elements, EXPERIMENT_POSITION, 1, 3, true, 1},
        {off_after_calls, &of_elements, EXPERIMENT_RUN, 16000, 17000, false, 0},
        {off_between_lengths, &of_elements, EXPERIMENT_RUN, 16000, 17000, false, 5},
        {looks_at_the_first_row, &of_elements, EXPERIMENT_BESIDE, 1, 3, false, 64},
        {of_the_length, &of_elements, EXPERIMENT_THREADS, 1, 3, false, 8192},
        {sums, &of_rows, EXPERIMENT_BATCH, 0.1, 100, false, 0},
        {off_in_place, &of_elements, EXPERIMENT_IN_PLACE, 0, 0, false, 0},
    };
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        struct finding found[EXPERIMENTS] = {0};
        make_all(held[i].run, held[i].op, true, found);
        const struct finding *f = &found[held[i].e];
        if (f->error < held[i].least || f->error > held[i].most ||
            (f->wrong > 0) != held[i].wrong || (held[i].n && f->worst_n != held[i].n) ||
            (held[i].least > 0) != (f->worst_n > 0))
            fail_msg("%zu: error %g, %zu wrong, n = %zu: %s", i, f->error, f->wrong, f->worst_n,
                     f->words);
    }
}

/* Where results differ from run to run, nothing else is asked; where a place matters by right, the
 * tail is not. */
TEST(what_is_not_asked)
{
    struct finding found[EXPERIMENTS] = {0};
    make_all(counts_calls, &of_elements, true, found);
    for (enum experiment e = EXPERIMENT_POSITION; e < EXPERIMENT_EMPTY; e++)
        assert_int_equal(found[e].answer, ANSWER_NONE);
    make_all(by_place, &of_places, true, found);
    assert_int_equal(found[EXPERIMENT_TAIL].answer, ANSWER_NONE);
    assert_int_equal(found[EXPERIMENT_BATCH].answer, ANSWER_YES);
    make_all(sums, &of_rows, true, found);
    assert_int_equal(found[EXPERIMENT_TAIL].answer, ANSWER_NONE);
    assert_int_equal(found[EXPERIMENT_IN_PLACE].answer, ANSWER_NONE);
    assert_non_null(strstr(found[EXPERIMENT_BATCH].words, "256 and more"));
    /* The last row of 24 alone is computed otherwise: so the number of rows matters, and where it
     * is whole, their order. */
    make_all(last_row_first, &of_elements, true, found);
    assert_int_equal(found[EXPERIMENT_BATCH].answer, ANSWER_NO);
    assert_int_equal(found[EXPERIMENT_ORDER].answer, ANSWER_NO);
    assert_string_equal(found[EXPERIMENT_ORDER].cause, "order");
}

/* Without `deep` 24 rows are the most. */
TEST(the_usual_ones)
{
    struct finding found[EXPERIMENTS] = {0};
    make_all(of_many_rows, &of_elements, false, found);
    assert_int_equal(found[EXPERIMENT_BATCH].answer, ANSWER_YES);
    make_all(other_tail, &of_elements, false, found);
    assert_int_equal(found[EXPERIMENT_TAIL].answer, ANSWER_NO);
    assert_true(experiment_is_usual(EXPERIMENT_TAIL) && !experiment_is_usual(EXPERIMENT_IN_PLACE));
}

/* What no time is left for is said to be cut, and what was not compared at all is no yes. */
TEST(time_that_is_up)
{
    const struct kernel k = {.op = "t", .algorithm = "t", .dtype = "f32", .run = sound};
    const struct experiments_plan plan = {
        .kernel = &k, .oracle = &of_elements, .longest = 8209, .deep = true, .seconds = -1};
    struct finding found[EXPERIMENTS] = {{.answer = ANSWER_YES}};
    const struct finding f = experiment_make(&plan, EXPERIMENT_BATCH, found);
    assert_true(f.cut_at > 0 && f.answer == ANSWER_NONE);
}
