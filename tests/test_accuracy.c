// SPDX-License-Identifier: MIT
/* accuracy and scan on kernels made for the test: planted errors are found, a kernel that dies gets
 * a status, and the records depend neither on the number of threads nor on deaths. */
// test: 16 s of a core
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "base/process.h"
#include "measure/accuracy.h"
#include "measure/scan.h"
#include "model/record.h"

#include "facts.h"
#include "planted.h"
#include "test.h"

/* ---- Kernels that are right but for what a test plants --------------------------------------- */

#define ROUNDED(op)                                                                                \
    static void run_##op(const struct job *j)                                                      \
    {                                                                                              \
        planted_rounded(#op, j);                                                                   \
    }
ROUNDED(exp)
ROUNDED(softmax)
ROUNDED(logsumexp)
ROUNDED(moments)

/* Has other code for calls without statistics, as compilers make it, which is wrong. */
static void run_unswitched(const struct job *j)
{
    planted_rounded("layernorm", j);
    for (size_t i = 0; i < j->n && !j->stats; i++) ((float *)j->y)[i] += 1;
}
static void run_layernorm(const struct job *j)
{
    if (!j->gamma || !j->beta) abort(); /* the job has the parameters of the measurement */
    planted_rounded("layernorm", j);
}

/* ---- Kernels that are wrong ------------------------------------------------------------------ */

/* Changes the results of a correct kernel; `change` gets the element's place in its row. */
static void change_all(const struct job *j, float (*change)(float x, float y, size_t at, size_t n))
{
    run_exp(j);
    for (size_t r = 0; r < j->rows; r++)
        for (size_t i = 0; i < j->n; i++) {
            float *y = (float *)j->y + r * j->y_stride + i;
            *y = change(((const float *)j->x)[r * j->x_stride + i], *y, i, j->n);
        }
}

#define UNUSED __attribute__((unused))
/* Defines run_NAME(), which returns `wrong` instead of y, the result of x at place `at` of n. */
#define CHANGE(name, wrong)                                                                        \
    static float name##_of(UNUSED float x, float y, UNUSED size_t at, UNUSED size_t n)             \
    {                                                                                              \
        return wrong;                                                                              \
    }                                                                                              \
    static void run_##name(const struct job *j)                                                    \
    {                                                                                              \
        change_all(j, name##_of);                                                                  \
    }

/* The input at which the planted kernels fail: element 3 of row 5, `normal`, seed 1, n = 100. */
static float target(void)
{
    static float x[100];
    if (!x[3]) inputs_row(FAMILY_NORMAL, DOMAIN_EXPONENT, 1, 5, 100, x);
    return x[3];
}
static float nine_ulp(float y)
{
    for (int k = 0; k < 9; k++) y = nextafterf(y, INFINITY);
    return y;
}
CHANGE(nine, x == target() ? nine_ulp(y) : y)
CHANGE(negative, x == target() ? -y : y)
CHANGE(nan, x == target() ? NAN : y)
CHANGE(infinite, x == target() ? INFINITY : y)
CHANGE(vanish, x == target() ? 0 : y)
/* At large. */
CHANGE(zeros, isfinite(y) ? 0 : y)
CHANGE(tail, at < n / 8 * 8 ? y : 0)
CHANGE(band, x >= 1.25f && x < 1.75f ? NAN : y)
CHANGE(flush, y < 0x1p-126f ? 0 : y)
CHANGE(flushes, y < 0x1p-126f ? 0 : y)
CHANGE(saturate, isinf(y) && isfinite(x) ? 0x1.fffffep127f : y)
/* Ends in the right results: what it declares is wrong. */
CHANGE(boastful, y)

/* Computes the variance in one pass: E(x^2) - E(x)^2 is negative for rows far from 0, and its root
 * a NaN. */
static void run_onepass(const struct job *j)
{
    planted_rounded("layernorm", j);
    for (size_t r = 0; r < j->rows; r++)
        for (size_t i = 0; i < j->n; i++) ((float *)j->y)[r * j->y_stride + i] = NAN;
}

/* ---- Kernels that end their child, or try ---------------------------------------------------- */

/* Turns the sanitizers off, which would end the child in their own way. */
#define UNCHECKED __attribute__((no_sanitize("undefined", "address")))

static void run_illegal(const struct job *j)
{
    (void)j;
    __asm__ volatile("ud2");
}
UNCHECKED static void run_divide(const struct job *j)
{
    volatile int none = (int)(j->rows - j->rows);
    *(float *)j->y = (float)((int)j->n / none);
}
static void run_hang(const struct job *j)
{
    for (volatile size_t i = 0;; i++)
        if (j->rows == SIZE_MAX) break;
}
static void run_exit(const struct job *j)
{
    (void)j;
    _exit(0);
}
/* Defines run_NAME(), which computes correctly, and then does this. */
#define THEN(name, statement)                                                                      \
    UNCHECKED static void run_##name(const struct job *j)                                          \
    {                                                                                              \
        run_exp(j);                                                                                \
        statement;                                                                                 \
    }
THEN(crash, *(volatile int *volatile){NULL} = 1)
THEN(overread, (void)((const volatile float *)j->x)[j->rows * j->n])
THEN(underread, (void)((const volatile float *)j->x)[-1])
THEN(overwrite, ((volatile float *)j->y)[j->rows * j->n] = 0)
THEN(spoil_input, *(volatile float *)(uintptr_t)j->x = 0)
THEN(flush_mode, _mm_setcsr(_mm_getcsr() | 0x8040))
THEN(slow, usleep(20))
/* Loads whole vectors of eight floats by aligned loads, which fault at other addresses. */
static void run_aligned(const struct job *j)
{
    for (size_t r = 0; r < j->rows && j->n >= 8; r++)
        if ((uintptr_t)((const float *)j->x + r * j->x_stride) % 32) raise(SIGSEGV);
    run_exp(j);
}
static void run_nothing(const struct job *j)
{
    (void)j;
}

#define FIXTURE(o, name, ...)                                                                      \
    {                                                                                              \
        .op = o, .algorithm = #name, .dtype = "f32", .lanes = 1, .run = run_##name, __VA_ARGS__    \
    }
#define GOOD .promise = {.ulp_off = 0.5, .ulp_fused = 0.5, .specials = true}
#define BOUNDED .promise = {.ulp_off = 0.5, .ulp_fused = 0.5, .specials = true, .bound = true}

static const struct kernel fixtures[] = {
    FIXTURE("exp", exp, GOOD),
    FIXTURE("exp", nine, GOOD),
    FIXTURE("exp", negative, GOOD),
    FIXTURE("exp", nan, GOOD),
    FIXTURE("exp", infinite, GOOD),
    FIXTURE("exp", vanish, GOOD),
    FIXTURE("exp", zeros, GOOD),
    FIXTURE("exp", tail, GOOD),
    FIXTURE("exp", band, GOOD),
    FIXTURE("exp", flush, GOOD),
    FIXTURE("exp", flushes, .promise = {.ulp_off = 0.5, .ulp_fused = 0.5}),
    FIXTURE("exp", saturate, .promise = {.specials = true}),
    FIXTURE("layernorm", onepass, GOOD),
    FIXTURE("exp", illegal, GOOD),
    FIXTURE("exp", crash, GOOD),
    FIXTURE("exp", divide, GOOD),
    FIXTURE("exp", hang, GOOD),
    FIXTURE("exp", exit, GOOD),
    FIXTURE("exp", overread, GOOD),
    FIXTURE("exp", underread, GOOD),
    FIXTURE("exp", overwrite, GOOD),
    FIXTURE("exp", spoil_input, GOOD),
    FIXTURE("exp", flush_mode, GOOD),
    FIXTURE("exp", aligned, GOOD),
    FIXTURE("exp", nothing, GOOD),
    FIXTURE("exp", slow, GOOD),
    FIXTURE("exp", boastful, .promise = {.ulp_off = 1}, .exp_ulp = 0.4),
    FIXTURE("softmax", softmax, BOUNDED, .bound = BOUND_SOFTMAX, .exp_ulp = 0.5),
    FIXTURE("logsumexp", logsumexp, BOUNDED, .bound = BOUND_LOGSUMEXP_SHIFTED, .exp_ulp = 0.5),
    FIXTURE("moments", moments, BOUNDED, .bound = BOUND_VARIANCE_TWOPASS),
    FIXTURE("layernorm", layernorm, GOOD),
    FIXTURE("layernorm", unswitched, GOOD),
};

/* ---- A registry made by hand ----------------------------------------------------------------- */

static void add(struct registry *r, const char *algorithm, const char *policy)
{
    const struct kernel *k = fixtures;
    while (strcmp(k->algorithm, algorithm) != 0) k++;
    r->variants[r->count++] = planted_variant(k, "scalar", "test", policy);
}

/* Makes a registry from names such as "exp nine:fast ..."; without a policy a name means `off`. */
static struct registry registry_of(const char *names)
{
    static const char *const policies[] = {"off", "fast", "fastmath"};
    struct registry r = {.variants = keep(calloc(40, sizeof *r.variants))};
    char copy[400], *save = NULL;
    snprintf(copy, sizeof copy, "%s", names);
    for (char *name = strtok_r(copy, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        char *colon = strchr(name, ':');
        size_t policy = 0;
        if (colon) {
            *colon = '\0';
            while (strcmp(policies[policy], colon + 1) != 0) policy++;
        }
        add(&r, name, policies[policy]);
    }
    return r;
}

static struct accuracy_request small_plan(void)
{
    static const size_t n[] = {100};
    static const enum family families[] = {FAMILY_NORMAL};
    struct accuracy_request plan = accuracy_default();
    plan.n = n;
    plan.n_count = 1;
    plan.families = families;
    plan.family_count = 1;
    plan.elements = 10000;
    plan.threads = 2;
    plan.quiet = true;
    plan.silence_s = 3;
    return plan;
}

/* Runs accuracy and returns its rows. */
static json_t *measure(const struct accuracy_request *plan, const char *names, int code)
{
    struct registry r = registry_of(names);
    struct tally summary;
    struct error e = {.text = ""};
    json_t *rows = keep(json_array());
    int got = accuracy_run(plan, &r, record_sink_array(rows), &summary, &e);
    if (got != code) fail_msg("exit %d, want %d: %s", got, code, e.text);
    size_t counted = summary.ok + summary.wrong + summary.skipped + summary.failed;
    assert_int_equal(counted, json_array_size(rows));
    return rows;
}

static double real(const json_t *row, const char *key)
{
    assert_true(json_is_number(json_object_get(row, key)));
    return json_number_value(json_object_get(row, key));
}

/* Returns a float that a record has as text. */
static float float_at(const json_t *row, const char *path)
{
    const char *text = json_string_value(fact_at(row, path));
    assert_non_null(text);
    return strtof(text, NULL);
}

/* A planted result, and how it must be counted. */
struct planted {
    const char *name, *counted; /* counted: the counter among "counts"; NULL: none */
    bool lost;
};
static const struct planted planted[] = {{"exp", NULL, false},        {"nine", NULL, false},
                                         {"negative", "sign", false}, {"nan", "nan", true},
                                         {"infinite", "inf", true},   {"vanish", "zero", false}};
enum { PLANTED = sizeof planted / sizeof *planted };
static const char planted_names[] = "exp nine negative nan infinite vanish";

static void assert_counts(const json_t *row, const struct planted *p)
{
    static const char *const counters[] = {"nan", "inf", "zero", "sign", "flushed"};
    assert_facts(row, "counts=#5 lost=%d measure=2", p->lost);
    for (size_t i = 0; i < 5; i++)
        assert_facts(row, "counts.%s=%d", counters[i],
                     p->counted && !strcmp(counters[i], p->counted));
}

/* ---- Tests ----------------------------------------------------------------------------------- */

TEST(test_planted_errors)
{
    struct accuracy_request plan = small_plan();
    json_t *rows = measure(&plan, planted_names, EXIT_GATE);
    for (size_t i = 0; i < PLANTED; i++) {
        const json_t *row = json_array_get(rows, i);
        const struct planted *p = &planted[i];
        assert_counts(row, p);
        assert_facts(row, "elements=10000 misrounded=%g unfaithful=%g p9999_ulp<=0.5", i ? 1e-4 : 0,
                     i ? 1e-4 : 0);
        assert_true(real(row, "max_ulp") <= 0.5 || i == 1 || (p->counted && !p->lost));
        /* Lost results must not improve a figure: each figure that they would enter becomes
         * infinite. */
        assert_int_equal(json_is_null(json_object_get(row, "mean_ulp")), p->lost);
        assert_int_equal(isinf(record_figure(row, "mean_ulp")), p->lost);
        assert_int_equal(isinf(record_figure(row, "scaled_error")), p->lost);
    }
    assert_facts(rows, "2.max_ulp>=0x1p24 5.max_ulp>=0x1p23"); /* the wrong sign; zero */
    const json_t *nine = json_array_get(rows, 1);
    assert_facts(nine, "max_ulp>=8.5 max_ulp<=9.5 max_at.row=5 max_at.index=3 max_at.row_seed=1");
    assert_true(float_at(nine, "max_at.input") == target());
    double want = strtod(json_string_value(fact_at(nine, "max_at.want")), NULL);
    assert_true(float_at(nine, "max_at.got") == nine_ulp((float)want));
}

/* What is wrong, and beside another variant's results, which others compute: by element. */
TEST(test_beside)
{
    struct accuracy_request plan = small_plan();
    json_t *before = measure(&plan, planted_names, EXIT_GATE);
    plan.beside = record_text(json_array_get(before, 1), "id"); /* nine, 9 ulp off at one input */
    json_t *rows = measure(&plan, "exp crash nine negative nan infinite vanish", EXIT_PARTIAL),
           *row;
    size_t i, seen = 0;
    json_array_foreach(rows, i, row)
    {
        size_t k = 0;
        while (k < PLANTED &&
               strcmp(record_text(row, "id"), record_text(json_array_get(before, k), "id")) != 0)
            k++;
        if (k == PLANTED) continue; /* the crash, which costs the others nothing */
        const struct planted *p = &planted[k];
        seen++;
        assert_facts(
            row, "wrong=%d compared=%d beside.wrong=%d beside.nan=%d beside.inf=%d beside.zero=%d",
            p->counted != NULL, 10000 - p->lost, p->counted != NULL, !strcmp(p->name, "nan"),
            !strcmp(p->name, "infinite"), !strcmp(p->name, "vanish"));
        assert_int_equal(isinf(record_figure(row, "mean_error")), p->lost);
        /* What one of them lost is in neither maximum. */
        assert_facts(row,
                     p->lost ? "beside.of_base<=1" : "beside.of_base>=8.5 beside.of_base<=9.5");
        assert_int_equal(fact_holds(row, "beside.error>1", 0), k == 1 || (p->counted && !p->lost));
        if (p->counted)
            assert_true(float_at(row, "wrong_at.input") == target());
        else
            assert_facts(row, "wrong_at=null");
    }
    assert_int_equal(seen, PLANTED);
}

TEST(test_promises)
{
    static const struct {
        const char *name, *verdict;
    } cases[] = {
        {"exp", "kept"},
        {"nine", "broken"},
        {"nine:fast", "broken"},
        {"nine:fastmath", "measured"},
        {"negative", "broken"},
        {"nan", "broken"},
        {"nan:fastmath", "measured"},
        {"infinite", "broken"},
        {"vanish", "broken"},
        {"nothing", "broken"},
        {"zeros", "broken"},
        {"zeros:fastmath", "measured"},
        {"tail", "broken"},
        {"band", "broken"},
        {"onepass", "broken"},
        {"unswitched", "broken"},
        {"onepass:fastmath", "measured"},
        {"flush_mode", "broken"},
        {"flush_mode:fastmath", "broken"},
    };
    struct accuracy_request plan = small_plan();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool broken = !strcmp(cases[i].verdict, "broken");
        json_t *rows = measure(&plan, cases[i].name, broken ? EXIT_GATE : EXIT_DONE);
        assert_int_equal(json_array_size(rows), 1);
        assert_facts(rows, "0.verdict=%s 0.status=%s", cases[i].verdict, broken ? "wrong" : "ok");
    }
}

/* `kept` is said of errors that a promise bounds: not where special values alone are promised, and
 * not of rows whose squares overflow, where even lost results break none. */
TEST(test_unbounded_errors)
{
    static const struct {
        const char *name;
        enum family family;
        const char *verdict, *reason;
        double lost; /* at least */
    } cases[] = {
        {"saturate", FAMILY_NORMAL, "measured", "no bound promised", 0},
        {"moments", FAMILY_OUTLIER, "kept", NULL, 0},
        {"moments", FAMILY_HUGE, "measured", "no bound promised: the squares of 100 rows overflow",
         0},
        {"onepass", FAMILY_OUTLIER, "broken",
         "10000 of 10000 results are lost; its file promises none", 1e4},
        {"onepass", FAMILY_HUGE, "measured", "no bound promised: the squares of 100 rows overflow",
         1e4},
        {"softmax", FAMILY_HUGE, "kept", NULL, 0},
    };
    struct accuracy_request plan = small_plan();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plan.families = &cases[i].family;
        bool broken = !strcmp(cases[i].verdict, "broken");
        json_t *rows = measure(&plan, cases[i].name, broken ? EXIT_GATE : EXIT_DONE);
        const json_t *row = json_array_get(rows, 0);
        assert_facts(row, "verdict=%s status=%s lost>=%g", cases[i].verdict,
                     broken ? "wrong" : "ok", cases[i].lost);
        assert_string_equal(record_text(row, "reason"), cases[i].reason ? cases[i].reason : "");
    }
}

TEST(test_deaths_are_statuses)
{
    static const size_t n[] = {100, 7};
    struct accuracy_request plan = small_plan();
    plan.n = n;
    plan.n_count = 2;
    json_t *rows = measure(&plan,
                           "exp illegal crash divide hang exit overread underread overwrite "
                           "spoil_input exp:fast",
                           EXIT_PARTIAL);
    static const char *const statuses[] = {"ok",      "sigill",  "sigsegv", "sigfpe",
                                           "timeout", "killed",  "sigsegv", "sigsegv",
                                           "sigsegv", "sigsegv", "ok"};
    assert_int_equal(json_array_size(rows), 22);
    for (size_t i = 0; i < 22; i++) {
        const json_t *row = json_array_get(rows, i);
        const bool ok = !strcmp(statuses[i % 11], "ok");
        assert_facts(row, "status=%s n=%zu max_ulp%s verdict%s", statuses[i % 11], n[i / 11],
                     ok ? "!=null" : "=null", ok ? "!=null" : "=null");
        assert_int_equal(json_object_get(row, "reason") != NULL, !ok && i >= 11);
    }
}

/* The default grid has lengths and places of rows that show errors which depend on them. */
TEST(test_default_grid)
{
    struct accuracy_request plan = accuracy_default();
    plan.threads = 2;
    plan.quiet = true;
    json_t *rows = measure(&plan, "exp tail aligned", EXIT_PARTIAL), *row;
    size_t i;
    double died_at = 0;
    json_array_foreach(rows, i, row)
    {
        const double n = real(row, "n");
        assert_facts(row, "grid=5");
        if (fact_holds(row, "id~exp/exp/", 0)) assert_facts(row, "verdict=kept");
        if (fact_holds(row, "id~exp/tail/", 0))
            assert_facts(row, "verdict=%s", fmod(n, 8) != 0 ? "broken" : "kept");
        if (fact_holds(row, "id~exp/aligned/", 0) && fact_holds(row, "status=sigsegv", 0) &&
            died_at == 0)
            died_at = n;
    }
    /* Lengths 1, 7, 17 .. 31 without 24, 1001. */
    assert_int_equal(fact_count(rows, "id~exp/tail/ verdict=broken"), 2 + 14 + 1);
    assert_int_equal(died_at, 64); /* rows of 64 in a chunk that is shifted */
    /* Rows of 17 and of 1001 elements are misaligned by their length alone. */
    static const size_t odd[] = {17, 1001};
    for (i = 0; i < 2; i++) {
        plan = small_plan();
        plan.n = &odd[i];
        plan.elements = 2 * odd[i]; /* one chunk, which is not shifted */
        measure(&plan, "aligned", EXIT_PARTIAL);
    }
}

/* Inputs of families have a version, however many there are; rows of one's own have none. */
TEST(test_inputs_have_a_version)
{
    static const enum family normal[] = {FAMILY_NORMAL};
    static const size_t n = 64;
    static const float own[64];
    const struct accuracy_request plans[] = {{.elements = 4096},
                                             {.families = normal, .family_count = 1},
                                             {.n = &n, .n_count = 1},
                                             {.first = true},
                                             {.input = own, .input_rows = 1, .input_n = 64}};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct input_blocks blocks;
        struct error e;
        assert_int_equal(input_blocks_of(&plans[i], &blocks, &e), 0);
        keep(blocks.items);
        assert_true(blocks.count > 0);
        assert_int_equal(blocks.grid, plans[i].input ? 0 : 5);
    }
}

