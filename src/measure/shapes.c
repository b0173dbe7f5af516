// SPDX-License-Identifier: MIT
#include "measure/shapes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/cgroup.h"

/* ---- By level -------------------------------------------------------------------------------- */

/* A shape by its level: the largest power of two of rows whose input, and an output of its size,
 * fill at most this share of the level, which gives one shape for all operations. Powers of two
 * keep small changes of an effective size from changing the shape. */
struct place {
    enum level level;
    double share;
    size_t n;
};
static const struct place places[LEVELS] = {{LEVEL_L1, 0.75, 2048},
                                            {LEVEL_L2, 0.5, 4096},
                                            {LEVEL_L3, 0.375, 4096},
                                            {LEVEL_DRAM, 4.0, 4096}};

struct shape shape_in(enum level l, const struct kernel *k, const struct bench_setup *s)
{
    const struct place *p = &places[l];
    if (!k) return (struct shape){1, p->n};
    enum level cache = l;
    if (l == LEVEL_DRAM)
        for (cache = LEVEL_L3; cache > LEVEL_L1 && !s->effective.bytes[cache];) cache--;
    double room = p->share * (double)s->effective.bytes[cache];
    double row =
        l == LEVEL_DRAM ? (double)cell_row_bytes(k, p->n) : 2 * sizeof(float) * (double)p->n;
    struct shape shape = {.rows = 1, .n = p->n};
    if (room <= 0) return (struct shape){0};
    if (l == LEVEL_DRAM) /* at least four times the last level, not at most */
        while ((double)shape.rows * row < room) shape.rows *= 2;
    else
        while ((double)(2 * shape.rows) * row <= room) shape.rows *= 2;
    return shape;
}

/* ---- By name --------------------------------------------------------------------------------- */

/* Level LEVELS marks rows x n given outright: for each core where they live in its own caches, else
 * for all together. */
static const char vocabulary_ops[] = " softmax logsumexp ",
                  norm_ops[] = " layernorm layernorm_bare rmsnorm moments ";
static const struct named_shape {
    const char *name;
    enum level level;
    struct shape shape;
    enum { FOR_ALL, PER_CORE, AS_FITS } rows; /* AS_FITS: halved until half of memory holds them */
    const char *ops;                          /* " a b ", or NULL: every operation */
} named_shapes[] = {
    /* Rows batched to what half of L1 holds; L2; one row in L3; memory. */
    {"default", LEVELS, {128, 32}, PER_CORE, NULL},
    {"default", LEVELS, {32, 128}, PER_CORE, NULL},
    {"default", LEVELS, {8, 512}, PER_CORE, NULL},
    {"default", LEVELS, {2, 2048}, PER_CORE, NULL},
    {"default", LEVELS, {1, 8192}, PER_CORE, NULL},
    {"default", LEVELS, {1, 32768}, PER_CORE, NULL},
    {"default", LEVELS, {1, 262144}, FOR_ALL, NULL},
    {"default", LEVELS, {1, 1 << 20}, FOR_ALL, NULL},
    {"default", LEVELS, {65536, 256}, FOR_ALL, NULL},
    {"default", LEVELS, {4096, 4096}, FOR_ALL, NULL},
    {"small", LEVELS, {64, 1}, FOR_ALL, NULL},
    {"small", LEVELS, {64, 7}, FOR_ALL, NULL},
    {"small", LEVELS, {64, 16}, FOR_ALL, NULL},
    {"small", LEVELS, {64, 64}, FOR_ALL, NULL},
    {"small", LEVELS, {64, 256}, FOR_ALL, NULL},
    {"cache", LEVEL_L1, {0}, PER_CORE, NULL},
    {"cache", LEVEL_L2, {0}, PER_CORE, NULL},
    {"cache", LEVEL_L3, {0}, FOR_ALL, NULL},
    {"memory", LEVEL_DRAM, {0}, FOR_ALL, NULL},
    {"huge", LEVELS, {1, 1 << 24}, FOR_ALL, NULL},
    {"huge", LEVELS, {65536, 4096}, FOR_ALL, NULL},
    /* Attention of 128 x 12 heads, of 1 x 32 heads, of 32 x 12 over a ViT's 197 patches (rows that
     * begin within a line), vocabularies (odd tails), the widths of layer normalisations. */
    {"models", LEVELS, {128 * 12 * 128, 128}, AS_FITS, vocabulary_ops},
    {"models", LEVELS, {32 * 2048, 2048}, AS_FITS, vocabulary_ops},
    {"models", LEVELS, {32 * 12 * 197, 197}, AS_FITS, vocabulary_ops},
    {"models", LEVELS, {32, 50257}, FOR_ALL, vocabulary_ops},
    {"models", LEVELS, {8, 128256}, FOR_ALL, vocabulary_ops},
    {"models", LEVELS, {2048, 768}, FOR_ALL, norm_ops},
    {"models", LEVELS, {2048, 1024}, FOR_ALL, norm_ops},
    {"models", LEVELS, {2048, 4096}, FOR_ALL, norm_ops},
    {"models", LEVELS, {2048, 5120}, FOR_ALL, norm_ops},
};
enum { NAMED_SHAPES = sizeof named_shapes / sizeof *named_shapes };

