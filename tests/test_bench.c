// SPDX-License-Identifier: MIT
/* Plans, sampling by fresh processes, faults, resumption and the summary. No assertion depends on
 * how fast anything is. */
#include <unistd.h>
#include <xmmintrin.h>

#include "measure/bench.h"
#include "measure/work.h"
#include "measure/ratio.h"
#include "measure/stats.h"
#include "measure/cell.h"
#include "model/record.h"

#include "facts.h"
#include "planted.h"
#include "test.h"

/* ---- A registry of fixtures ------------------------------------------------------------------ */

static void run_good(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) {
        const float *x = (const float *)j->x + r * j->x_stride;
        float sum = 0;
        for (size_t i = 0; i < j->n; i++) sum += x[i];
        ((float *)j->y)[r * j->y_stride] = sum;
    }
}

static void run_crash(const struct job *j)
{
    (void)j;
    __asm__ volatile("mov %0, (%0)" : : "r"(0L) : "memory"); /* no compiler knows what it does */
}

static void run_illegal(const struct job *j)
{
    (void)j;
    __asm__ volatile("ud2");
}

static void run_hang(const struct job *j)
{
    for (volatile const struct job *p = j; p;) usleep(1000);
}

static void run_flushing(const struct job *j)
{
    run_good(j);
    _mm_setcsr(_mm_getcsr() | 0x8040); /* FTZ and DAZ, as linking with the wrong flag sets them */
}

/* Computes correct results only if the parameters are those of --param. */
static void run_asked(const struct job *j)
{
    bool as_asked = j->log_output && j->scale > 1.75f && j->eps > 0.25f;
    if (as_asked)
        run_good(j);
    else
        run_crash(j);
}

static void run_unasked(const struct job *j)
{
    (j->log_output ? run_crash : run_good)(j);
}

static const float own_row[] = {3, 1, 4, 1, 5, 0x1p-140f}; /* 2 x 3, the last a subnormal */

static void run_own_rows(const struct job *j)
{
    bool own =
        j->rows == 2 && j->n == 3 && j->x_stride == 3 && !memcmp(j->x, own_row, sizeof own_row);
    (own ? run_good : run_crash)(j);
}

/* Computes correct results only if gamma is near 1 and beta near 0, both different in every column;
 * or if both are NULL. */
static void run_affine(const struct job *j)
{
    bool as_models_have = j->gamma && j->beta && fabsf(j->gamma[0] - 1) < 0.8f &&
                          fabsf(j->beta[0]) < 0.8f && j->gamma[j->n - 1] != j->gamma[0] &&
                          j->beta[j->n - 1] != j->beta[0];
    (as_models_have ? run_good : run_crash)(j);
}

static void run_bare(const struct job *j)
{
    (j->gamma || j->beta ? run_crash : run_good)(j);
}

#define KERNEL(its_op, name, ...)                                                                  \
    {                                                                                              \
        .op = its_op, .algorithm = #name, .dtype = "f32", .flops = 1, .run = run_##name,           \
        __VA_ARGS__                                                                                \
    }
#define KERNEL_OF(name) KERNEL("logsumexp", name, .bytes = 4)
static const struct kernel kernels[] = {KERNEL_OF(good), KERNEL_OF(crash), KERNEL_OF(illegal),
                                        KERNEL_OF(hang), KERNEL_OF(flushing)};
enum { GOOD, CRASH, ILLEGAL, HANG, FLUSHING, KERNELS };
static const struct kernel own_rows = KERNEL_OF(own_rows), unasked = KERNEL_OF(unasked),
                           asked = KERNEL("logsumexp", asked, .bytes = 4, .log_output = true),
                           affine = KERNEL("layernorm", affine, .bytes = 8),
                           bare = KERNEL("layernorm_bare", bare, .bytes = 8);

static struct variant variant_of(int kernel, const char *isa)
{
    return planted_variant(&kernels[kernel], isa, "gcc", "off");
}

/* A machine with caches of 32 KiB, 1 MiB (both per core) and 32 MiB (shared by 8 cores), and 64 GiB
 * of memory. */
static const struct bench_setup machine = {
    .topology = {.caches = {{32 << 10, 1}, {1 << 20, 1}, {32 << 20, 8}},
                 .cores = 8,
                 .processors = 8,
                 .memory_bytes = 64ull << 30},
    .clock = {.tsc_hz = 1e9, .floor_ticks = 20},
    .effective = {{32 << 10, 1 << 20, 32 << 20}},
    .widest = WIDTH_ZMM,
};

/* A cell that a plan made of a named shape. */
struct shape_seen {
    size_t rows, n;
    enum level level;
};
enum { SHAPES_SEEN = 16 };

/* ---- Residency and effective sizes ----------------------------------------------------------- */