/* Every family is measured at 64, 1000, 2048 and 4096 elements; the number of elements that is
 * asked for limits the rows of each. */
TEST(test_grid_reaches_timed_lengths)
{
    static const size_t lengths[] = {64, 1000, 2048, 4096};
    struct accuracy_request plan = accuracy_default();
    for (plan.elements = 0; plan.elements <= 1 << 15; plan.elements += 1 << 15) {
        struct input_blocks blocks;
        struct error e;
        bool seen[FAMILY_COUNT][4] = {{false}};
        assert_int_equal(input_blocks_of(&plan, &blocks, &e), 0);
        keep(blocks.items);
        for (size_t i = 0; i < blocks.count; i++) {
            const struct input_block *in = &blocks.items[i];
            for (size_t k = 0; k < 4; k++)
                if (in->n == lengths[k]) seen[in->family][k] = true;
            if (in->n >= 16 && in->n < 32) assert_true(in->n * in->rows <= 1 << 12);
            if (in->n == 4096) assert_true(in->rows >= (in->family == FAMILY_CONSTANT ? 8 : 4));
            assert_true(!plan.elements || in->n * in->rows <= plan.elements || in->rows == 2);
        }
        for (enum family f = 0; f < FAMILY_COUNT; f++)
            assert_true(seen[f][0] && seen[f][1] && seen[f][2] && seen[f][3]);
    }
}

