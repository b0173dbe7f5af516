/* The kernels called `invariant` give one bit pattern: over scalar, AVX2 and AVX-512, every
 * compiler and policy of this build, every input family and rows with NaN and infinities, any
 * length, alignment, stride and cut into batches. Every variant runs every case at a place of its
 * own, right before a guard page; the bits are compared with the first variant's.
 *
 * ULPLAB_TEST_FULL=1: every n to 4096 and at least 10^8 elements per operation (minutes).
 * ULPLAB_TEST_FILTER: some variants (tests/filtered.h). */
// test: long
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filtered.h"
#include "guard.h"
#include "machine/mxcsr.h"
#include "model/registry.h"
#include "oracle/oracle.h"
#include "oracle/ulp.h"

#include <cmocka.h>

/* Rows that no family has, beyond FAMILY_COUNT: the first four have specials. */
enum added { RISE = 4, RISING, MASKS, LEVELS, ADDED };
enum { FAMILIES = FAMILY_COUNT + ADDED, OFFSETS = 16, EXTRA = 4 };
static const size_t primes[] = {999983, 524287, 262147, 131071, 99991, 65537, 65521,
                                32749,  16381,  10007,  8191,   5003,  4099};

/* A case: rows of a family, put to every variant of an operation. */
struct question {
    const struct oracle *op;
    const struct variant *const *variants;
    size_t variant_count;
    int family; /* at and above FAMILY_COUNT: enum added */
    size_t n, rows;
    bool log_output, affine;
    float *x, *gamma, *beta; /* x: [rows, n]; while it is asked */
};

struct questions {
    struct question *items;
    size_t count, room;
};

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Specials where the row's index says, so that bodies and tails both meet them. */
static void add_specials(float *x, size_t n, size_t row, int kind)
{
    static const uint32_t specials[] = {0x7fc00000, 0xffc12345, 0x7f800001, 0x7f800000, 0xff800000};
    size_t places = kind == 3 ? n : 1 + row % 3;
    for (size_t k = 0; k < places && n; k++) {
        size_t which = kind == 3 ? 4 : kind == 2 ? 3 + (row + k) % 2 : (row + k) % 5;
        size_t at = kind == 3 ? k : (row * 7919 + k * 104729) % n;
        if (kind != 3 || row % 2 || at % 3) memcpy(x + at, &specials[which], sizeof *x);
    }
    /* kind 1: far beyond what exp's reduction takes as it is */
    for (size_t i = 0; kind == 1 && i < n; i++) x[i] = x[i] * 3e5f + (row % 2 ? 1e30f : -7e4f);
}

/* One element far above the others: within what a row's sample allows for, or not. */
static void add_rise(float *x, size_t n, size_t row)
{
    static const float rise[] = {20, 30, 34, 35, 36, 62, 90, 150, 241, 300, 354, 400, 711, 7e4f};
    size_t at = row % 2 ? n - 1 : (row * 7919 + n / 2) % n;
    x[at] += rise[(n + row) % (sizeof rise / sizeof *rise)];
}

/* Each block beyond the one before, with elements far below both. */
static void add_slope(float *x, size_t n, size_t row)
{
    for (size_t i = 0; i < n; i++)
        x[i] += 60.0f * (float)i / (float)n - (i % 7 ? 0.0f : 105.0f + (float)(row % 3) * 7.0f);
}

/* As attention masks: behind a place, in front of one, here and there, nowhere; by -inf or by what
 * people write for it. */
static void add_masks(float *x, size_t n, size_t row)
{
    static const float masks[] = {-INFINITY, -1e9f, -1e4f, -240.0f, -FLT_MAX};
    size_t place = (row * 7919 + n / 3) % n;
    for (size_t i = 0; i < n; i++) {
        bool hidden[] = {i > place, i < place, i % 3 == row % 3, false};
        if (hidden[(row + n) % 4]) x[i] = masks[(row + n / 4) % (sizeof masks / sizeof *masks)];
    }
}