TEST(test_residency)
{
    struct bench_setup s = machine;
    const struct {
        size_t bytes;
        unsigned threads;
        enum level want;
    } table[] = {
        {1, 1, LEVEL_L1},
        {(32 << 10) - 64, 1, LEVEL_L1},
        {32 << 10, 1, LEVEL_L2}, /* stack and job take room, too */
        {(1 << 20) - 64, 1, LEVEL_L2},
        {2 << 20, 1, LEVEL_L3},
        {(32 << 20) - 64, 1, LEVEL_L3},
        {33 << 20, 1, LEVEL_DRAM},
        /* Private caches add up over threads, the shared one does not. */
        {(64 << 10) - 128, 2, LEVEL_L1},
        {(8 << 20) - 512, 8, LEVEL_L2},
        {33 << 20, 8, LEVEL_DRAM},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(residency(&s.topology, &s.effective, table[i].bytes, table[i].threads),
                         table[i].want);
    s.topology.caches[LEVEL_L3] = (struct cache){0};
    s.effective.bytes[LEVEL_L3] = 0;
    assert_int_equal(residency(&s.topology, &s.effective, 2 << 20, 1), LEVEL_DRAM);

    /* Rows, results, gamma and beta. */
    static const struct {
        const char *op;
        size_t bytes;
    } sets[] = {{"layernorm", 48 << 10}, {"rmsnorm", 40 << 10}, {"softmax", 32 << 10}};
    for (size_t i = 0; i < 3; i++) {
        const struct kernel k = {.op = sets[i].op, .dtype = "f32"};
        struct variant v = {.kernel = &k};
        snprintf(v.op, sizeof v.op, "%s", k.op);
        assert_int_equal(cell_working_set(&v, 2, 2048), sets[i].bytes);
    }
}

/* A shared level is divided among the threads; a missing level stays 0. */
TEST(test_caches_of_a_thread)
{
    struct bench_setup s = machine;
    const struct {
        unsigned threads;
        size_t l3;
    } table[] = {{1, 32 << 20}, {2, 16 << 20}, {8, 4 << 20}, {16, 4 << 20}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct caches c = caches_for(&s.topology, &s.effective, table[i].threads);
        assert_int_equal(c.l1, 32 << 10);
        assert_int_equal(c.l2, 1 << 20);
        assert_int_equal(c.l3, table[i].l3);
    }
    s.effective.bytes[LEVEL_L3] = 0;
    assert_int_equal(caches_for(&s.topology, &s.effective, 2).l3, 0);
}

/* Makes the sweep of a machine that reports 32 MiB of L3, of which a thread gets `l3` bytes; rates
 * fall smoothly at the end of each cache. */
static size_t a_sweep(const struct topology *t, double l3, struct sweep_point *points)
{
    size_t sizes[SWEEP_MAX], n = sweep_sizes(t, sizes);
    const double ends[] = {32 << 10, 1 << 20, l3, INFINITY}, rates[] = {400e9, 200e9, 100e9, 20e9};
    for (size_t i = 0; i < n; i++) {
        int l = 0;
        while ((double)sizes[i] > ends[l]) l++;
        points[i] = (struct sweep_point){sizes[i], rates[l]};
    }
    return n;
}

TEST(test_effective_sizes)
{
    struct bench_setup s = machine;
    struct sweep_point points[SWEEP_MAX];
    size_t n = a_sweep(&s.topology, 32 << 20, points);
    assert_in_range(n, 20, SWEEP_MAX);
    for (size_t i = 1; i < n; i++) assert_true(points[i].bytes > points[i - 1].bytes);
    assert_true(points[n - 1].bytes > 100u << 20);
    assert_in_range(points[n - 2].bytes, 25 << 20,
                    32 << 20); /* none between the last level and it */

    struct effective e = effective_sizes(&s.topology, points, n);
    for (int l = 0; l < LEVEL_DRAM; l++)
        assert_int_equal(e.bytes[l], s.topology.caches[l].bytes); /* the sweep agrees */

    n = a_sweep(&s.topology, 9 << 20, points);
    e = effective_sizes(&s.topology, points, n);
    assert_int_equal(e.bytes[LEVEL_L2], 1 << 20);
    assert_in_range(e.bytes[LEVEL_L3], 7 << 20, 9 << 20); /* the largest point before the knee */

    for (size_t i = 0; i < n; i++) points[i].rate = 1e9; /* a flat sweep says nothing */
    e = effective_sizes(&s.topology, points, n);
    assert_int_equal(e.bytes[LEVEL_L3], 32 << 20);
    e = effective_sizes(&s.topology, points, 0);
    assert_int_equal(e.bytes[LEVEL_L1], 32 << 10);
}

/* ---- Plans ----------------------------------------------------------------------------------- */

/* Returns the plan of a run, which is kept until the program ends. */
static struct bench_plan plan_for(const struct registry *r, const struct run_request *q)
{
    struct bench_plan p;
    bench_plan_run(&p, r, &machine, q);
    keep(p.cells);
    keep(p.limits);
    return p;
}

static struct bench_plan plan_of(struct variant *v, size_t count, enum bench_effort effort)
{
    return plan_for(&(struct registry){.variants = v, .count = count},
                    &(struct run_request){.effort = effort, .seed = 7});
}

/* Returns whether a run gets named shapes of its own accord. */
static bool has_default_shapes(const struct registry *r, enum bench_effort effort)
{
    struct bench_plan p = plan_for(r, &(struct run_request){.effort = effort, .seed = 7});
    bool has = false;
    for (size_t i = 0; i < p.cell_count; i++) {
        const char *shapes = cell_shapes(&p.cells[i]);
        has |= shapes && !strcmp(shapes, "default");
    }
    return has;
}

/* The number of cells of variant `which` with rows of n. */
static size_t cells_of(struct variant *v, size_t count, enum bench_effort effort, size_t which,
                       size_t n)
{
    struct bench_plan p = plan_of(v, count, effort);
    size_t cells = 0;
    for (size_t i = 0; i < p.cell_count; i++)
        cells += p.cells[i].variant == &v[which] && p.cells[i].n == n;
    return cells;
}

/* Makes AVX2 variants under `off` of one operation. */
static void make_variants(struct variant *v, size_t count, const struct kernel *k, const char *op)
{
    for (size_t i = 0; i < count; i++) {
        v[i] = planted_variant(k, "avx2", "gcc", "off");
        snprintf(v[i].op, sizeof v[i].op, "%s", op);
    }
}

/* A kernel whose object is a copy of another's is timed in L1 alone, unless the run is full or
 * lacks the other. */
TEST(test_copies_are_timed_in_l1)
{
    enum { IN_L1 = 2048, BEYOND = 4096 };
    struct kernel own = kernels[GOOD];
    own.arithmetic = ARITHMETIC_EXPLICIT;
    struct build_record text = {.code_hash = 7}, copy = {.code_hash = 7, .algorithm = "best"};
    struct variant v[2];
    make_variants(v, 2, &own, "softmax");
    v[0].build = &text;
    v[1].build = &copy;
    const size_t beyond = cells_of(v, 2, BENCH_DEFAULT, 0, BEYOND);
    assert_true(beyond >= 3);
    assert_int_equal(cells_of(v, 2, BENCH_DEFAULT, 1, BEYOND), 0);
    assert_int_equal(cells_of(v, 2, BENCH_DEFAULT, 1, IN_L1),
                     cells_of(v, 2, BENCH_DEFAULT, 0, IN_L1));
    assert_int_equal(cells_of(v, 2, BENCH_FULL, 1, BEYOND), cells_of(v, 2, BENCH_FULL, 0, BEYOND));
    copy.code_hash = 8;
    assert_int_equal(cells_of(v, 2, BENCH_DEFAULT, 1, BEYOND), beyond);
    copy.code_hash = 7;
    assert_int_equal(cells_of(&v[1], 1, BENCH_DEFAULT, 0, BEYOND), beyond);
}

/* A run measures the shapes that it is given in addition to its own, with the variants that may be
 * the fastest there: no hazards, no libraries' arithmetic, no policies that nobody would ship. */
TEST(test_a_run_takes_shapes)
{
    struct kernel own = kernels[GOOD], hazard = own;
    own.chains = hazard.chains = 4;
    hazard.hazard = true;
    struct variant v[3];
    make_variants(v, 3, &own, "softmax");
    v[1].kernel = &hazard;
    v[2].isa = "scalar";
    struct registry r = {.variants = v, .count = 3};
    static const char *const shapes[] = {"default", "64x100", "huge"};
    struct error e;
    struct run_request q = {.effort = BENCH_QUICK, .seed = 7, .shapes = shapes, .shape_count = 2};
    struct bench_plan own_plan = plan_of(v, 3, BENCH_QUICK), p = plan_for(&r, &q);
    /* At the shapes of `default` the hazard is measured as well; at 64x100 it is left out. */
    const size_t softmax = own_plan.cell_count + 2 * 10 + 1;
    assert_int_equal(p.cell_count, softmax);
    const struct cell *last = &p.cells[softmax - 1];
    assert_true(last->variant == &v[0] && last->rows == 64 && last->n == 100);
    assert_null(cell_shapes(last));
    assert_string_equal(cell_shapes(&p.cells[own_plan.cell_count]), "default");
    /* Nor is a variant that `off` leaves unfused, if another kernel writes its FMAs out. */
    struct kernel written = own;
    written.arithmetic = ARITHMETIC_EXPLICIT;
    v[1].kernel = &written;
    p = plan_for(&r, &q);
    last = &p.cells[p.cell_count - 1];
    assert_true(last->variant == &v[1] && last->n == 100);
    assert_true(p.cells[p.cell_count - 2].n != 100);
    /* With a library, a run takes named shapes by itself, unless it is quick or the library lacks
     * the operation. */
    struct peer library = {.library = "onednn"};
    r.peers = &library;
    r.peer_count = 1;
    v[2].isa = "avx2";
    v[2].peer = &library;
    assert_true(has_default_shapes(&r, BENCH_DEFAULT));
    assert_false(has_default_shapes(&r, BENCH_QUICK));
    for (size_t i = 0; i < 2; i++) snprintf(v[i].op, sizeof v[i].op, "log_softmax");
    v[2].status = STATUS_SKIPPED;
    assert_true(has_default_shapes(&r, BENCH_DEFAULT)); /* the library's own rows */
    r.count = 2;
    assert_false(has_default_shapes(&r, BENCH_DEFAULT));
    static const char *const wrong[] = {"default", "enormous"};
    assert_int_equal(bench_check_shapes(shapes, 3, &e), 0);
    assert_int_equal(bench_check_shapes(wrong, 2, &e), EXIT_USAGE);
    assert_non_null(strstr(e.text, "enormous"));
}

TEST(test_every_variant_has_a_cell_in_every_plan)
{
    struct variant v[] = {variant_of(GOOD, "scalar"), variant_of(GOOD, "avx2"),
                          variant_of(GOOD, "avx512"), variant_of(CRASH, "avx512")};
    v[2].status = STATUS_SKIPPED;
    v[3].status = STATUS_UNBUILT;
    v[3].kernel = NULL;
    /* In a default run DRAM is for kernels that write their FMAs out. */
    static const unsigned levels[] = {[BENCH_QUICK] = 1, [BENCH_DEFAULT] = 7, [BENCH_FULL] = 15};
    for (enum bench_effort effort = BENCH_QUICK; effort <= BENCH_FULL; effort++) {
        struct bench_plan p = plan_of(v, 4, effort);
        unsigned seen = 0, places = 0;
        for (size_t i = 0; i < p.cell_count; i++) {
            const struct cell *c = &p.cells[i];
            seen |= 1u << (c->variant - v);
            if (!c->variant->kernel) continue;
            places |= 1u << c->residency;
            /* A cell's declared level is the one for which its shape was made. */
            assert_int_equal(c->residency, residency(&machine.topology, &machine.effective,
                                                     c->working_set, c->threads));
        }
        assert_int_equal(seen, 15);
        assert_int_equal(places, levels[effort]);
        assert_true(p.processes >= 6); /* the intervals of order statistics need six */
    }
}

static bool same_name(const struct limit_task *a, const struct limit_task *b)
{
    char x[LIMIT_NAME_MAX], y[LIMIT_NAME_MAX];
    limit_name(a, x);
    limit_name(b, y);
    return !strcmp(x, y);
}

TEST(test_limits_stand_for_every_cell)
{
    struct variant v[] = {variant_of(GOOD, "avx2"), variant_of(GOOD, "avx512")};
    struct bench_plan p = plan_of(v, 2, BENCH_DEFAULT);
    for (size_t i = 0; i < p.cell_count; i++) {
        struct limit_task wanted[] = {cell_compute_limit(&p.cells[i], &machine),
                                      cell_memory_limit(&p.cells[i], &machine)};
        for (int k = 0; k < 2; k++) {
            bool found = false;
            for (size_t l = 0; l < p.limit_count; l++)
                found = found || same_name(&p.limits[l], &wanted[k]);
            assert_true(found);
        }
        assert_int_equal(wanted[1].kind, LIMIT_LOAD); /* one result per row: hardly any stores */
    }
}

static size_t cells_at(const struct bench_plan *p, const struct variant *v, enum level level,
                       bool team)
{
    size_t count = 0;
    for (size_t i = 0; i < p->cell_count; i++)
        count += p->cells[i].variant == v && p->cells[i].residency == level &&
                 (p->cells[i].threads > 1) == team && !strcmp(p->cells[i].family, "normal");
    return count;
}

/* A default run has no time for all cells from memory: it measures only kernels that write their
 * FMAs out there, and from L2 on a kernel's second operation only if the kernel does. */
TEST(test_what_a_default_run_leaves_out)
{
    struct kernel explicit = kernels[GOOD];
    explicit.arithmetic = ARITHMETIC_EXPLICIT;
    const struct build_record own = {.kernel = &kernels[GOOD]};
    struct variant v[4];
    enum { FIRST, FIRST_EXPLICIT, SECOND, SECOND_EXPLICIT };
    make_variants(v, 4, &kernels[GOOD], kernels[GOOD].op);
    v[FIRST_EXPLICIT].kernel = &explicit;
    struct kernel second = kernels[GOOD], second_explicit = explicit;
    v[SECOND].kernel = &second;
    v[SECOND_EXPLICIT].kernel = &second_explicit;
    v[SECOND].build = v[SECOND_EXPLICIT].build = &own;
    struct bench_plan p = plan_of(v, 4, BENCH_DEFAULT);
    static const struct {
        enum level level;
        bool team, timed[4];
    } wanted[] = {
        {LEVEL_L1, false, {true, true, true, true}},
        {LEVEL_L1, true, {true, true, true, true}},
        {LEVEL_L2, false, {true, true, false, true}},
        {LEVEL_L3, false, {true, true, false, true}},
        {LEVEL_DRAM, false, {false, true, false, true}},
        {LEVEL_DRAM, true, {false, true, false, true}},
    };
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++)
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(cells_at(&p, &v[i], wanted[w].level, wanted[w].team) > 0,
                             wanted[w].timed[i]);
}