/* Returns the rows of one variant. */
static json_t *rows_of(const json_t *rows, const char *id)
{
    json_t *some = keep(json_array()), *row;
    size_t i;
    json_array_foreach(rows, i, row) if (strstr(record_text(row, "id"), id))
        json_array_append(some, row);
    return some;
}

static void assert_same(const json_t *a, const json_t *b)
{
    char *x = keep(json_dumps(a, JSON_INDENT(1))), *y = keep(json_dumps(b, JSON_INDENT(1)));
    assert_string_equal(x, y);
}

TEST(test_deterministic)
{
    static const size_t n[] = {1, 100, 5000};
    struct accuracy_request plan = small_plan();
    plan.n = n;
    plan.n_count = 3;
    plan.family_count = 0; /* all */
    json_t *by_threads[3];
    for (size_t i = 0; i < 3; i++) {
        plan.threads = (int)i + 1;
        by_threads[i] = measure(&plan, "softmax logsumexp moments layernorm", EXIT_DONE);
        assert_same(by_threads[0], by_threads[i]);
    }
    assert_int_equal(json_array_size(by_threads[0]), 4 * 3 * FAMILY_COUNT);

    plan = small_plan();
    json_t *alone = measure(&plan, "exp nine", EXIT_GATE);
    json_t *among = measure(&plan, "crash exp illegal nine", EXIT_PARTIAL);
    assert_same(rows_of(alone, "/nine/"), rows_of(among, "/nine/"));
    assert_same(rows_of(alone, "/exp/"), rows_of(among, "/exp/"));
}