/* Rows that stand elsewhere than others: near enough for the first ones' exponents, or not. */
static void add_level(float *x, size_t n, size_t row)
{
    static const float steps[] = {0, 5, -5, 6, 20, -20, 40, 60, -80, 90, -300, 2e3f, -7e4f};
    size_t kinds = sizeof steps / sizeof *steps;
    float level = row % 3 ? 0 : steps[(row / 3 + n) % kinds];
    for (size_t i = 0; i < n; i++) x[i] += level;
}

static void fill(const struct question *q, uint64_t seed)
{
    for (size_t r = 0; r < q->rows; r++) {
        float *x = q->x + r * q->n;
        int added = q->family - FAMILY_COUNT;
        enum family f = added < 0 ? (enum family)q->family : FAMILY_NORMAL;
        inputs_row(f, q->op->domain, seed, r, q->n, x);
        if (added < 0 || !q->n) continue;
        if (added == RISE)
            add_rise(x, q->n, r);
        else if (added == RISING)
            add_slope(x, q->n, r);
        else if (added == MASKS)
            add_masks(x, q->n, r);
        else if (added == LEVELS)
            add_level(x, q->n, r);
        else
            add_specials(x, q->n, r, added);
    }
}

/* ---- One variant, at a place of its own --------------------------------------------------------
 */

static uint64_t hash(uint64_t h, const float *y, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, y + i, sizeof word);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

/* Guarded memory for one case, reused by its variants: a system call each would cost more than the
 * kernels. */
struct room {
    struct guard x, y, stats;
    float *scratch;
    size_t columns;
    bool has_stats;
};

static struct room room_open(const struct question *q)
{
    struct room m = {.columns = q->op->elementwise ? q->n : q->op->columns,
                     .has_stats = q->op->elementwise && q->op->columns};
    m.x = guard_open(q->rows * (q->n + EXTRA) + OFFSETS);
    m.y = guard_open(q->rows * (m.columns + EXTRA) + OFFSETS);
    m.stats = guard_open(2 * q->rows);
    m.scratch = aligned_alloc(64, ((2 * q->n + 256) * sizeof(float) + 63) / 64 * 64);
    if (!m.scratch) abort();
    return m;
}

static void room_close(struct room *m)
{
    guard_close(&m->x);
    guard_close(&m->y);
    guard_close(&m->stats);
    free(m->scratch);
}

/* Machines on which rows go every way, each variant on one of them. */
static const struct caches machines[] = {{0},
                                         {32 << 10, 1 << 20, 32 << 20},
                                         {1, 1, 1},
                                         {48 << 10, 2 << 20, 1ull << 40},
                                         {16 << 10, 64 << 10, 0},
                                         {1 << 20, 1 << 30, 1 << 12}};
enum { MACHINES = sizeof machines / sizeof *machines };

/* Where a variant finds its rows: right before a guard page, or a few elements behind one. */
static struct job place(const struct room *m, const struct question *q, size_t which)
{
    struct job j = {.rows = q->rows,
                    .n = q->n,
                    .x_stride = q->n + which % EXTRA,
                    .y_stride = m->columns + which / 2 % EXTRA,
                    .scale = 1,
                    .log_output = q->log_output,
                    .eps = 1e-5f,
                    .gamma = q->affine ? q->gamma : NULL,
                    .beta = q->affine ? q->beta : NULL,
                    .stats = m->has_stats ? m->stats.end - 2 * q->rows : NULL,
                    .scratch = m->scratch,
                    .caches = machines[which % MACHINES]};
    size_t x_count = (q->rows - 1) * j.x_stride + q->n;
    size_t y_count = (q->rows - 1) * j.y_stride + m->columns;
    float *x = which % 3 ? m->x.end - x_count : m->x.begin + which % OFFSETS;
    j.x = x;
    j.y = which % 5 ? m->y.end - y_count : m->y.begin + which * 7 % OFFSETS;
    for (size_t r = 0; r < q->rows; r++)
        memcpy(x + r * j.x_stride, q->x + r * q->n, q->n * sizeof *x);
    /* Nothing of the variant before may be left. */
    memset(j.y, 0xee, y_count * sizeof *x);
    if (j.stats) memset(j.stats, 0xee, 2 * q->rows * sizeof *x);
    return j;
}