static bool takes_shape(const struct named_shape *named, const char *op)
{
    char word[40];
    snprintf(word, sizeof word, " %s ", op);
    return !named->ops || strstr(named->ops, word);
}

bool shape_fits(struct shape shape, const struct bench_setup *s)
{
    return 8.0 * (double)shape.rows * (double)shape.n <= 0.5 * (double)s->topology.memory_bytes;
}

struct shape shape_resolve(const struct named_shape *named, const struct variant *v,
                           const struct bench_setup *s, unsigned threads)
{
    struct shape shape = named->shape;
    if (!takes_shape(named, v->op)) return (struct shape){0};
    if (named->level < LEVELS) shape = shape_in(named->level, v->kernel, s);
    if (named->rows == PER_CORE) shape.rows *= threads;
    while (named->rows == AS_FITS && shape.rows > 1 && !shape_fits(shape, s)) shape.rows /= 2;
    return shape_fits(shape, s) ? shape : (struct shape){0};
}

const char *cell_shapes(const struct cell *c)
{
    for (size_t i = 0; i < NAMED_SHAPES && c->threads == 1; i++) {
        const struct named_shape *named = &named_shapes[i];
        bool rows = named->shape.rows == c->rows ||
                    (named->rows == AS_FITS && c->rows && named->shape.rows % c->rows == 0);
        if (named->level == LEVELS && strcmp(named->name, "small") && rows &&
            named->shape.n == c->n && takes_shape(named, c->variant->op))
            return named->name;
    }
    return NULL;
}

const struct named_shape *shape_named(const char *name, const struct named_shape *previous)
{
    const struct named_shape *shape = previous ? previous + 1 : named_shapes;
    while (shape < named_shapes + NAMED_SHAPES && strcmp(shape->name, name)) shape++;
    return shape < named_shapes + NAMED_SHAPES ? shape : NULL;
}

/* ---- Given ----------------------------------------------------------------------------------- */

struct shape shape_given(const char *text)
{
    struct shape shape;
    int used = 0;
    bool whole = sscanf(text, "%9zux%12zu%n", &shape.rows, &shape.n, &used) == 2 && !text[used];
    return whole && shape.rows && shape.n ? shape : (struct shape){0};
}

static int shapes_check_given(struct shape shape, struct error *e)
{
    double bytes = 8.0 * (double)shape.rows * (double)shape.n;
    const double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const double memory = fmin(machine, cgroup_limits_read("").memory_bytes);
    if (bytes <= 0.5 * memory) return 0;
    return fail(e, EXIT_USAGE,
                "bench: %zux%zu: %.1f GB is over half of the memory; choose a smaller shape",
                shape.rows, shape.n, bytes * 1e-9);
}

int bench_check_shapes(const char *const *shapes, size_t count, struct error *e)
{
    int code = 0;
    for (size_t i = 0; i < count && !code; i++) {
        struct shape given = shape_given(shapes[i]);
        if (given.rows)
            code = shapes_check_given(given, e);
        else if (!shape_named(shapes[i], NULL))
            code = fail(e, EXIT_USAGE,
                        "--shapes: '%s': not default, small, cache, memory, huge, models or "
                        "ROWSxN; see --help",
                        shapes[i]);
    }
    return code;
}