/* Rows that an interrupted run recorded are not measured again; old and new rows together are the
 * complete result. */
TEST(test_resume)
{
    static const size_t n[] = {10, 100};
    struct accuracy_request plan = small_plan();
    plan.n = n;
    plan.n_count = 2;
    json_t *whole = measure(&plan, "exp exp:fast nine:fastmath", EXIT_DONE),
           *done = keep(json_array());
    for (size_t i = 0; i < 4; i++) json_array_append(done, json_array_get(whole, i));
    plan.done = done;
    json_t *rest = measure(&plan, "exp exp:fast nine:fastmath", EXIT_DONE);
    assert_int_equal(json_array_size(rest), 2);
    json_t *both = keep(json_copy(done));
    json_array_extend(both, rest);
    assert_same(whole, both);
    plan.done = whole;
    json_t *nothing = measure(&plan, "exp exp:fast nine:fastmath", EXIT_DONE);
    assert_int_equal(json_array_size(nothing), 0);
}

/* The grid's first line, and then what is left, give the same rows as the grid at once. */
TEST(test_first_line)
{
    struct accuracy_request plan = accuracy_default();
    plan.quiet = true;
    plan.elements = 512;
    json_t *whole = measure(&plan, "exp", EXIT_DONE);
    plan.first = true;
    json_t *rows = measure(&plan, "exp", EXIT_DONE);
    const size_t first = json_array_size(rows);
    assert_in_range(first, 2, json_array_size(whole) - 1);
    assert_every(rows, 2, "family=normal");
    plan.first = false;
    plan.done = keep(json_deep_copy(rows));
    json_t *rest = measure(&plan, "exp", EXIT_DONE);
    assert_int_equal(first + json_array_size(rest), json_array_size(whole));
    json_array_extend(rows, rest);
    assert_same(whole, rows);
}