/* Of the outputs, row by row, whatever lies between the rows. */
static uint64_t hash_of(const struct question *q, const struct room *m, const struct job *whole)
{
    uint64_t h = mxcsr_is_default() ? 0 : 1;
    for (size_t r = 0; r < q->rows; r++)
        h = hash(h, (const float *)whole->y + r * whole->y_stride, m->columns);
    return whole->stats ? hash(h, whole->stats, 2 * q->rows) : h;
}

static uint64_t bits_of(const struct question *q, const struct room *m, const struct kernel *k,
                        size_t which)
{
    struct job whole = place(m, q, which);
    size_t batch = 1 + which * 5 % q->rows;
    for (size_t r = 0; r < q->rows; r += batch) {
        struct job part = whole;
        part.rows = q->rows - r < batch ? q->rows - r : batch;
        part.x = (const float *)whole.x + r * whole.x_stride;
        part.y = (float *)whole.y + r * whole.y_stride;
        if (whole.stats) part.stats = whole.stats + 2 * r;
        k->run(&part);
    }
    return hash_of(q, m, &whole);
}

/* One row as a team of `parts` does it: stage by stage, in whatever order. */
static void run_as_team(const struct kernel *k, const struct job *row, size_t parts)
{
    for (unsigned stage = 0; stage < k->stages; stage++)
        for (size_t i = 0; i < parts; i++)
            k->stage(row, stage, (stage + parts) % 2 ? i : parts - 1 - i, parts);
}

/* bits_of() where each row is a team's. */
static uint64_t team_bits_of(const struct question *q, const struct room *m, const struct kernel *k,
                             size_t which)
{
    static const size_t teams[] = {2, 3, 1, 7, 16, 5, 64};
    struct job whole = place(m, q, which);
    size_t parts = teams[which % (sizeof teams / sizeof *teams)];
    for (size_t r = 0; r < q->rows; r++) {
        struct job row = whole;
        row.rows = 1;
        row.x = (const float *)whole.x + r * whole.x_stride;
        row.y = (float *)whole.y + r * whole.y_stride;
        if (whole.stats) row.stats = whole.stats + 2 * r;
        /* Nothing of another row, or of nobody, may count. */
        memset(row.scratch, 0xff, (2 * q->n + 256) * sizeof(float));
        run_as_team(k, &row, parts);
    }
    return hash_of(q, m, &whole);
}

/* ---- One case ----------------------------------------------------------------------------------
 */

static void *allocate(size_t floats)
{
    void *p = calloc(floats + 1, sizeof(float));
    if (!p) abort();
    return p;
}

static void say(const struct question *q, const struct variant *v, const char *how)
{
    print_message("%s%s differs from %s: family %d, n = %zu, rows = %zu%s%s\n", v->id, how,
                  q->variants[0]->id, q->family, q->n, q->rows, q->log_output ? ", log" : "",
                  q->affine ? ", affine" : "");
}

/* The number of variants whose bits, or whose teams', are not the first one's. */
static size_t ask(const struct question *case_)
{
    struct question q = *case_;
    size_t differences = 0;
    q.x = allocate(q.rows * q.n);
    q.gamma = allocate(q.n);
    q.beta = allocate(q.n);
    inputs_row(FAMILY_UNIFORM, DOMAIN_MOMENTS, 2, 0, q.n, q.gamma);
    inputs_row(FAMILY_NORMAL, DOMAIN_MOMENTS, 3, 0, q.n, q.beta);
    fill(&q, 1 + q.n);
    struct room room = room_open(&q);
    uint64_t first = bits_of(&q, &room, q.variants[0]->kernel, q.n);
    for (size_t v = 0; v < q.variant_count; v++) {
        const struct kernel *k = q.variants[v]->kernel;
        if (v && bits_of(&q, &room, k, q.n + v) != first && !differences++)
            say(&q, q.variants[v], "");
        if (k->stages && team_bits_of(&q, &room, k, q.n + v) != first && !differences++)
            say(&q, q.variants[v], ", a row among several threads,");
    }
    room_close(&room);
    free(q.x);
    free(q.gamma);
    free(q.beta);
    return differences;
}