TEST(test_order_is_a_reproducible_permutation)
{
    struct variant v[] = {variant_of(GOOD, "scalar"), variant_of(GOOD, "avx2"),
                          variant_of(GOOD, "avx512")};
    struct bench_plan p = plan_of(v, 3, BENCH_FULL);
    enum { MOST = 256 };
    size_t total = bench_items(&p);
    struct step a[MOST], b[MOST], c[MOST];
    bool seen[MOST] = {false};
    assert_in_range(total, 2, MOST);
    bench_order(&p, 0, a);
    bench_order(&p, 0, b);
    bench_order(&p, 1, c);
    bool differs = false;
    for (size_t i = 0; i < total; i++) {
        assert_true(a[i].item < total && !seen[a[i].item]);
        seen[a[i].item] = true;
        assert_int_equal(a[i].item, b[i].item);
        differs = differs || a[i].item != c[i].item;
    }
    assert_true(differs);
    p.seed++;
    bench_order(&p, 0, c);
    differs = false;
    for (size_t i = 0; i < total; i++) differs = differs || a[i].item != c[i].item;
    assert_true(differs);
}

/* A block is completed before the next one begins; one of every twelve of its cells is timed twice.
 */
TEST(test_blocks_stay_together)
{
    enum { VARIANTS = 30 };
    struct variant v[VARIANTS];
    for (int i = 0; i < VARIANTS; i++) {
        v[i] = variant_of(GOOD, i % 2 ? "avx2" : "avx512");
        snprintf(v[i].id, sizeof v[i].id, "variant %d", i);
    }
    v[7].status = STATUS_SKIPPED;
    struct bench_plan p = plan_of(v, VARIANTS, BENCH_DEFAULT);
    size_t total = bench_items(&p);
    struct step *steps = keep(calloc(total, sizeof *steps));
    bool *left = keep(calloc(2 * total + 1, sizeof *left)); /* indexed by the block's number */
    bench_order(&p, 0, steps);
    for (size_t i = 0; i < total; i++) {
        const struct cell *c = bench_cell(&p, steps[i].item);
        assert_int_equal(c ? c->block : total + steps[i].item, steps[i].block);
        assert_false(left[steps[i].block]);
        if (i + 1 < total && steps[i + 1].block != steps[i].block) left[steps[i].block] = true;
        for (size_t k = 0; c && k < p.cell_count; k++)
            assert_int_equal(cell_same_block(c, &p.cells[k]), c->block == p.cells[k].block);
    }
    assert_true(p.control_count > 0 && p.control_count <= p.cell_count);
    /* A cell that is alone after filtering is not compared with anything, and needs no control. */
    struct bench_plan lonely = plan_of(v, 1, BENCH_DEFAULT);
    assert_int_equal(lonely.control_count, 0);
    assert_int_equal(bench_blocks(&lonely), lonely.cell_count);
    for (size_t i = p.cell_count; i < p.cell_count + p.control_count; i++) {
        char id[CELL_ID_MAX], other[CELL_ID_MAX];
        cell_id(&p.cells[i], id);
        assert_non_null(strstr(id, CONTROL_SUFFIX));
        assert_int_equal(p.cells[i].variant->status, STATUS_OK);
        for (size_t k = 0; k < i; k++) {
            cell_id(&p.cells[k], other);
            assert_true(strcmp(id, other) || strcmp(p.cells[i].family, p.cells[k].family));
        }
    }
}