TEST(test_bits)
{
    struct accuracy_request plan = small_plan();
    json_t *rows = measure(&plan, "exp exp:fast nine:fastmath", EXIT_DONE);
    const char *bits = record_text(json_array_get(rows, 0), "bits");
    assert_int_equal(strlen(bits), 16);
    assert_int_equal(strlen(record_text(json_array_get(rows, 2), "bits")), 16);
    assert_facts(rows, "1.bits=%s 2.bits!=%s", bits, bits);
}

/* Correctly rounded results have errors of at most half an ulp in every output, and lie within
 * every bound. */
TEST(test_every_operation)
{
    struct accuracy_request plan = small_plan();
    json_t *rows = measure(&plan, "softmax logsumexp moments layernorm", EXIT_DONE);
    size_t i;
    const json_t *row, *figures;
    const char *name;
    assert_every(rows, 4, "max_ulp<=0.5 scaled_error<=1 beyond_oracle=0");
    json_array_foreach(rows, i, row)
    {
        json_object_foreach(json_object_get(row, "outputs"), name, figures)
            assert_facts(figures, "max_ulp<=0.5");
        if (i < 3)
            assert_facts(row, "bound_ratio>0 bound_ratio<=1 bound_ratio_probabilistic>=%.17g",
                         real(row, "bound_ratio"));
    }
    assert_facts(rows,
                 "3.bound_ratio=null 2.outputs=#2 3.outputs=#3 1.elements=100 2.elements=200");
}