/* ---- All cases
 * ----------------------------------------------------------------------------------- */

static void add(struct questions *all, struct question q)
{
    if (all->count + 2 > all->room) {
        all->room = 2 * all->room + 64;
        all->items = realloc(all->items, all->room * sizeof *all->items);
        if (!all->items) abort();
    }
    all->items[all->count++] = q;
    bool softmax = !strcmp(q.op->op, "softmax"), layernorm = !strcmp(q.op->op, "layernorm");
    if (softmax ? q.n % 3 == 2 : !layernorm || q.n % 3) return;
    q.log_output = softmax;
    q.affine = layernorm;
    all->items[all->count++] = q;
}

/* As many rows as come to `elements`, between 1 and 40. */
static void add_length(struct questions *all, struct question q, size_t n, size_t elements)
{
    size_t rows = n ? elements / n : 3;
    q.n = n;
    q.rows = rows < 1 ? 1 : rows > 40 ? 40 : rows;
    add(all, q);
}

/* Enough rows to go side by side, around the lengths at which they do on one machine or another. */
static void add_groups(struct questions *all, struct question q, bool full)
{
    static const size_t lengths[] = {32,   63,   64,   65,   127,  128,  129,  511,  512,  513, 767,
                                     1000, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 5003};
    q.rows = 19;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (q.family = 0; q.family < FAMILIES; q.family++) {
            q.n = lengths[i];
            if (full || (size_t)q.family % 4 == i % 4) add(all, q);
        }
}

/* Rows whose numerators are kept, and the first ones whose are not. */
static void add_huge(struct questions *all, struct question q)
{
    q.rows = 1;
    for (q.n = (1 << 21) - 1; q.n <= (1 << 21) + 2; q.n += 3)
        for (q.family = FAMILY_COUNT - 1; q.family <= FAMILY_COUNT; q.family++) add(all, q);
    q.family = FAMILY_SORTED;
    add(all, q);
    if (strcmp(q.op->op, "softmax") != 0) return;
    /* Quotients below the normal numbers, none at all, and rows that are shifted first. */
    static const int low[] = {FAMILY_WIDE, FAMILY_COUNT + 1, FAMILY_COUNT + RISING,
                              FAMILY_COUNT + MASKS};
    for (size_t i = 0; i < sizeof low / sizeof *low; i++) {
        q.family = low[i];
        add(all, q);
    }
}

/* Everything in full; else each n with one family, the short ones with all. */
static void add_cases(struct questions *all, struct question q, bool full)
{
    /* The long ones first: the last to end should be short. */
    for (q.family = 0; q.family < FAMILIES; q.family++)
        for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
            if (full || (size_t)q.family == i % FAMILIES) add_length(all, q, primes[i], 1);
    for (size_t n = full ? 4096 : 4090; n <= 4096; n -= full || n <= 140 ? 1 : 79)
        for (q.family = 0; q.family < FAMILIES; q.family++)
            if (full || n < 36 || q.family == (int)(n % FAMILIES))
                add_length(all, q, n, full ? 2000 : 400);
}

static size_t ask_all(const struct questions *all)
{
    size_t differences = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : differences)
    for (size_t i = 0; i < all->count; i++) differences += ask(&all->items[i]);
    return differences;
}

static void print_size(const struct questions *all)
{
    double elements = 0, compared = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct question *q = &all->items[i];
        elements += (double)(q->rows * q->n);
        compared += (double)(q->rows * q->n * q->variant_count);
    }
    print_message("%zu cases, %.3g elements, %.3g with every variant's\n", all->count, elements,
                  compared);
}

static struct registry registry_of(const char *filter)
{
    struct registry r;
    int code = filtered_registry(&r, filter);
    if (code && test_filter()) skip(); /* it leaves none */
    assert_int_equal(code, 0);
    return r;
}