/* Plans a request, which must succeed. */
static struct bench_plan requested(struct variant *v, const struct bench_setup *s,
                                   struct bench_request q)
{
    struct bench_plan p;
    struct error e;
    if (bench_plan_request(&p, &(struct registry){.variants = v, .count = 1}, s, &q, &e))
        fail_msg("%s", e.text);
    if (p.cells) keep(p.cells);
    if (p.limits) keep(p.limits);
    return p;
}

TEST(test_requests)
{
    struct variant v = variant_of(GOOD, "scalar");
    const struct registry registry = {.variants = &v, .count = 1};
    struct bench_plan p;
    const struct parameters scaled = {.scale = 3};
    static const char *const shape[] = {"3x50"}, *const bad[] = {"3x"}, *const tiny[] = {"tiny"},
                             *const huge[] = {"100000000x4096"};
    static const size_t n[] = {5, 6}, zero[] = {0};
    p = requested(&v, &machine, (struct bench_request){.shapes = shape, .shape_count = 1});
    assert_true(p.cell_count == 1 && p.cells[0].rows == 3 && p.cells[0].n == 50);
    assert_true(p.parameters.scale == 1 && !cell_job(&p.cells[0], &machine).log_output);
    p = requested(&v, &machine, (struct bench_request){.n = n, .n_count = 2});
    assert_true(p.cell_count == 2 && p.cells[1].n == 6);
    p = requested(&v, &machine, (struct bench_request){.parameters = &scaled});
    assert_true(p.parameters.scale == 3);
    p = requested(&v, &machine, (struct bench_request){.families = tiny, .family_count = 1});
    assert_string_equal(p.cells[0].family, "tiny");

    const struct bench_request wrong[] = {
        {.shapes = bad, .shape_count = 1},
        {.shapes = huge, .shape_count = 1},
        {.n = zero, .n_count = 1},
        {.rows = zero, .row_count = 1},
        {.families = bad, .family_count = 1},
        {.threads = 9},
        {.rounds = 100000},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error e = {.text = ""};
        assert_int_equal(bench_plan_request(&p, &registry, &machine, &wrong[i], &e), EXIT_USAGE);
        assert_true(strlen(e.text) > 10);
    }
}

/* ---- Named shapes ---------------------------------------------------------------------------- */

static size_t count_of(const char *name, const char *op, unsigned threads, size_t memory_bytes,
                       struct shape_seen *seen)
{
    struct kernel k = kernels[GOOD];
    struct variant v = variant_of(GOOD, "avx2");
    k.op = op;
    v.kernel = &k;
    snprintf(v.op, sizeof v.op, "%s", op);
    struct bench_setup s = machine;
    s.topology.memory_bytes = memory_bytes;
    struct bench_plan p = requested(
        &v, &s, (struct bench_request){.shapes = &name, .shape_count = 1, .threads = threads});
    assert_in_range(p.cell_count, 0, SHAPES_SEEN);
    for (size_t i = 0; i < p.cell_count; i++)
        seen[i] = (struct shape_seen){p.cells[i].rows, p.cells[i].n, p.cells[i].residency};
    return p.cell_count;
}

TEST(test_default_shapes)
{
    static const struct shape_seen want[] = {
        {128, 32, LEVEL_L2},      {32, 128, LEVEL_L2},    {8, 512, LEVEL_L2}, /* all of L1 */
        {2, 2048, LEVEL_L2},      {1, 8192, LEVEL_L2},    {1, 32768, LEVEL_L2},
        {1, 262144, LEVEL_L3},    {1, 1 << 20, LEVEL_L3}, {65536, 256, LEVEL_DRAM},
        {4096, 4096, LEVEL_DRAM},
    };
    enum { COUNT = sizeof want / sizeof *want };
    struct shape_seen seen[SHAPES_SEEN];
    assert_int_equal(count_of("default", "softmax", 1, 64ull << 30, seen), COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(seen[i].rows, want[i].rows);
        assert_int_equal(seen[i].n, want[i].n);
        assert_int_equal(seen[i].level, want[i].level);
    }
    /* With several cores, each gets rows of its own if they fit its private caches; all other
     * shapes are shared. */
    assert_int_equal(count_of("default", "softmax", 4, 64ull << 30, seen), COUNT);
    assert_int_equal(seen[0].rows, 512);
    assert_int_equal(seen[0].level, LEVEL_L2);
    assert_int_equal(seen[5].rows, 4);
    assert_int_equal(seen[6].rows, 1);
    assert_int_equal(seen[9].rows, 4096);
}

TEST(test_shapes_that_memory_allows)
{
    struct shape_seen seen[SHAPES_SEEN];
    assert_int_equal(count_of("huge", "softmax", 1, 64ull << 30, seen), 2);
    assert_int_equal(seen[0].n, 16777216);
    assert_int_equal(seen[1].rows, 65536);
    /* 65536 x 4096 floats and the output take 2 GiB: half of 4 GiB is enough, half of 3 GiB is not.
     */
    assert_int_equal(count_of("huge", "softmax", 1, 4ull << 30, seen), 2);
    assert_int_equal(count_of("huge", "softmax", 1, 3ull << 30, seen), 1);
    /* The rows of attention are cut to what fits memory; shapes of a vocabulary or a layer belong
     * to certain operations. */
    assert_int_equal(count_of("models", "softmax", 1, 1ull << 30, seen), 5);
    assert_int_equal(seen[0].rows, 196608);
    assert_int_equal(seen[1].rows, 32768);
    assert_int_equal(seen[2].rows, 75648);
    assert_int_equal(seen[3].n, 50257);
    assert_int_equal(count_of("models", "layernorm", 1, 64ull << 30, seen), 4);
    assert_int_equal(seen[0].n, 768);
    assert_int_equal(count_of("models", "exp", 1, 64ull << 30, seen), 0);
}

/* Returns what a row of ten vectors loads the ports of this name with, per vector; NaN if no load
 * has the name. */
static double per_vector(const struct port_load *loads, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        char its[LIMIT_NAME_MAX];
        limit_name(&loads[i].task, its);
        if (!strcmp(its, name)) return loads[i].per_row / 10;
    }
    return NAN;
}