TEST(test_own_input)
{
    const float x[] = {0, 1, 2, -1, NAN, INFINITY};
    struct accuracy_request plan = small_plan();
    plan.input = x;
    plan.input_rows = 2;
    plan.input_n = 3;
    json_t *rows = measure(&plan, "exp nine:fastmath", EXIT_DONE);
    assert_int_equal(json_array_size(rows), 2);
    /* A NaN and an infinity are correct. */
    assert_facts(rows, "0.family=input 0.elements=4 0.max_ulp<=0.5");
}

TEST(test_what_cannot_be_measured)
{
    struct registry r = registry_of("exp exp:fast exp:fastmath");
    r.variants[1].status = STATUS_SKIPPED;
    snprintf(r.variants[1].reason, sizeof r.variants[1].reason, "no such lanes");
    snprintf(r.variants[2].op, sizeof r.variants[2].op, "novel");
    struct accuracy_request plan = small_plan();
    struct tally summary;
    struct error e;
    json_t *rows = keep(json_array());
    assert_int_equal(accuracy_run(&plan, &r, record_sink_array(rows), &summary, &e), 0);
    assert_int_equal(summary.ok, 1);
    assert_int_equal(summary.skipped, 2);
    assert_facts(rows, "0.status=skipped '0.reason=no such lanes' 0.family=null 2.status=skipped");
}

static int full_disk(void *context, json_t *record, struct error *e)
{
    json_decref(record);
    size_t *left = context;
    return (*left)-- ? 0 : fail(e, EXIT_BAD_INPUT, "cannot write: here: full");
}

TEST(test_a_sink_that_fails)
{
    struct registry r = registry_of("exp exp:fast exp:fastmath nine");
    struct accuracy_request plan = small_plan();
    struct tally summary;
    struct error e;
    size_t left = 2;
    struct record_sink sink = {full_disk, &left};
    assert_int_equal(accuracy_run(&plan, &r, sink, &summary, &e), EXIT_BAD_INPUT);
    assert_string_equal(e.text, "cannot write: here: full");
}

/* A scan into a folder, and its options. */
struct scan_at {
    const char *folder;
    bool resume, force;
    const struct build_record *build; /* the build of every variant; NULL: its code is unknown */
};

static int scan_into(const char *names, const char *range, struct scan_at at, json_t *rows,
                     struct error *e)
{
    struct registry r = registry_of(names);
    for (size_t i = 0; i < r.count; i++) r.variants[i].build = at.build;
    struct scan_request plan = scan_default("exp");
    plan.quiet = true;
    plan.threads = 2;
    plan.silence_s = 3;
    plan.folder = at.folder;
    plan.resume = at.resume;
    plan.force = at.force;
    struct scan_summary summary = {.kept = 0};
    assert_int_equal(scan_parse_range(range, &plan, e), 0);
    int code = scan_run(&plan, &r, record_sink_array(rows), &summary, e);
    return code;
}

static json_t *scan_at(const char *names, const char *range, int code, struct scan_at at)
{
    struct error e = {.text = ""};
    json_t *rows = keep(json_array());
    int got = scan_into(names, range, at, rows, &e);
    if (got != code) fail_msg("exit %d, want %d: %s", got, code, e.text);
    return rows;
}

static json_t *scan(const char *names, const char *range, int code, const struct build_record *b)
{
    return scan_at(names, range, code, (struct scan_at){.build = b});
}

