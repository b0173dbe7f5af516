// SPDX-License-Identifier: MIT
/* diverge and identify: known distances, kernels with a planted fault of each kind, the invariant
 * kernels in one class, and a variant that is found by its bits alone. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/float_bits.h"
#include "model/dtype.h"
#include "measure/distance.h"
#include "model/record.h"
#include "study/diverge.h"
#include "study/identify.h"

#include "facts.h"
#include "filtered.h"
#include "planted.h"
#include "drive.h"

enum { NO_TORCH = 77 };

/* ---- Distances ------------------------------------------------------------------------------- */

/* Neighbours are one step apart in their own type, whatever lies between them in fp32. */
TEST(test_steps_are_of_the_type)
{
    static const struct {
        const char *type;
        float a, b;
        uint64_t steps;
    } table[] = {{"f32", 1, 0x1.02p0f, 0x10000}, {"bf16", 1, 0x1.02p0f, 1},
                 {"f16", 1, 0x1.004p0f, 1},      {"f16", -0x1p-24f, 0x1p-24f, 2},
                 {"f16", 65504, INFINITY, 1},    {"bf16", -0x1p-133f, 0x1p-132f, 3}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct dtype *type = dtype_find(table[i].type);
        assert_int_equal(distance_between(&table[i].a, &table[i].b, 1, type).max_ulp,
                         table[i].steps);
        assert_true(distance_all_of(&table[i].a, 1, type));
    }
    assert_false(distance_all_of(&(float){0x1.0002p0f}, 1, dtype_find("bf16")));
    assert_true(distance_all_of(&(float){NAN}, 1, dtype_find("f16")));
}

TEST(test_half_precisions)
{
    static const struct {
        float value;
        uint16_t bf16, fp16;
    } table[] = {
        {0.0f, 0, 0},
        {-0.0f, 0x8000, 0x8000},
        {1, 0x3f80, 0x3c00},
        {-2.5f, 0xc020, 0xc100},
        {0x1.01p0f, 0x3f80, 0x3c04},  /* bf16: a tie, to even */
        {0x1.03p0f, 0x3f82, 0x3c0c},  /* the next tie, up */
        {0x1.002p0f, 0x3f80, 0x3c00}, /* fp16: a tie, to even */
        {0x1.006p0f, 0x3f80, 0x3c02}, /* the next tie, up */
        {65504, 0x4780, 0x7bff},
        {65519.996f, 0x4780, 0x7bff},
        {65520, 0x4780, 0x7c00},
        {0x1p-14f, 0x3880, 0x0400},
        {0x1.ff8p-15f, 0x3880, 0x03ff},
        {0x1.ffcp-15f, 0x3880, 0x0400}, /* a tie between 0x3ff and the least normal */
        {0x1p-24f, 0x3380, 0x0001},
        {0x1p-25f, 0x3300, 0x0000},   /* a tie with 0 */
        {0x1.8p-24f, 0x33c0, 0x0002}, /* a tie between 1 and 2 */
        {0x1.000002p-25f, 0x3300, 0x0001},
        {INFINITY, 0x7f80, 0x7c00},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(distance_to_bf16(bits_of_float(table[i].value)), table[i].bf16);
        assert_int_equal(distance_to_fp16(bits_of_float(table[i].value)), table[i].fp16);
    }
    assert_true((distance_to_fp16(bits_of_float(NAN)) & 0x7fff) > 0x7c00);
    assert_true((distance_to_bf16(0x7f800001) & 0x7fff) > 0x7f80);
}

/* ---- Planted kernels: y = x but for the fault ------------------------------------------------ */

enum fault { NONE, ULP, ALIGNMENT, BATCH, TAIL, CRASH, FAULTS };