/* v_mad counts as one instruction under a policy that fuses, and as two otherwise. */
TEST(test_port_loads)
{
    struct kernel k = kernels[GOOD];
    k.lanes = 8;
    k.ops = (struct vector_ops){
        .fma = 1, .mad = 6, .mul = 1, .add = 1, .max = 1, .other = 2, .permute = 1};
    struct build_record build = {.counts = {.fma = 0}};
    struct variant v = variant_of(GOOD, "avx2");
    v.kernel = &k;
    v.build = &build;
    struct cell c = {.variant = &v, .rows = 1, .n = 80, .threads = 1};
    struct port_load loads[PORT_SETS];
    /* Under `off`, the FMAs that occur have been written out. */
    const struct {
        const char *policy;
        unsigned fma;
        double any, mul, add;
    } table[] = {{"off", 0, 18, 8, 7},
                 {"off", 1, 18, 8, 7},
                 {"default", 0, 18, 8, 7},
                 {"fast", 5, 12, 8, 1}};
    for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
        v.policy = table[t].policy;
        build.counts.fma = table[t].fma;
        const size_t count = cell_ports(&c, &machine, loads);
        assert_int_equal(count, PORT_SETS - 1); /* the nine include no permute */
        assert_true(per_vector(loads, count, "ports-any-ymm") == table[t].any);
        assert_true(per_vector(loads, count, "ports-mul-ymm") == table[t].mul);
        assert_true(per_vector(loads, count, "ports-add-ymm") == table[t].add);
        assert_true(per_vector(loads, count, "ports-mul+add-ymm") == table[t].mul + table[t].add);
        assert_true(per_vector(loads, count, "ports-5mul+permute-ymm") == 6);
        assert_true(per_vector(loads, count, "ports-6mul+permute-ymm") == 7);
        assert_true(isnan(per_vector(loads, count, "ports-9mul+permute-ymm")));
    }
    k.ops = (struct vector_ops){0};
    assert_int_equal(cell_ports(&c, &machine, loads), 0);
}

/* Declares a path for long rows that executes other instructions. */
static size_t paths_by_length(const struct job *j, struct code_path out[CODE_PATHS_MAX])
{
    static const struct vector_ops twice = {.fma = 14, .add = 2};
    out[0] = (struct code_path){
        .name = "twice", .have = j->n, .limit = 100, .beyond = true, .ops = &twice};
    out[0].taken = out[0].have > out[0].limit;
    return 1;
}
TEST(test_port_loads_of_the_way)
{
    struct kernel k = kernels[GOOD];
    k.ops = (struct vector_ops){.fma = 8, .add = 1};
    k.paths = paths_by_length;
    struct variant v = variant_of(GOOD, "avx2");
    v.kernel = &k;
    struct port_load loads[PORT_SETS];
    for (size_t n = 80; n <= 160; n += 80) {
        struct cell c = {.variant = &v, .rows = 1, .n = n, .threads = 1};
        size_t count = cell_ports(&c, &machine, loads);
        assert_true(count > 0 && loads[count - 1].per_row == (n == 80 ? 9 : 16) * (double)n / 8);
    }
}

/* Asking a kernel for its paths executes its code: it must not happen on a CPU without the ISA,
 * where bench used to end with SIGILL. */
static size_t paths_illegal(const struct job *j, struct code_path out[CODE_PATHS_MAX])
{
    (void)out;
    run_illegal(j);
    return 0;
}
TEST(test_a_skipped_kernel_is_not_asked)
{
    struct kernel k = kernels[GOOD];
    k.ops = (struct vector_ops){.fma = 8};
    k.paths = paths_illegal;
    struct variant v = variant_of(GOOD, "avx512");
    v.kernel = &k;
    v.status = STATUS_SKIPPED;
    struct cell c = {.variant = &v, .rows = 1, .n = 80, .threads = 1};
    assert_ptr_equal(cell_ops(&c, &machine), &k.ops);
}

/* Counts are in vectors of the ISA, also for a kernel that handles several as one; integer
 * instructions of one lane may use other ports. */
TEST(test_instructions_are_of_the_isa)
{
    struct kernel k = kernels[GOOD];
    k.lanes = 16;
    k.ops = (struct vector_ops){.fma = 2, .mul = 1, .add = 3};
    struct variant v = variant_of(GOOD, "avx2");
    v.kernel = &k;
    struct cell c = {.variant = &v, .rows = 1, .n = 32, .threads = 1};
    struct port_load loads[PORT_SETS];
    assert_int_equal(variant_instructions(&v, &k.ops).lanes, 8);
    size_t count = cell_ports(&c, &machine, loads);
    assert_true(count > 0 && loads[count - 1].per_row == 6 * 32 / 8); /* instructions of any kind */
    v.isa = "scalar";
    assert_int_equal(variant_instructions(&v, &k.ops).lanes, 1);
    k.ops.other = 1;
    assert_int_equal(variant_instructions(&v, &k.ops).lanes, 0);
    assert_int_equal(cell_ports(&c, &machine, loads), 0);
}

/* ---- The summary, from samples that are made up ---------------------------------------------- */

/* Returns the record of a process; `more`: fields that it has besides, or instead; NULL: none. */
static json_t *made_up(const char *id, int process, double ns, const char *status, json_t *more)
{
    json_t *samples = json_array(), *cycles = json_array();
    for (int i = 0; i < 4 && !strcmp(status, "ok"); i++) {
        json_array_append_new(samples, json_real(2 * (ns + i))); /* a call computes two rows */
        json_array_append_new(cycles, json_real(8 * (ns + i)));
    }
    json_t *record =
        json_pack("{s:s, s:i, s:s, s:s, s:s, s:i, s:i, s:i, s:s, s:s, s:s, s:o, s:o, s:s, s:i, "
                  "s:i, s:f, s:f, s:s, s:s, s:i}",
                  "record", "samples", "process", process, "id", id, "variant", "v", "family",
                  "normal", "rows", 2, "n", 10, "threads", 1, "residency", "L1", "status", status,
                  "reason", "", "ns", samples, "cycles", cycles, "cycles_source", "estimated",
                  "moved", 0, "migrated", 0, "flops", 1000.0, "bytes", 40.0, "compute_limit",
                  "flops-ymm", "memory_limit", "load-ymm", "working_set", 80);
    if (more) json_object_update(record, more);
    return record;
}

/* Adds the records of processes that end well; `step`: how much longer each takes. */
static void add_made_up(json_t *records, const char *id, int processes, double ns, double step,
                        json_t *more)
{
    if (more) keep(more);
    for (int p = 0; p < processes; p++)
        json_array_append_new(records, made_up(id, p, ns + step * p, "ok", more));
}

static json_t *summary_of(const json_t *records, bool *partial)
{
    json_t *rows = keep(json_array());
    json_t *limits =
        keep(json_pack("[{s:s, s:f}, {s:s, s:f}, {s:s, s:f}, {s:s, s:f}]", "name", "flops-ymm",
                       "value", 100e9, "name", "load-ymm", "value", 1e12, "name", "ports-mul-ymm",
                       "value", 4e9, "name", "ports-any-ymm", "value", 8e9));
    struct error e = {.text = ""};
    if (bench_summarise(records, limits, record_sink_array(rows), partial, &e) != 0)
        fail_msg("%s", e.text);
    return rows;
}

static double field(const json_t *row, const char *name)
{
    json_t *value = json_object_get(row, name);
    if (!json_is_number(value)) fail_msg("%s is no number", name);
    return json_number_value(value);
}