TEST(test_scan)
{
    char range[60];
    float low = nextafterf(target(), -INFINITY);
    snprintf(range, sizeof range, "%a,%a", (double)low, (double)low + 0.25);
    json_t *rows = scan("exp nine crash hang exp:fast", range, EXIT_PARTIAL, NULL);
    assert_facts(rows, "0.status=ok 1.status=wrong 2.status=sigsegv 3.status=timeout 4.status=ok");
    assert_facts(rows,
                 "0.max_ulp<=0.5 0.max_ulp>0.49 1.max_ulp>=8.5 1.max_ulp<=9.5 1.evaluated=%.17g",
                 real(json_array_get(rows, 0), "evaluated"));
    assert_true(float_at(rows, "1.at") == target());

    /* Ranges across zero contain both zeros, and both ends. */
    static const struct {
        const char *range;
        int evaluated;
    } ranges[] = {{"-0x1p-149,0x1p-149", 4}, {"1,2", (1 << 23) + 1}, {"-inf,-0x1.fffffep127", 2}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        rows = scan("exp", ranges[i].range, EXIT_DONE, NULL);
        assert_facts(rows, "0.evaluated=%d", ranges[i].evaluated);
    }
}

TEST(test_scan_same_code)
{
    const struct build_record same = {.code_hash = 42};
    json_t *rows = scan("exp exp:fast", "1,1.01", EXIT_DONE, &same);
    assert_facts(rows, "!0.same_code_as 1.same_code_as 1.max_ulp=%.17g",
                 real(json_array_get(rows, 0), "max_ulp"));
}

TEST(test_scan_planted_errors)
{
    char range[60];
    snprintf(range, sizeof range, "%a,%a", (double)target() - 0.125, (double)target() + 0.125);
    json_t *rows = scan(planted_names, range, EXIT_GATE, NULL);
    for (size_t i = 0; i < PLANTED; i++) {
        const json_t *row = json_array_get(rows, i);
        assert_counts(row, &planted[i]);
        assert_facts(row, "verdict=%s unfaithful=%.17g", i ? "broken" : "kept",
                     real(row, "misrounded"));
        double misrounded = real(row, "misrounded") * real(row, "evaluated");
        assert_true(fabs(misrounded - (i > 0)) < 1e-6);
        assert_int_equal(json_is_string(json_object_get(row, "lost_at")), planted[i].lost);
        if (planted[i].lost) assert_true(float_at(row, "lost_at") == target());
    }
    /* The binade of the planted error has its size and place; all others are correct. */
    const json_t *binades = json_object_get(json_array_get(rows, 1), "binades"), *max;
    size_t b, with = 0;
    json_array_foreach(json_object_get(binades, "max_ulp"), b, max)
    {
        if (json_number_value(max) <= 0.5) continue;
        const float low =
            strtof(json_string_value(json_array_get(json_object_get(binades, "from"), b)), NULL);
        assert_true(strtof(json_string_value(json_array_get(json_object_get(binades, "at"), b)),
                           NULL) == target());
        assert_true(ilogbf(low) == ilogbf(target()) && signbit(low) == signbit(target()));
        with++;
    }
    assert_int_equal(with, 1);
}

/* Kernels with gross errors are scanned over the range where these occur. */
TEST(test_scan_tells)
{
    static const struct {
        const char *name, *range, *verdict;
        double lost, flushed; /* lost < 0: any number above 0 */
    } cases[] = {{"zeros", "1,1.25", "broken", 0, 0},
                 {"zeros:fastmath", "1,1.25", "measured", 0, 0},
                 {"tail", "1,1.25", "broken", 0, 0},
                 {"band", "1.125,1.375", "broken", (1 << 20) + 1, 0},
                 {"flush", "-87.5,-87.25", "broken", 0, -1},
                 {"flushes", "-87.5,-87.25", "kept", 0, -1},
                 {"saturate", "88.5,89", "measured", 0, 0},
                 {"saturate", "1000,1010", "measured", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool broken = !strcmp(cases[i].verdict, "broken");
        json_t *rows = scan(cases[i].name, cases[i].range, broken ? EXIT_GATE : EXIT_DONE, NULL);
        assert_facts(rows, "0.verdict=%s 0.lost=%.17g 0.counts.flushed%s", cases[i].verdict,
                     cases[i].lost, cases[i].flushed < 0 ? ">0" : "=0");
    }
}

/* The largest error of each region of results is reported, so that one region does not hide
 * another. */
TEST(test_scan_regions)
{
    json_t *rows = scan("saturate", "88,90", EXIT_DONE, NULL);
    const json_t *row = json_array_get(rows, 0);
    assert_facts(
        row,
        "regions.ends.max_ulp>0x1p20 regions.ends.max_ulp=%.17g regions.subnormal.max_ulp=null",
        real(row, "max_ulp"));
    assert_true(float_at(row, "regions.ends.at") > 88.7f);
    rows = scan("exp flushes", "-88,-87", EXIT_DONE, NULL);
    /* Results that were flushed to zero are counted instead. */
    assert_facts(rows, "0.regions.normal.max_ulp<=0.5 0.regions.subnormal.max_ulp!=null "
                       "1.regions.normal.max_ulp<=0.5 1.regions.subnormal.max_ulp=null");
}

/* A row of 7 has no whole vector: what its tail loses is reported for short rows. */
TEST(test_scan_short_rows)
{
    json_t *rows = scan("exp tail", "1,1.25", EXIT_GATE, NULL);
    assert_facts(rows, "0.short.max_ulp<=0.5 0.short.elements>2000 1.short.max_ulp>=0x1p23 "
                       "1.max_ulp<=0.5 '1.reason~short rows'");
    rows = scan("exp", "1,0x1.000004p0", EXIT_DONE, NULL); /* a range of three inputs */
    assert_facts(rows, "0.short.elements=3");
}

static void forget_time(json_t *rows)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        json_object_del(row, "seconds");
        json_object_del(row, "per_second");
    }
}