static void test_one_bit_pattern(void **state)
{
    (void)state;
    const char *text = getenv("ULPLAB_TEST_FULL");
    bool full = text && strcmp(text, "0") != 0;
    struct registry r = registry_of("algorithm=invariant,best dtype=f32");
    const struct variant **ok = calloc(r.count + 1, sizeof(void *));
    size_t count = 0;
    assert_non_null(ok);
    for (size_t i = 0; i < r.count; i++)
        if (r.variants[i].status == STATUS_OK) ok[count++] = &r.variants[i];

    struct questions all = {0};
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && !strcmp(ok[end]->op, ok[i]->op);) end++;
        struct question q = {
            .op = oracle_find(ok[i]->op), .variants = ok + i, .variant_count = end - i};
        assert_non_null(q.op);
        add_cases(&all, q, full);
        add_groups(&all, q, full);
        add_huge(&all, q);
    }
    print_size(&all);
    size_t differences = ask_all(&all);
    free(all.items);
    free(ok);
    registry_close(&r);
    assert_int_equal(differences, 0);
}

/* ---- Errors of a huge row -------------------------------------------------------------------- */

enum { HUGE_ROW = 1 << 24 };

struct huge {
    float *x, *y, *scratch;
    double *exp; /* of x */
    double total;
};

static struct huge huge_open(void)
{
    struct huge h = {.x = malloc(sizeof *h.x * HUGE_ROW), .y = malloc(sizeof *h.y * HUGE_ROW)};
    h.exp = malloc(sizeof *h.exp * HUGE_ROW);
    h.scratch = aligned_alloc(64, sizeof *h.scratch * (2 * (size_t)HUGE_ROW + 256));
    if (!h.x || !h.y || !h.exp || !h.scratch) abort();
    return h;
}

static void huge_fill(struct huge *h, enum family f)
{
    long double total = 0;
    inputs_row(f, oracle_find("softmax")->domain, 1, 0, HUGE_ROW, h->x);
    for (size_t i = 0; i < HUGE_ROW; i++) total += h->exp[i] = exp((double)h->x[i]);
    h->total = (double)total;
}

static void huge_close(struct huge *h)
{
    free(h->x);
    free(h->y);
    free(h->exp);
    free(h->scratch);
}

/* The largest relative error of a huge row's softmax, or of its logsumexp. */
static double relative_error(const struct variant *v, const struct huge *h)
{
    struct job j = {.rows = 1,
                    .n = HUGE_ROW,
                    .x = h->x,
                    .y = h->y,
                    .x_stride = HUGE_ROW,
                    .y_stride = HUGE_ROW,
                    .scale = 1,
                    .scratch = h->scratch};
    double worst = 0;
    v->kernel->run(&j);
    if (!strcmp(v->op, "logsumexp")) return fabs(h->y[0] / log(h->total) - 1);
    for (size_t i = 0; i < HUGE_ROW; i++)
        worst = fmax(worst, fabs(h->y[i] * h->total / h->exp[i] - 1));
    return worst;
}

/* What sums that stagnate or drift would not keep. */
static void test_huge_row(void **state)
{
    (void)state;
    struct registry r = registry_of(
        "op=softmax,logsumexp algorithm=invariant dtype=f32 isa=avx2,avx512 policy=off");
    struct huge h = huge_open();
    size_t asked = 0;
    for (int constant = 0; constant < 2; constant++) {
        huge_fill(&h, constant ? FAMILY_CONSTANT : FAMILY_NORMAL);
        for (size_t i = 0; i < r.count; i++) {
            const struct variant *v = &r.variants[i];
            if (v->status != STATUS_OK) continue;
            double error = relative_error(v, &h);
            asked++;
            if (!(error < 1e-6)) fail_msg("%s: %g of the result", v->id, error);
        }
    }
    registry_close(&r);
    huge_close(&h);
    assert_true(enough(asked, 4)); /* both operations in AVX2, which the lab needs, and both rows */
}

/* Rows far from 0, up to where the maximum is subtracted first and beyond: what the exponential's
 * reduction rounds, or leaves out, grows with x, and must not show. */