TEST(test_summary_of_six_processes)
{
    json_t *records = keep(json_array());
    bool partial = true;
    add_made_up(records, "a", 6, 18.5, 1, NULL);
    json_t *rows = summary_of(records, &partial), *row = json_array_get(rows, 0);
    assert_int_equal(json_array_size(rows), 1);
    assert_false(partial);
    /* The samples of process p are 18.5 + p + {0, 1, 2, 3}: the medians are 20 .. 25. */
    assert_facts(row, "ns_per_row=22.5 ci_low=20 ci_high=25 min=18.5 ns_per_element=2.25 "
                      "cycles_per_element=9 samples=24 flags=#0 process_medians_ns=#6");
    /* 1000 flops at 100 GFLOP/s take 10 ns; 40 bytes at 1 TB/s take 0.04 ns. */
    assert_facts(row, "limit=flops-ymm");
    assert_true(fabs(field(row, "percent_of_limit") - 100 * 10 / 22.5) < 1e-9);
    assert_true(fabs(field(row, "gb_per_s") - 40 / 22.5) < 1e-9);
    assert_true(fabs(field(row, "flops_per_s") - 1000e9 / 22.5) < 1);
}

/* The slowest set of ports is the limit, instead of the FLOPs, and the record has the count behind
 * it. */
TEST(test_summary_of_ports)
{
    json_t *records = keep(json_array());
    bool partial;
    add_made_up(
        records, "a", 6, 38.5, 0,
        json_pack("{s:{s:f, s:f}}", "ports", "ports-mul-ymm", 60.0, "ports-any-ymm", 160.0));
    const json_t *row = json_array_get(summary_of(records, &partial), 0);
    /* 60 instructions at 4e9 a second take 15 ns, 160 at 8e9 take 20 ns. */
    assert_facts(row, "limit=ports-any-ymm limit_count_per_element=16");
    assert_true(fabs(field(row, "percent_of_limit") - 50) < 1e-9);
    /* Where a build's operations are not known, neither is its limit. */
    records = keep(json_array());
    add_made_up(records, "a", 6, 38.5, 0, json_pack("{s:s}", "compute_limit", ""));
    assert_facts(summary_of(records, &partial),
                 "0.limit=null 0.percent_of_limit=null 0.flags~uncounted");
}

TEST(test_summary_flags)
{
    json_t *records = keep(json_array());
    bool partial;
    add_made_up(records, "few", 2, 20, 0, json_pack("{s:i}", "moved", 2));
    add_made_up(records, "fast", 6, 1, 0, NULL);
    /* One sample during which the process was stopped. */
    json_array_set_new(json_object_get(json_array_get(records, 0), "ns"), 0, json_real(1e9));
    json_t *rows = summary_of(records, &partial);
    assert_facts(rows, "0.id=fast 0.flags!~paused 0.flags~above-limit 0.percent_of_limit=null "
                       "0.flags!~uncounted 0.flags!~few-processes 0.flags!~estimated-clock-moved");
    assert_facts(rows,
                 "1.id=few 1.flags~paused 1.flags~few-processes 1.flags~estimated-clock-moved "
                 "1.flags!~above-limit");
    /* Rows of 6.5 ns, without a call of 5 ns a row, are not above a limit of 10 ns. */
    records = keep(json_array());
    add_made_up(records, "hidden", 6, 5, 0, json_pack("{s:f}", "empty_ns", 10.0));
    rows = summary_of(records, &partial);
    assert_facts(rows, "0.flags!~above-limit 0.empty_ns=10");
    assert_true(fabs(field(json_array_get(rows, 0), "percent_of_limit") - 1000 / 11.5) < 1e-6);
}

/* Adds the records of a cell, from 6 processes. */
static void add_cell_of(json_t *records, const char *id, int rows, int threads,
                        const char *residency, double ns)
{
    add_made_up(records, id, 6, ns, 0,
                json_pack("{s:i, s:i, s:s, s:s*}", "rows", rows, "threads", threads, "residency",
                          residency, "team", threads > 1 ? "rows" : NULL));
}

/* A row for one core is compared with that for all cores: its share if each core has its own rows,
 * the same rows otherwise. */
TEST(test_summary_of_cores)
{
    json_t *records = keep(json_array());
    bool partial;
    add_cell_of(records, "a-share", 4, 1, "L1", 4000);
    add_cell_of(records, "b-same-rows", 8, 1, "L2", 16000);
    add_cell_of(records, "c-team", 8, 2, "L1", 5000);
    add_cell_of(records, "d-lonely-team", 64, 2, "L1", 5000);
    add_cell_of(records, "e-huge", 100, 1, "DRAM", 100000);
    add_cell_of(records, "f-huge-team", 100, 2, "L3", 40000);
    json_t *rows = summary_of(records, &partial);
    const json_t *team = fact_find(rows, "id=c-team efficiency_of=a-share team=rows");
    assert_true(fabs(field(team, "efficiency") - 1000.0 / (2 * 625.0)) < 0.02);
    assert_facts(team, "efficiency_low<=%.17g efficiency_high>=%.17g", field(team, "efficiency"),
                 field(team, "efficiency"));
    fact_find(rows, "id=f-huge-team efficiency_of=e-huge efficiency>1.23 efficiency<1.27");
    fact_find(rows, "id=d-lonely-team efficiency_of=null efficiency=null");
    assert_int_equal(fact_count(rows, "!efficiency_of"), 3);
}

TEST(test_summary_keeps_what_failed)
{
    json_t *records = keep(json_array());
    bool partial;
    json_array_append_new(records, made_up("gone", 0, 0, "sigill", NULL));
    json_array_append_new(records, made_up("late", 0, 20, "ok", NULL));
    json_array_append_new(records, made_up("late", 1, 0, "timeout", NULL));
    json_array_append_new(records, made_up("none", 0, 0, "skipped", NULL));
    json_t *rows = summary_of(records, &partial);
    assert_true(partial);
    assert_facts(rows, "0.status=sigill 0.ns_per_row=null 1.status=timeout 2.status=skipped");
    assert_facts(rows, "1.ns_per_row>0"); /* from the other process */
}

TEST(test_limits_keep_the_best_of_all_processes)
{
    json_t *records = keep(json_array());
    for (int p = 0; p < 3; p++)
        json_array_append_new(records,
                              json_pack("{s:s, s:i, s:s, s:s, s:f, s:s, s:i, s:i}", "record",
                                        "limit", "process", p, "name", "load-ymm-512K", "isa",
                                        "avx2", "value", p == 1 ? 9e9 : 8e9, "unit", "B/s",
                                        "threads", 1, "bytes", 512 << 10));
    json_t *rows = keep(limits_summarise(records, &machine.topology, &machine.effective));
    assert_facts(rows, "0.value=9e9 0.processes=3 0.level=L2");
    assert_int_equal(json_array_size(rows), 1 + LEVEL_DRAM); /* and the effective sizes */
}

/* ---- The real thing -------------------------------------------------------------------------- */

struct real {
    struct bench_setup setup;
    struct error e;
};

/* Reads this machine once for all tests. */
static struct real real_setup(void)
{
    static struct real r;
    if (r.setup.topology.processors) return r;
    clock_calibrate(&r.setup.clock, 0.02);
    if (topology_read(&r.setup.topology, &r.e) != 0) fail_msg("%s", r.e.text);
    r.setup.effective = effective_sizes(&r.setup.topology, NULL, 0); /* no sweep: nominal sizes */
    return r;
}

/* Plans one cell of 2 x 64 per variant, without limits, because the fixtures may run on a CPU
 * without AVX2. */