static size_t lines_of(const char *path)
{
    FILE *in = fopen(path, "r");
    size_t lines = 0;
    for (int c; in && (c = getc(in)) != EOF;) lines += c == '\n';
    if (in) fclose(in);
    return lines;
}

/* Scans until `signal` ends the scan after some blocks. */
static void interrupted_scan(const char *range, struct scan_at at, int signal)
{
    char path[100];
    snprintf(path, sizeof path, "%s/scan-exp.partial.jsonl", at.folder);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct error e = {.text = ""};
        interrupt_install();
        _exit(scan_into("slow", range, at, json_array(), &e));
    }
    while (lines_of(path) < 3) usleep(500);
    kill(child, signal);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (signal == SIGINT)
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 130);
    else
        assert_true(WIFSIGNALED(status));
    assert_true(lines_of(path) >= 3);
    FILE *out = fopen(path, "a"); /* cuts the last line in the middle */
    assert_non_null(out);
    fputs("{\"code_hash\":\"00", out);
    fclose(out);
}

TEST(test_scan_resumes)
{
    static const int signals[] = {SIGKILL, SIGINT};
    const struct build_record known = {.code_hash = 42};
    const char *range = "0x1.8p0,0x1.8p3";
    json_t *whole = scan("slow", range, EXIT_DONE, &known);
    forget_time(whole);
    for (size_t i = 0; i < 2; i++) {
        char folder[] = "/tmp/ulplab-scan-XXXXXX", path[100];
        assert_non_null(mkdtemp(folder));
        struct scan_at at = {.folder = folder, .build = &known};
        interrupted_scan(range, at, signals[i]);
        at.resume = true;
        json_t *rows = scan_at("slow", range, EXIT_DONE, at);
        forget_time(rows);
        assert_true(json_equal(rows, whole));
        snprintf(path, sizeof path, "%s/scan-exp.partial.jsonl", folder);
        assert_int_equal(access(path, F_OK), -1);
        snprintf(path, sizeof path, "%s/scan.jsonl", folder);
        assert_int_equal(lines_of(path), 1);
        assert_int_equal(unlink(path), 0);
        assert_int_equal(rmdir(folder), 0);
    }
}

/* Code that was scanned before is not scanned again (which would call the kernel that crashes);
 * other code is. */
TEST(test_scan_keeps)
{
    const struct build_record known = {.code_hash = 42}, other = {.code_hash = 43};
    char folder[] = "/tmp/ulplab-scan-XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    struct scan_at at = {.folder = folder, .build = &known};
    const char *range = "1,1.125";
    json_t *first = scan_at("exp", range, EXIT_DONE, at);
    json_t *again = scan_at("crash", range, EXIT_DONE, at);
    const json_t *a = json_array_get(first, 0), *b = json_array_get(again, 0);
    assert_facts(a, "!kept");
    assert_facts(b, "kept=true binades=#6");
    static const char *const same[] = {"max_ulp", "misrounded", "mean_ulp", "bias_ulp", "seconds"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(fabs(real(a, same[i]) - real(b, same[i])) <= 1e-8 * fabs(real(a, same[i])));
    assert_true(json_equal(json_object_get(a, "at"), json_object_get(b, "at")));
    scan_at("crash", "1,1.25", EXIT_PARTIAL, at); /* a range not scanned before */
    at.force = true;
    scan_at("crash", range, EXIT_PARTIAL, at);
    at.force = false;
    at.build = &other;
    scan_at("crash", range, EXIT_PARTIAL, at);
    at.build = NULL; /* results for unknown code are neither kept nor reused */
    scan_at("crash", range, EXIT_PARTIAL, at);
    snprintf(path, sizeof path, "%s/scan.jsonl", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* The error of exp that bounds are built on must not be smaller than the one that a scan finds. */
TEST(test_scan_checks_declarations)
{
    json_t *rows = scan("boastful", "1,1.125", EXIT_GATE, NULL);
    assert_facts(rows, "0.reason~bounds");
}

TEST(test_scan_usage)
{
    static const char *const bad[] = {"", "1", "1,", "2,1", "a,b", "1,2,3", "nan,1", "1;2"};
    struct error e;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct scan_request plan = scan_default("exp");
        assert_int_equal(scan_parse_range(bad[i], &plan, &e), EXIT_USAGE);
    }
    struct registry r = registry_of("softmax");
    struct scan_summary summary = {.kept = 0};
    json_t *rows = keep(json_array());
    static const char *const functions[] = {"softmax", "sin", "log"};
    for (size_t i = 0; i < 3; i++) {
        struct scan_request plan = scan_default(functions[i]);
        assert_int_equal(scan_run(&plan, &r, record_sink_array(rows), &summary, &e), EXIT_USAGE);
    }
}
