/* The kernels called `invariant` give one bit pattern: over scalar, AVX2 and AVX-512, every compiler
 * and policy of this build, every input family and rows with NaN and infinities, any length,
 * alignment, stride and cut into batches. Every variant runs every case at a place of its own,
 * right before a guard page; the bits are compared with the first variant's.
 *
 * ULPLAB_TEST_FULL=1: every n to 4096 and at least 10^8 elements per operation (minutes). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "machine/mxcsr.h"
#include "model/registry.h"
#include "oracle/oracle.h"

#include <cmocka.h>

enum { FAMILIES = FAMILY_COUNT + 4, SHOWN = 8 };
static const size_t primes[] = {4099, 5003, 8191, 10007, 16381, 32749, 65521, 65537, 99991, 131071};
static const size_t long_primes[] = {262147, 524287, 999983};

struct question {
    const struct oracle *op;
    int family; /* at and above FAMILY_COUNT: specials */
    size_t n, rows;
    bool log_output, affine;
    float *x, *gamma, *beta; /* x: [rows, n] */
};

struct run {
    struct registry registry;
    uint64_t elements;
    size_t outputs, differences;
    bool full;
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

static void fill(const struct question *q, uint64_t seed)
{
#pragma omp parallel for schedule(static)
    for (size_t r = 0; r < q->rows; r++) {
        float *x = q->x + r * q->n;
        int special = q->family - FAMILY_COUNT;
        enum family f = special < 0 ? (enum family)q->family : FAMILY_NORMAL;
        inputs_row(f, q->op->domain, seed, r, q->n, x);
        if (special >= 0) add_specials(x, q->n, r, special);
    }
}

/* ---- One variant, at a place of its own -------------------------------------------------------- */

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

struct place {
    struct guard x, y, stats;
    size_t x_stride, y_stride;
    float *x_begin, *y_begin;
};

static struct place place_of(const struct question *q, size_t columns, size_t which)
{
    struct place p = {.x_stride = q->n + which % 4, .y_stride = columns + which / 2 % 3};
    size_t x_count = (q->rows - 1) * p.x_stride + q->n, y_count = (q->rows - 1) * p.y_stride + columns;
    p.x = guard_open(x_count + 16);
    p.y = guard_open(y_count + 16);
    p.stats = guard_open(2 * q->rows);
    /* Before a guard page, or up to 15 elements behind one. */
    p.x_begin = which % 3 ? p.x.end - x_count : p.x.begin + which % 16;
    p.y_begin = which % 5 ? p.y.end - y_count : p.y.begin + which * 7 % 16;
    for (size_t r = 0; r < q->rows; r++)
        memcpy(p.x_begin + r * p.x_stride, q->x + r * q->n, q->n * sizeof(float));
    return p;
}

static void place_close(struct place *p)
{
    guard_close(&p->x);
    guard_close(&p->y);
    guard_close(&p->stats);
}

/* The hash of the outputs, row by row, whatever lies between the rows. */
static uint64_t bits_of(const struct question *q, const struct kernel *k, size_t which)
{
    size_t columns = q->op->elementwise ? q->n : q->op->columns;
    bool stats = q->op->elementwise && q->op->columns;
    struct place p = place_of(q, columns, which);
    float *scratch = aligned_alloc(64, ((2 * q->n + 256) * sizeof(float) + 63) / 64 * 64);
    size_t batch = 1 + which * 5 % q->rows;
    for (size_t r = 0; r < q->rows; r += batch) {
        struct job job = {.rows = q->rows - r < batch ? q->rows - r : batch,
                          .n = q->n,
                          .x = p.x_begin + r * p.x_stride,
                          .x_stride = p.x_stride,
                          .y = p.y_begin + r * p.y_stride,
                          .y_stride = p.y_stride,
                          .scale = 1,
                          .log_output = q->log_output,
                          .eps = 1e-5f,
                          .gamma = q->affine ? q->gamma : NULL,
                          .beta = q->affine ? q->beta : NULL,
                          .stats = stats ? p.stats.end - 2 * (q->rows - r) : NULL,
                          .scratch = scratch};
        k->run(&job);
    }
    uint64_t h = mxcsr_is_default() ? 0 : 1;
    for (size_t r = 0; r < q->rows; r++) h = hash(h, p.y_begin + r * p.y_stride, columns);
    if (stats) h = hash(h, p.stats.end - 2 * q->rows, 2 * q->rows);
    free(scratch);
    place_close(&p);
    return h;
}

static void ask(struct run *run, const struct question *q, const struct variant **variants,
                size_t count)
{
    uint64_t *bits = calloc(count + 1, sizeof *bits);
    assert_non_null(bits);
#pragma omp parallel for schedule(dynamic)
    for (size_t v = 0; v < count; v++) bits[v] = bits_of(q, variants[v]->kernel, v + q->n);
    for (size_t v = 1; v < count; v++)
        if (bits[v] != bits[0] && run->differences++ < SHOWN)
            print_message("%s differs from %s: family %d, n = %zu, rows = %zu%s%s\n",
                          variants[v]->id, variants[0]->id, q->family, q->n, q->rows,
                          q->log_output ? ", log" : "", q->affine ? ", affine" : "");
    run->elements += q->rows * q->n;
    run->outputs += count * q->rows * (q->op->elementwise ? q->n : q->op->columns);
    free(bits);
}

/* ---- All of them --------------------------------------------------------------------------------- */

static void ask_length(struct run *run, struct question q, size_t budget,
                       const struct variant **variants, size_t count)
{
    size_t rows = q.n ? budget / q.n : 3;
    q.rows = rows < 1 ? 1 : rows > 40 ? 40 : rows;
    q.x = calloc(q.rows * q.n + 1, sizeof *q.x);
    q.gamma = calloc(q.n + 1, sizeof *q.gamma);
    q.beta = calloc(q.n + 1, sizeof *q.beta);
    assert_true(q.x && q.gamma && q.beta);
    inputs_row(FAMILY_UNIFORM, DOMAIN_MOMENTS, 2, 0, q.n, q.gamma);
    inputs_row(FAMILY_NORMAL, DOMAIN_MOMENTS, 3, 0, q.n, q.beta);
    fill(&q, 1 + q.n);
    ask(run, &q, variants, count);
    bool softmax = !strcmp(q.op->op, "softmax"), layernorm = !strcmp(q.op->op, "layernorm");
    if ((softmax || layernorm) && q.n % 3 == 0) {
        q.log_output = softmax;
        q.affine = layernorm;
        ask(run, &q, variants, count);
    }
    free(q.x);
    free(q.gamma);
    free(q.beta);
}

static void ask_operation(struct run *run, const char *op)
{
    const struct variant **variants = calloc(run->registry.count + 1, sizeof(void *));
    size_t count = 0;
    assert_non_null(variants);
    for (size_t i = 0; i < run->registry.count; i++) {
        const struct variant *v = &run->registry.variants[i];
        if (!strcmp(v->op, op) && v->status == STATUS_OK) variants[count++] = v;
    }
    struct question q = {.op = oracle_find(op)};
    assert_non_null(q.op);
    for (q.n = 0; q.n <= 4096 && count; q.n += run->full || q.n < 140 ? 1 : 61)
        for (int f = 0; f < FAMILIES; f++)
            if (run->full || q.n < 70 || f == (int)(q.n % FAMILIES)) {
                q.family = f;
                ask_length(run, q, run->full ? 4096 : 1024, variants, count);
            }
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
        for (q.family = 0; q.family < FAMILIES; q.family += run->full ? 1 : 7) {
            q.n = primes[i];
            ask_length(run, q, 1, variants, count);
        }
    for (size_t i = 0; i < sizeof long_primes / sizeof *long_primes; i++)
        for (q.family = 0; q.family < FAMILIES; q.family += run->full ? 1 : FAMILIES) {
            q.n = long_primes[i];
            ask_length(run, q, 1, variants, count);
        }
    free(variants);
}

static void test_one_bit_pattern(void **state)
{
    (void)state;
    const char *full = getenv("ULPLAB_TEST_FULL");
    struct run run = {.full = full && strcmp(full, "0") != 0};
    struct cpu cpu;
    struct error e;
    static const char *const filter = "algorithm=invariant dtype=f32";
    assert_int_equal(cpu_detect(&cpu, NULL, &e), 0);
    assert_int_equal(registry_open(&run.registry, &cpu, &filter, 1, &e), 0);
    size_t ok = 0;
    for (size_t i = 0; i < run.registry.count; i++) {
        const struct variant *v = &run.registry.variants[i];
        ok += v->status == STATUS_OK;
        if (v->status == STATUS_OK && (!i || strcmp(v->op, v[-1].op) != 0))
            ask_operation(&run, v->op);
    }
    print_message("%zu variants, %.3g elements each of their operation's, %.3g outputs: %zu "
                  "differences\n",
                  ok, (double)run.elements, (double)run.outputs, run.differences);
    registry_close(&run.registry);
    if (ok < 2) skip();
    assert_int_equal(run.differences, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_bit_pattern)};
    return cmocka_run_group_tests_name("invariant", tests, NULL, NULL);
}