static struct bench_plan small_plan(struct cell *cells, const struct variant *v, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cells[i] = (struct cell){.variant = &v[i],
                                 .rows = 2,
                                 .n = 64,
                                 .threads = 1,
                                 .family = "normal",
                                 .working_set = 520};
    return (struct bench_plan){.cells = cells,
                               .cell_count = count,
                               .processes = 2,
                               .rounds = 3,
                               .warmup_s = 1e-4,
                               .sample_s = 2e-5,
                               .patience_s = 0.1,
                               .timeout_s = 60,
                               .seed = 3};
}

/* Runs a plan; returns its records. */
static json_t *records_of(const struct bench_plan *p, struct real *r, const json_t *done)
{
    json_t *raw = keep(json_array());
    const int code = bench_run(p, &r->setup, done, record_sink_array(raw), NULL, &r->e);
    if (code) fail_msg("%d: %s", code, r->e.text);
    return raw;
}

/* Asserts that both processes have run both variants. */
static void assert_both_ran(const json_t *raw, const struct variant v[2])
{
    for (int process = 0; process < 2; process++)
        for (size_t i = 0; i < 2; i++)
            fact_find(raw, "variant=%s process=%d status=ok", v[i].id, process);
}

TEST(test_faults_are_statuses)
{
    struct variant v[KERNELS + 1];
    for (int i = 0; i < KERNELS; i++) v[i] = variant_of(i, "scalar");
    v[KERNELS] = variant_of(GOOD, "avx512");
    v[KERNELS].status = STATUS_SKIPPED;
    struct cell cells[KERNELS + 1];
    struct bench_plan p = small_plan(cells, v, KERNELS + 1);
    p.timeout_s = 3; /* the time limit for the kernel that hangs */
    struct real r = real_setup();
    json_t *raw = records_of(&p, &r, NULL);
    static const char *const statuses[] = {"ok",      "sigsegv", "sigill",
                                           "timeout", "wrong",   "skipped"};
    for (size_t i = 0; i <= KERNELS; i++)
        fact_find(raw, "variant=%s process=0 status=%s", v[i].id, statuses[i]);
    fact_find(raw, "variant=%s process=1 status=ok", v[GOOD].id);
    assert_int_equal(fact_count(raw, "variant=%s process=1", v[CRASH].id), 0); /* not tried again */
}

/* Two variants that share their rows each get the parameters of their kernel, whichever comes
 * first. */
TEST(test_parameters_reach_the_kernel)
{
    struct variant v[] = {variant_of(GOOD, "scalar"), variant_of(CRASH, "scalar")};
    v[0].kernel = &asked;
    v[1].kernel = &unasked;
    struct cell cells[2];
    struct bench_plan p = small_plan(cells, v, 2);
    p.parameters = (struct parameters){.scale = 2, .eps = 0.5f};
    struct real r = real_setup();
    json_t *raw = records_of(&p, &r, NULL);
    assert_both_ran(raw, v);
}

/* A user's rows with their values and shape reach the kernel; the plan has no other cell. */
TEST(test_own_rows_reach_the_kernel)
{
    struct variant v = variant_of(GOOD, "scalar");
    const struct registry registry = {.variants = &v, .count = 1};
    struct real r = real_setup();
    struct bench_request q = {.processes = 2, .rounds = 3, .seed = 1, .input = {own_row, 2, 3}};
    v.kernel = &own_rows;
    struct bench_plan p = requested(&v, &r.setup, q);
    assert_int_equal(p.cell_count, 1);
    assert_string_equal(p.cells[0].family, "input");
    p.limit_count = 0;
    json_t *raw = records_of(&p, &r, NULL);
    for (int process = 0; process < 2; process++)
        fact_find(raw, "variant=%s process=%d status=ok", v.id, process);
    q.input.rows = 0;
    assert_int_equal(bench_plan_request(&p, &registry, &r.setup, &q, &r.e), EXIT_USAGE);
}

/* layernorm gets gamma and beta, layernorm_bare gets none, whichever comes first; and the records
 * say so. */
TEST(test_gamma_and_beta_reach_the_kernel)
{
    struct variant v[] = {variant_of(GOOD, "scalar"), variant_of(CRASH, "scalar")};
    const struct kernel *const of[] = {&affine, &bare};
    for (size_t i = 0; i < 2; i++) {
        v[i].kernel = of[i];
        snprintf(v[i].op, sizeof v[i].op, "%s", of[i]->op);
    }
    struct cell cells[2];
    struct bench_plan p = small_plan(cells, v, 2);
    p.parameters = (struct parameters){.scale = 1, .eps = 1e-5f};
    struct real r = real_setup();
    json_t *raw = records_of(&p, &r, NULL);
    assert_both_ran(raw, v);
    assert_int_equal(fact_count(raw, "record=samples variant=%s affine=true", v[0].id),
                     fact_count(raw, "record=samples affine=true"));
    assert_int_equal(fact_count(raw, "record=samples variant=%s affine=true", v[0].id),
                     fact_count(raw, "record=samples variant=%s", v[0].id));
}

TEST(test_a_real_cell)
{
    struct variant v = variant_of(GOOD, "scalar");
    struct cell cell;
    struct bench_plan p = small_plan(&cell, &v, 1);
    p.processes = 6;
    struct real r = real_setup();
    json_t *raw = records_of(&p, &r, NULL), *rows = keep(json_array()),
           *limits = keep(json_array());
    bool partial;
    assert_int_equal(json_array_size(raw), 6);
    assert_int_equal(bench_summarise(raw, limits, record_sink_array(rows), &partial, &r.e), 0);
    const json_t *row = json_array_get(rows, 0);
    double ns = field(row, "ns_per_row");
    assert_true(isfinite(ns) && ns > 0);
    assert_facts(row, "ci_low<=%.17g ci_high>=%.17g min<=%.17g flags!~migrated", ns, ns,
                 field(row, "ci_low"));
    assert_false(partial);
    /* Layouts vary: the processes do not all have the same page offset and environment. */
    bool varied = false;
    for (size_t i = 1; i < 6; i++)
        varied = varied || field(json_array_get(raw, i), "x_offset") !=
                               field(json_array_get(raw, 0), "x_offset");
    assert_true(varied);
}

/* Measures on every core of the cpuset at once. */
TEST(test_a_real_cell_on_all_cores)
{
    struct variant v = variant_of(GOOD, "scalar");
    struct cell cell;
    struct bench_plan p = small_plan(&cell, &v, 1);
    struct real r = real_setup();
    cell.threads = r.setup.topology.cores;
    cell.rows = 3 * cell.threads;
    json_t *raw = records_of(&p, &r, NULL);
    assert_every(raw, 1, "status=ok migrated=0");
}