enum { FAR_N = 777 };
struct far_row {
    float x[FAR_N];
    long double most, total; /* total: of e^(x - most) */
};

/* The largest error in ulp of a variant's results: log_softmax's where `log`. */
static double far_error(const struct variant *v, const struct far_row *row, bool log)
{
    static float y[FAR_N];
    static _Alignas(64) float scratch[2 * FAR_N + 256];
    struct job j = {.rows = 1,
                    .n = FAR_N,
                    .x = row->x,
                    .y = y,
                    .x_stride = FAR_N,
                    .y_stride = FAR_N,
                    .scale = 1,
                    .log_output = log,
                    .scratch = scratch};
    long double log_total = logl(row->total);
    double worst = 0;
    v->kernel->run(&j);
    if (!strcmp(v->op, "logsumexp")) return fabs(ulp_error(y[0], (double)(row->most + log_total)));
    for (size_t i = 0; i < FAR_N; i++) {
        long double below = row->x[i] - row->most;
        long double want = log ? below - log_total : expl(below) / row->total;
        worst = fmax(worst, fabs(ulp_error(y[i], (double)want)));
    }
    return worst;
}

static void test_far_rows(void **state)
{
    (void)state;
    static const float offsets[] = {0,     87,       -104,  1e3f, -1e4f, 3e4f,
                                    65e3f, -65.5e3f, 65536, 1e5f, -3e6f};
    static struct far_row row;
    struct registry r =
        registry_of("op=softmax,logsumexp algorithm=invariant dtype=f32 policy=off");
    size_t asked = 0;
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
        row.most = -INFINITY;
        row.total = 0;
        inputs_row(FAMILY_NORMAL, oracle_find("softmax")->domain, 1, k, FAR_N, row.x);
        for (size_t i = 0; i < FAR_N; i++) row.most = fmaxl(row.most, row.x[i] += offsets[k]);
        for (size_t i = 0; i < FAR_N; i++) row.total += expl(row.x[i] - row.most);
        for (size_t i = 0; i < r.count; i++) {
            const struct variant *v = &r.variants[i];
            if (v->status != STATUS_OK) continue;
            bool sum = !strcmp(v->op, "logsumexp");
            for (int log = 0; log <= !sum; log++) {
                double worst = far_error(v, &row, log), most = sum ? 1 : log ? 2 : 4;
                asked++;
                if (!(worst < most))
                    fail_msg("%s%s: %g ulp near %g", v->id, log ? ", log_softmax" : "", worst,
                             (double)offsets[k]);
            }
        }
    }
    registry_close(&r);
    assert_true(enough(asked, 6 * sizeof offsets / sizeof *offsets)); /* in scalars and in AVX2 */
}

/* Where |y| dwarfs what exponentials and sums err by, y is what rounding leaves of it: a relative
 * error of its own, be it a twentieth of u, is seen in rows that lie near the middle of two floats.
 */
static void test_far_logarithms(void **state)
{
    (void)state;
    enum { TRIES = 400, N = 20 };
    struct registry r = registry_of("op=logsumexp algorithm=invariant dtype=f32 policy=off");
    static float x[TRIES * N], y[TRIES], scratch_space[2 * N + 272];
    float *scratch = scratch_space + (64 - (uintptr_t)scratch_space % 64) / sizeof *x;
    size_t asked = 0;
    for (size_t i = 0; i < TRIES; i++) {
        inputs_row(FAMILY_NORMAL, oracle_find("logsumexp")->domain, 1, i, N, x + i * N);
        for (size_t k = 0; k < N; k++) x[i * N + k] += i % 2 ? 8200 : -8300;
    }
    for (size_t v = 0; v < r.count; v++) {
        if (r.variants[v].status != STATUS_OK) continue;
        struct job j = {.n = N, .x_stride = N, .y_stride = 1, .scale = 1, .scratch = scratch};
        for (size_t rows = 1; rows <= TRIES; rows += TRIES - 1) { /* one by one, and together */
            for (size_t i = 0; i < TRIES; i += rows) {
                j.rows = rows, j.x = x + i * N, j.y = y + i;
                r.variants[v].kernel->run(&j);
            }
            for (size_t i = 0; i < TRIES; i++) {
                long double total = 0, first = x[i * N];
                for (size_t k = 0; k < N; k++) total += expl(x[i * N + k] - first);
                double error = fabs(ulp_error(y[i], (double)(first + logl(total))));
                if (!(error < 0.501)) fail_msg("%s: row %zu: %g ulp", r.variants[v].id, i, error);
                asked++;
            }
        }
    }
    registry_close(&r);
    assert_true(enough(asked, 4 * TRIES)); /* in scalars and in AVX2 */
}