static void copy_with(const struct job *j, enum fault fault)
{
    if (fault == CRASH) raise(SIGSEGV);
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float *y = (float *)j->y + r * j->y_stride;
        memcpy(y, x, j->n * sizeof *y);
        if (!j->n) continue;
        bool wrong = fault == ULP || (fault == ALIGNMENT && (uintptr_t)x % 64) ||
                     (fault == BATCH && j->rows == 1) || fault == TAIL;
        /* What depends on the batch alone is the same at every place in the row. */
        const size_t from = fault == TAIL ? j->n - 1 : 0, end = fault == BATCH ? j->n : from + 1;
        for (size_t at = from; wrong && at < end; at++)
            for (int k = 0; k < 3; k++) y[at] = nextafterf(y[at], 2 * fabsf(y[at]) + 1);
    }
}
#define FAULTY(name, fault)                                                                        \
    static void run_##name(const struct job *j)                                                    \
    {                                                                                              \
        copy_with(j, fault);                                                                       \
    }                                                                                              \
    static const struct kernel name = {                                                            \
        .op = "exp", .algorithm = "planted", .dtype = "f32", .run = run_##name};
FAULTY(none, NONE)
FAULTY(ulp, ULP)
FAULTY(alignment, ALIGNMENT)
FAULTY(batch, BATCH)
FAULTY(tail, TAIL)
FAULTY(crash, CRASH)

static const struct planted {
    const char *policy;
    const struct kernel *kernel;
} planted[FAULTS] = {
    [NONE] = {"off", &none},     [ULP] = {"fast", &ulp},   [ALIGNMENT] = {"alignment", &alignment},
    [BATCH] = {"batch", &batch}, [TAIL] = {"tail", &tail}, [CRASH] = {"crash", &crash},
};

/* A registry of two compilers, each with every fault. */
static struct registry faulty_registry(void)
{
    static const struct build_record build = {.source = "tests/test_diverge.c"};
    struct registry r = {.variants = keep(calloc(2 * FAULTS, sizeof *r.variants)),
                         .count = 2 * FAULTS};
    for (size_t i = 0; i < r.count; i++) {
        struct variant *v = &r.variants[i];
        *v = planted_variant(planted[i % FAULTS].kernel, "scalar", i < FAULTS ? "one" : "two",
                             planted[i % FAULTS].policy);
        v->build = &build;
    }
    return r;
}

static json_t *run_diverge(const struct diverge_plan *plan, const struct registry *r, int code)
{
    json_t *records = keep(json_array());
    struct error e = {.text = ""};
    int got = diverge_run(plan, r, record_sink_array(records), &e);
    if (got != code) print_error("%s\n", e.text);
    assert_int_equal(got, code);
    return records;
}

static size_t count_kind(const json_t *records, const char *kind)
{
    return fact_count(records, "record=%s", kind);
}

/* Returns the plan of one length and rows of `normal`. */
static struct diverge_plan plan_of(const size_t *n, size_t n_count, size_t elements)
{
    static const enum family normal[] = {FAMILY_NORMAL};
    struct diverge_plan plan = diverge_plan_default();
    plan.n = n, plan.n_count = n_count, plan.families = normal, plan.family_count = 1;
    plan.elements = elements;
    plan.quiet = true;
    return plan;
}

/* Equal code is run once, and the result counts for all its variants; only the largest classes are
 * compared in pairs. */
TEST(test_equal_code_and_few_pairs)
{
    static const size_t n[] = {64};
    static const struct build_record one = {.source = "tests/test_diverge.c", .code_hash = 7};
    struct diverge_plan plan = plan_of(n, 1, 640);
    plan.longest = 64;
    plan.paired = 2;
    plan.tails = false;
    struct registry r = faulty_registry();
    r.count = FAULTS + 1;
    /* The second compiler's `off` gets the code hash of the first one's fault, so it is not run. */
    r.variants[ULP].build = r.variants[FAULTS + NONE].build = &one;
    json_t *records = run_diverge(&plan, &r, EXIT_PARTIAL);
    assert_int_equal(count_kind(records, "invariance"), FAULTS + 1);
    assert_int_equal(count_kind(records, "diverge"), 1);
    fact_find(records, "record=invariance id~cc=one/policy=off cc=false");
    size_t i, members = 0;
    const json_t *record;
    json_array_foreach(records, i, record) members +=
        json_array_size(json_object_get(record, "members"));
    assert_int_equal(members, FAULTS); /* all but the one that crashes */
}

TEST(test_planted_faults)
{
    static const size_t n[] = {64};
    /* 10 rows: one chunk of the stage, aligned, with no row alone. */
    struct diverge_plan plan = plan_of(n, 1, 640);
    plan.tails = false;
    struct registry r = faulty_registry();
    json_t *records = run_diverge(&plan, &r, EXIT_PARTIAL);

    /* With either compiler one element of 64 is 3 ulp away; the tail's is another one. */
    fact_find(records, "record=diverge b~cc=one/policy=fast max_ulp_distance=3 mismatched=%g",
              1.0 / 64);
    fact_find(records, "record=class representative~cc=one/policy=fast size=2");

    static const char *const questions[] = {"run", "threads", "row_position", "batch", "tail"};
    static const struct {
        const char *end, *no; /* the questions that must be answered no */
    } want[] = {{"cc=two/policy=off", ""},
                {"cc=two/policy=fast", "tail"}, /* x[0] is not the element that is repeated */
                {"cc=two/policy=alignment", "row_position tail threads batch"},
                {"cc=two/policy=batch", "batch"},
                {"cc=two/policy=tail", "tail"}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const json_t *row = fact_find(records, "record=invariance id~%s", want[i].end);
        for (size_t k = 0; k < 5; k++) {
            bool no = strstr(want[i].no, questions[k]) != NULL;
            /* Other answers may be no as well, if rows happen to be aligned or alone. */
            if (no && (i != 2 || k == 2)) assert_facts(row, "%s=false", questions[k]);
            if (!no) assert_facts(row, "%s=true", questions[k]);
        }
        assert_facts(row, "cc=true isa=null policy=false");
    }
    fact_find(records, "record=invariance id~cc=one/policy=crash status=sigsegv run=null");
    /* The variant that computed nothing is not named. */
    assert_facts(records, "'0.sentence~one fast' 0.sentence!~crash");

    /* A variant that crashed has no answers at all. */
    for (size_t i = 0; i < r.count; i++)
        if (strcmp(r.variants[i].policy, "crash") != 0) r.variants[i].status = STATUS_SKIPPED;
    records = run_diverge(&plan, &r, EXIT_PARTIAL);
    assert_facts(records, "'0.sentence~are unknown'");
    assert_int_equal(count_kind(records, "class"), 0);
}

/* ---- The build's own variants ---------------------------------------------------------------- */

TEST(test_classes)
{
    static const size_t n[] = {33, 1000};
    struct diverge_plan plan = plan_of(n, 2, 4000);
    struct registry r =
        registry_of_filter("op=moments algorithm=invariant,twopass,welford dtype=f32");
    size_t ok = 0, members = 0;
    for (size_t i = 0; i < r.count; i++) ok += r.variants[i].status == STATUS_OK;
    json_t *records = run_diverge(&plan, &r, 0);
    const json_t *meaning = json_array_get(records, 0);
    const size_t classes = record_count(meaning, "classes");
    size_t i;
    assert_int_equal(count_kind(records, "class"), classes);
    assert_int_equal(count_kind(records, "diverge"), classes * (classes - 1) / 2);
    assert_int_equal(count_kind(records, "invariance"), ok);
    assert_true(strlen(record_text(meaning, "sentence")) > 20);

    const json_t *record;
    json_array_foreach(records, i, record) members +=
        json_array_size(json_object_get(record, "members"));
    /* Else they would be one class. */
    assert_int_equal(fact_count(records, "record=diverge mismatched>0"),
                     count_kind(records, "diverge"));
    assert_int_equal(
        fact_count(records, "record=invariance id~/invariant/ isa!=false cc!=false policy!=false"),
        fact_count(records, "record=invariance id~/invariant/"));
    assert_int_equal(members, ok);

    plan.threads = 1;
    json_t *again = run_diverge(&plan, &r, 0);
    assert_true(json_equal(records, again));
}

TEST(test_usage)
{
    static const size_t n[] = {(size_t)1 << 31};
    struct diverge_plan plan = plan_of(n, 1, 4000);
    struct registry r = registry_of_filter("op=moments dtype=f32");
    run_diverge(&plan, &r, EXIT_USAGE);
}

/* ---- identify -------------------------------------------------------------------------------- */

enum { ROWS = 20, N = 200 };

/* Returns the first variant that runs here; skips the test if none does. */
static const struct variant *first_that_runs(const struct registry *r)
{
    size_t i = 0;
    while (i < r->count && r->variants[i].status != STATUS_OK) i++;
    if (i == r->count) skip();
    return &r->variants[i];
}

static void compute(const struct variant *v, size_t rows, const void *x, void *y)
{
    static _Alignas(64) char scratch[8 * (2 * N + 256)];
    v->kernel->run(&(struct job){.rows = rows,
                                 .n = N,
                                 .x = x,
                                 .x_stride = N,
                                 .y = y,
                                 .y_stride = 2,
                                 .scratch = (void *)scratch});
}

/* Identifies, and asserts whether a variant is among those that match to the bit, whose common
 * algorithm is its own; NULL: no variant matches. The caller closes the result. */
static struct identification identified(const struct identify_plan *plan, const struct registry *r,
                                        const struct variant *want)
{
    struct identification f;
    struct error e;
    bool found = !want;
    if (identify_run(plan, r, &f, &e)) fail_msg("%s", e.text);
    for (size_t i = 0; i < f.exact; i++) found = found || f.rows[i].variant == want;
    assert_true(found);
    assert_int_equal(f.exact > 0, want != NULL);
    if (want) assert_string_equal(f.common[AXIS_ALGORITHM], want->algorithm);
    return f;
}

/* Doubles that are no floats are compared with kernels of double, in their steps. */
TEST(test_identify_doubles)
{
    static double x[ROWS * N], y[ROWS * 2];
    static float x_float[ROWS * N], y_float[ROWS * 2];
    for (size_t r = 0; r < ROWS; r++)
        f64_inputs_row(FAMILY_OFFSET, DOMAIN_MOMENTS, 5, r, N, x + r * N);
    const struct registry r = registry_of_filter("op=moments policy=off"),
                          doubles = registry_of_filter(
                              "op=moments policy=off dtype=f64 algorithm=welford");
    const struct variant *hidden = registry_find(&r, first_that_runs(&doubles)->id);
    compute(hidden, ROWS, x, y);
    for (size_t i = 0; i < ROWS * N; i++) x_float[i] = (float)x[i];
    for (size_t i = 0; i < ROWS * 2; i++) y_float[i] = (float)y[i];
    struct npy in = {.data = x_float, .doubles = x, .rows = ROWS, .cols = N, .ndim = 2};
    struct npy got = {
        .data = y_float, .doubles = y, .rows = ROWS, .cols = 2, .ndim = 2, .rounded = ROWS * 2};
    struct identify_plan plan = {
        .op = "moments", .in = &in, .got = &got, .parameters = parameters_default, .silence_s = 60};
    struct identification f = identified(&plan, &r, hidden);
    assert_string_equal(f.unit, "f64");
    identification_close(&f);
    y[1] = nextafter(y[1], 0);
    f = identified(&plan, &r, NULL);
    assert_int_equal(f.rows[0].distance.mismatched, 1);
    assert_int_equal(f.rows[0].distance.max_ulp, 1);
    identification_close(&f);
}

TEST(test_identify)
{
    static float x[ROWS * N], y[ROWS * 2], mean[ROWS];
    for (size_t r = 0; r < ROWS; r++) inputs_row(FAMILY_OFFSET, DOMAIN_MOMENTS, 5, r, N, x + r * N);
    const struct registry r = registry_of_filter("op=moments dtype=f32"),
                          welford = registry_of_filter("op=moments dtype=f32 algorithm=welford");
    const struct variant *hidden = registry_find(&r, first_that_runs(&welford)->id);
    compute(hidden, ROWS, x, y);
    struct npy in = {.data = x, .rows = ROWS, .cols = N, .ndim = 2};
    struct npy got = {.data = y, .rows = ROWS, .cols = 2, .ndim = 2};
    struct identify_plan plan = {
        .op = "moments", .in = &in, .got = &got, .parameters = parameters_default, .silence_s = 60};
    struct error e = {.text = ""};
    struct identification f = identified(&plan, &r, hidden);
    for (size_t i = 1; i < f.count; i++)
        assert_true(f.rows[i - 1].distance.mismatched <= f.rows[i].distance.mismatched);
    assert_non_null(strstr(f.sentence, "welford"));
    identification_close(&f);

    /* The mean alone identifies the variant; a mean that differs in one bit matches none. */
    for (size_t i = 0; i < ROWS; i++) mean[i] = y[2 * i];
    got = (struct npy){.data = mean, .rows = 1, .cols = ROWS, .ndim = 1};
    plan.stat = "mean";
    assert_int_equal(identify_run(&plan, &r, &f, &e), 0);
    assert_true(f.exact > 0);
    identification_close(&f);
    mean[7] = nextafterf(nextafterf(nextafterf(nextafterf(mean[7], 0), 0), 0), 0);
    mean[8] = -mean[8];
    f = identified(&plan, &r, NULL);
    assert_null(f.common[AXIS_ALGORITHM]);
    assert_non_null(strstr(f.sentence, "no variant"));
    identification_close(&f);

    plan.stat = "median";
    assert_int_equal(identify_run(&plan, &r, &f, &e), EXIT_USAGE);
    plan.stat = NULL;
    assert_int_equal(identify_run(&plan, &r, &f, &e), EXIT_BAD_INPUT);
    plan.op = "nonesuch";
    assert_int_equal(identify_run(&plan, &r, &f, &e), EXIT_USAGE);
}

/* ---- PyTorch --------------------------------------------------------------------------------- */

static const char script[] =
    "import sys\n"
    "try:\n"
    "    import numpy, torch\n"
    "except ImportError:\n"
    "    sys.exit(77)\n"
    "if not torch.__version__.startswith('1.'): sys.exit(77)\n" /* tests/pytorch_moments.py */
    "torch.manual_seed(3)\n"
    "torch.set_num_threads(1)\n"
    "x = torch.randn(100, 1003) * 2 + 1\n"
    "_, mean, rstd = torch.native_layer_norm(x, [1003], None, None, 1e-5)\n"
    "for name, values in ('x', x), ('mean', mean.flatten()), ('rstd', rstd.flatten()):\n"
    "    numpy.save(sys.argv[1] + '/' + name + '.npy', values.numpy())\n";

static int run_script(const char *folder)
{
    pid_t child = fork();
    if (child == 0) {
        setenv("ATEN_CPU_CAPABILITY", "avx2", 1);
        execl("/usr/bin/python3", "python3", "-c", script, folder, NULL);
        _exit(NO_TORCH);
    }
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static struct npy take(const char *folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s.npy", folder, name);
    struct npy array = drive_npy(path);
    unlink(path);
    return array;
}

/* Debian's native_layer_norm is the cascade with vectors of AVX2's width, without contraction. */
TEST(test_pytorch_is_identified)
{
    char folder[] = "/tmp/ulplab-identify-XXXXXX";
    assert_non_null(mkdtemp(folder));
    int code = run_script(folder);
    if (code != 0) {
        rmdir(folder);
        assert_int_equal(code, NO_TORCH);
        print_message("no python3-torch 1.x here\n");
        skip();
    }
    struct npy x = take(folder, "x");
    rmdir(folder);
    static const char *const stats[] = {"mean", "rstd"};
    const struct registry r = registry_of_filter("op=layernorm dtype=f32"),
                          cascades = registry_of_filter("op=layernorm dtype=f32 algorithm=cascade "
                                                        "isa=avx2 policy=off");
    const struct variant *want = registry_find(&r, first_that_runs(&cascades)->id);
    for (size_t s = 0; s < 2; s++) {
        struct npy got = take(folder, stats[s]);
        struct identify_plan plan = {.op = "layernorm",
                                     .in = &x,
                                     .got = &got,
                                     .stat = stats[s],
                                     .parameters = parameters_default,
                                     .silence_s = 60};
        struct identification f = identified(&plan, &r, want);
        assert_string_equal(f.common[AXIS_ISA], "avx2");
        assert_non_null(strstr(f.sentence, "no contraction"));
        print_message("%s: %s\n", stats[s], f.sentence);
        identification_close(&f);
    }
}

/* The test that uses OpenMP in this process comes last: its threads do not survive a fork. */
TEST(test_distance)
{
    const float one_up = nextafterf(1, 2), a[] = {1, 1, 0.0f, NAN, -0x1p-149f, 7, 1},
                b[] = {1, one_up, -0.0f, 1, 0x1p-149f, 7, nextafterf(one_up, 2)};
    struct distance d = distance_between(a, b, 7, &dtype_f32);
    assert_int_equal(d.elements, 7);
    assert_int_equal(d.mismatched, 5);
    assert_int_equal(d.nan, 1);
    assert_int_equal(d.max_ulp, 2);
    /* The zeros differ by sign, the NaN counts, and the subnormals are flushed to zeros that differ
     * by sign. */
    assert_int_equal(d.bf16, 3);
    assert_int_equal(d.fp16, 3);
}