/* All cells of an incomplete block are measured again, because their samples belong together. */
TEST(test_resume_measures_a_cut_block_again)
{
    struct variant v[] = {variant_of(GOOD, "scalar"), variant_of(GOOD, "avx2"),
                          variant_of(GOOD, "avx512")};
    struct cell cells[3];
    struct bench_plan p = small_plan(cells, v, 3);
    cells[2].n = 65; /* a cell in a block of its own */
    cells[2].block = 1;
    struct real r = real_setup();
    json_t *all = records_of(&p, &r, NULL), *done = keep(json_array()), *record;
    assert_int_equal(json_array_size(all), 6);
    size_t i;
    json_array_foreach(all, i, record)
    {
        const bool lost =
            field(record, "process") == 1 && !strcmp(record_text(record, "variant"), v[1].id);
        if (!lost) json_array_append(done, record);
    }
    assert_int_equal(json_array_size(done), 5);
    json_t *rest = records_of(&p, &r, done);
    assert_int_equal(json_array_size(rest), 2);
    assert_every(rest, 2, "process=1 n=64");
    /* If a cell and process have two records, the summary takes the later one. */
    json_t *twice = keep(json_array());
    bool partial;
    add_made_up(twice, "again", 6, 100, 0, NULL);
    add_made_up(twice, "again", 6, 20, 0, NULL);
    assert_facts(summary_of(twice, &partial), "0.ns_per_row<25 0.processes=6");
}

/* Sets the times of a record to 100 (1 + share) ns. */
static void set_time(json_t *record, double share)
{
    json_t *ns = json_object_get(record, "ns");
    for (size_t i = 0; i < json_array_size(ns); i++)
        json_array_set_new(ns, i, json_real(100 * (1 + share)));
}

/* Makes the records of the first processes of `p`, with times that differ between processes and
 * variants, or are all equal. */
static json_t *timed_records_of(const struct bench_plan *p, struct real *r, bool equal)
{
    json_t *records = records_of(p, r, NULL), *record;
    size_t i;
    json_array_foreach(records, i, record)
        set_time(record, equal ? 0 : 0.01 * (double)(i % 7) + 0.1 * field(record, "process"));
    return records;
}

/* The goal for the precision of a block decides whether it gets more processes: the goal counts for
 * its control, or for every cell. A hopeless block gets none. */
TEST(test_more_processes_until_the_goal)
{
    static const struct {
        double half_width, hopeless;
        bool of_every_cell, equal;
        size_t processes, again; /* again: cells measured in each process beyond 3 */
    } goals[] = {{0, 0, false, false, 3, 0},      {1e-9, 0, false, false, 5, 3},
                 {1e-9, 0, true, false, 5, 4},    {1e9, 0, false, false, 3, 0},
                 {1e9, 0, true, false, 3, 0},     {1e-9, 0, false, true, 3, 0},
                 {1e-9, 0, true, true, 3, 0},     {1e-9, 1e-8, false, false, 3, 0},
                 {1e-9, 1e-8, true, false, 3, 0}, {1e-9, 1e9, false, false, 5, 3}};
    struct variant v[] = {variant_of(GOOD, "scalar"), variant_of(GOOD, "avx2"),
                          variant_of(GOOD, "avx512")};
    struct real r = real_setup();
    for (size_t i = 0; i < sizeof goals / sizeof *goals; i++) {
        struct cell cells[4];
        struct bench_plan p = small_plan(cells, v, 3);
        cells[2].n = 65; /* a cell in a block of its own, which has no control */
        cells[2].block = 1;
        cells[3] = cells[1];
        cells[3].control = true;
        p.control_count = 1;
        p.processes = 3;
        const struct bench_goal goal = {.half_width = goals[i].half_width,
                                        .hopeless = goals[i].hopeless,
                                        .of_every_cell = goals[i].of_every_cell,
                                        .processes = 5,
                                        .more_s = 600};
        /* The records of the first three processes are given; more processes cannot bring their
         * disagreement below 1e-9. */
        json_t *done = timed_records_of(&p, &r, goals[i].equal), *more = keep(json_array());
        assert_int_equal(json_array_size(done), 4 * 3);
        assert_int_equal(
            bench_run_until(&p, &r.setup, done, &goal, record_sink_array(more), NULL, &r.e), 0);
        assert_int_equal(p.processes, goals[i].processes);
        assert_int_equal(json_array_size(more), goals[i].again * (p.processes - 3));
    }
}

/* A cell that crashed is not tried again in additional processes, and does not ask for them. */
TEST(test_a_crash_asks_for_no_more_processes)
{
    struct variant v[] = {variant_of(GOOD, "scalar"), variant_of(CRASH, "avx2")};
    struct real r = real_setup();
    for (int i = 0; i < 2; i++) {
        struct cell cells[2];
        struct bench_plan p = small_plan(cells, v, 2);
        const struct bench_goal goal = {
            .half_width = i ? 1e9 : 1e-9, .of_every_cell = true, .processes = 5, .more_s = 600};
        p.processes = 3;
        json_t *done = timed_records_of(&p, &r, false), *more = keep(json_array());
        assert_int_equal(json_array_size(done), 3 + 1);
        assert_int_equal(
            bench_run_until(&p, &r.setup, done, &goal, record_sink_array(more), NULL, &r.e), 0);
        assert_int_equal(p.processes, i ? 3 : 5);
        assert_int_equal(json_array_size(more), p.processes - 3);
    }
}

/* A cell that crashes in the middle of its rounds does not cost the other cells of its block
 * anything. */
static int calls_before_crash;
static void run_late_crash(const struct job *j)
{
    if (calls_before_crash++ > 40) run_crash(j);
    run_good(j);
}

TEST(test_a_crash_leaves_its_block_whole)
{
    static const struct kernel late = KERNEL_OF(late_crash);
    struct variant v[] = {variant_of(GOOD, "scalar"), variant_of(GOOD, "avx2"),
                          variant_of(GOOD, "avx512")};
    v[1].kernel = &late;
    struct cell cells[3];
    struct bench_plan p = small_plan(cells, v, 3);
    p.rounds = 200;
    struct real r = real_setup();
    json_t *raw = records_of(&p, &r, NULL);
    assert_int_equal(json_array_size(raw), 5);
    assert_int_equal(fact_count(raw, "variant=%s status=sigsegv", v[1].id), 1);
    assert_int_equal(fact_count(raw, "variant!=%s status=ok ns=#200", v[1].id), 4);
}

/* A control becomes a record of its own, but no row. */
TEST(test_summary_of_a_control)
{
    json_t *records = keep(json_array());
    bool partial;
    json_t *rounds = json_pack("{s:[i,i,i,i]}", "round", 0, 1, 2, 3);
    add_made_up(records, "cell", 6, 100, 0, rounds);
    add_made_up(records, "cell" CONTROL_SUFFIX, 6, 103, 0.01, rounds);
    json_t *rows = summary_of(records, &partial);
    assert_int_equal(json_array_size(rows), 2);
    assert_facts(rows,
                 "0.record=timing 0.low_ns=#6 1.record=control 1.id=cell 1.low>1.02 1.high<1.04 "
                 "1.ratio>1.029 1.ratio<1.031");
}

static int put_until_full(void *context, json_t *record, struct error *e)
{
    json_decref(record);
    if (++*(int *)context < 2) return 0;
    snprintf(e->text, sizeof e->text, "cannot write: here: full; free some space");
    return EXIT_BAD_INPUT;
}

TEST(test_a_full_disk_stops_the_run)
{
    struct variant v = variant_of(GOOD, "scalar");
    struct cell cell;
    struct bench_plan p = small_plan(&cell, &v, 1);
    p.processes = 50;
    struct real r = real_setup();
    int put = 0;
    struct record_sink sink = {put_until_full, &put};
    assert_int_equal(bench_run(&p, &r.setup, NULL, sink, NULL, &r.e), EXIT_BAD_INPUT);
    assert_int_equal(put, 2);
    assert_non_null(strstr(r.e.text, "full"));
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], BENCH_WORKER_COMMAND)) return bench_worker();
    return test_run();
}