/* A row whose numerators are not kept, with quotients down to the last subnormal and below it, at a
 * place where lines and blocks do not begin together. */
enum { LOW_N = (1 << 21) + 4099, LOW_EVERY = 61 };
static void test_low_quotients(void **state)
{
    (void)state;
    struct registry r = registry_of("op=softmax algorithm=invariant dtype=f32 policy=off");
    float *x = allocate(LOW_N), *space = allocate(LOW_N + 16), *y = space + 3;
    float *scratch = aligned_alloc(64, (2 * (size_t)LOW_N + 272) / 16 * 64);
    struct job j = {.rows = 1, .n = LOW_N, .x = x, .y = y, .scale = 1, .scratch = scratch};
    long double total = 0;
    size_t asked = 0, subnormal = 0;
    j.x_stride = j.y_stride = LOW_N;
    assert_non_null(scratch);
    inputs_row(FAMILY_NORMAL, oracle_find("softmax")->domain, 1, 0, LOW_N, x);
    /* The first block keeps within normal results; from then on some are below. */
    for (size_t i = 5000; i < LOW_N; i += LOW_EVERY)
        x[i] = i % 7 ? x[i] - (float)(i % 130) : -INFINITY;
    for (size_t i = 0; i < LOW_N; i++) total += expl(x[i]);
    for (size_t v = 0; v < r.count; v++) {
        if (r.variants[v].status != STATUS_OK) continue;
        r.variants[v].kernel->run(&j);
        for (size_t i = 0; i < LOW_N; i++) {
            double want = (double)(expl(x[i]) / total), error = fabs(ulp_error(y[i], want));
            if (!(error < 2.5)) fail_msg("%s: element %zu: %g ulp", r.variants[v].id, i, error);
            subnormal += y[i] > 0 && y[i] < FLT_MIN;
        }
        asked++;
    }
    registry_close(&r);
    free(x);
    free(space);
    free(scratch);
    assert_true(enough(asked, 2) && (subnormal > 100 || !asked));
}

/* ---- Which way rows go ----------------------------------------------------------------------- */

/* One variant of each operation: what it answers does not depend on which. */
static const struct kernel *kernel_of(const struct registry *r, const char *op)
{
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->variants[i].op, op) && r->variants[i].status == STATUS_OK &&
            !strcmp(r->variants[i].isa, "avx2"))
            return r->variants[i].kernel;
    return NULL;
}

/* Does the last question asked that names the way hold? */
static bool goes(const struct kernel *k, const struct job *j, const char *way)
{
    struct code_path c[CODE_PATHS_MAX];
    size_t count = k->paths(j, c);
    bool yes = false;
    assert_in_range(count, 1, CODE_PATHS_MAX);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(c[i].taken, (c[i].have > c[i].limit) == c[i].beyond);
        if (!strcmp(c[i].name, way)) yes = c[i].taken;
    }
    return yes;
}

/* Both sides of each threshold, which is where the caches of that machine say. */
static void test_ways(void **state)
{
    (void)state;
    static const struct caches small = {32 << 10, 256 << 10, 1 << 20},
                               large = {32 << 10, 1 << 20, 64 << 20};
    static const struct {
        const char *op, *way;
        size_t rows, n;
        const struct caches *caches;
        bool want;
    } table[] = {
        {"softmax", "streamed", 85, 1024, &small,
         false}, /* x and y: two thirds of the last level */
        {"softmax", "streamed", 86, 1024, &small, true},
        {"softmax", "streamed", 86, 1024, &large, false},
        {"softmax", "streamed", SIZE_MAX / 2, 1024, &large, true},
        {"layernorm", "streamed", 86, 1024, &small, true},
        {"layernorm", "streamed", 85, 1024, &small, false},
        {"softmax", "streamed", 1 << 20, 64, &small, true},
        {"softmax", "streamed", 1 << 20, 63, &small, false}, /* fewer than four lines */
        {"layernorm", "streamed", 1 << 20, 63, &small, false},
        {"logsumexp", "together", 8, 4096, &small, true}, /* whatever the machine */
        {"logsumexp", "together", 8, 4097, &large, false},
        /* eight rows: a sixteenth of L2 is a row of 1/128 of it */
        {"softmax", "together", 8, 512, &small, true},
        {"softmax", "together", 8, 513, &small, false},
        {"softmax", "together", 8, 513, &large, true},
        {"softmax", "together", 8, 4097, &large, false},
        {"softmax", "together", 2, 64, &large, false},
        {"softmax", "together", 3, 64, &large, true},
        {"logsumexp", "read ahead", 64, 1024, &small, false}, /* half of it */
        {"logsumexp", "read ahead", 65, 1024, &small, true},
        {"logsumexp", "read ahead", 65, 1024, &large, false},
        {"logsumexp", "together", 1, 64, &large, false},
        {"logsumexp", "together", 2, 64, &large, true},
        {"logsumexp", "in trees", 1, 127, &large, true}, /* an octet is 128, whatever the machine */
        {"logsumexp", "in trees", 8, 128, &small, false},
        /* from memory: an eighth of L1 */
        {"softmax", "together", 1 << 20, 1024, &small, true},
        {"softmax", "together", 1 << 20, 1025, &small, false},
        {"layernorm", "together", 1 << 20, 512, &small, true},
        {"layernorm", "together", 1, 513, &large, false},
        {"layernorm", "together", 2, 2048, &large, true}, /* a quarter of L1 */
        {"layernorm", "together", 2, 2049, &large, false},
        {"layernorm", "by turns", 1 << 20, 2048, &small, true},
        {"layernorm", "by turns", 1 << 20, 2047, &small, false},
        {"layernorm", "by turns", 4, 1 << 20, &small, true},
        {"layernorm", "by turns", 3, 1 << 20, &small, false}, /* too few beside each other */
        {"layernorm", "by turns", 5, 1 << 14, &small, false}, /* nor past the caches */
        {"moments", "together", 1, 512, &small, true},
        {"moments", "together", 3, 513, &large, true},
        {"moments", "together", 2, 513, &large, false},
        {"log_softmax", "together", 1, 64, &large, false},
        {"log_softmax", "together", 2, 64, &large, true},
        {"log_softmax", "together", 8, 513, &small, false},
        {"log_softmax", "together", 8, 513, &large, true},
        {"log_softmax", "streamed", 86, 1024, &small, true},
        {"log_softmax", "recomputed", 1, (1 << 21) + 1, &large, false},
        {"softmax", "recomputed", 1, 1 << 21, &large, false},
        {"softmax", "recomputed", 1, (1 << 21) + 1, &large, true},
    };
    struct registry r = registry_of("algorithm=invariant dtype=f32");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        bool log = !strcmp(table[i].op, "log_softmax");
        const struct kernel *k = kernel_of(&r, log ? "softmax" : table[i].op);
        const struct job j = {
            .rows = table[i].rows, .n = table[i].n, .log_output = log, .caches = *table[i].caches};
        if (k && goes(k, &j, table[i].way) != table[i].want)
            fail_msg("%s %zux%zu: %s is %d", table[i].op, j.rows, j.n, table[i].way,
                     !table[i].want);
    }
    registry_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_bit_pattern), cmocka_unit_test(test_huge_row),
        cmocka_unit_test(test_far_rows),        cmocka_unit_test(test_far_logarithms),
        cmocka_unit_test(test_low_quotients),   cmocka_unit_test(test_ways)};
    return cmocka_run_group_tests_name("invariant", tests, NULL, NULL);
}
