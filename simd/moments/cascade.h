// SPDX-License-Identifier: MIT
/* RowwiseMoments, the cascade of Welford chunks in PyTorch's CPU LayerNorm
 * (aten/src/ATen/native/cpu/moments_utils.h), operation by operation in the same order:
 * docs/method.md, "RowwiseMoments". Chunks are independent until they merge. AT_ONCE states are
 * therefore computed side by side, and so are the scalar steps of ROWS rows: this changes no bit,
 * and hides the latency of the single dependent chain of the original. */
#ifndef CASCADE_H
#define CASCADE_H

#include "moments.h"

enum {
    CHUNK = 16,
    AT_ONCE = 8, /* Welford states side by side */
    ROWS = 4,
    LEVELS = 64,
    /* A vector of elements widens to PARTS vectors of floats, the low half first. Each has a state
     * of its own within a chunk. */
    PARTS = ELEMENT_VECTORS,
    WIDTH = PARTS * VL, /* elements of a vector */
};

/* Instructions per vector (struct vector_ops in include/kernel.h): those of Welford's step, and per
 * chunk two merges, whose weights are converted (twice), divided, and broadcast to the lanes
 * (twice). */
#define CASCADE_MAD (2 + 2 * 2.0 / CHUNK)
#define CASCADE_MUL (2 * 2.0 / CHUNK)
#define CASCADE_ADD (2 + 2 * 2.0 / CHUNK)
#define CASCADE_OTHER (2 * 5.0 / CHUNK)

/* 1 in the type of a lane: the quotients of constants are rounded to that type. */
#define ONE ((float)1)

/* A level of the cascade: a count for all lanes, and each lane's mean and sum of squared
 * deviations. */
struct level {
    ptrdiff_t count;
    vf mean, m2;
};

/* The weights of step 4 of docs/method.md, "RowwiseMoments", which merges lane after lane into the
 * tail. They depend on n alone. */
struct lane_weights {
    float share[VL], before[VL]; /* count / (before + count), and the elements before this lane */
};

static inline struct lane_weights lane_weights(size_t n)
{
    struct lane_weights w;
    ptrdiff_t count = (ptrdiff_t)(n / WIDTH * PARTS), before = (ptrdiff_t)(n % WIDTH);
    for (size_t l = 0; l < VL; l++, before += count) {
        w.before[l] = (float)before;
        w.share[l] = before + count ? (float)count / (float)(before + count) : 0.0f;
    }
    return w;
}

/* Merges a state into another, as docs/method.md, "RowwiseMoments" defines it. */
static inline void level_merge(struct level *into, struct level from)
{
    ptrdiff_t n = into->count + from.count;
    vf share = v_set1(n ? (float)from.count / (float)n : 0.0f);
    vf d = v_sub(from.mean, into->mean), before = v_set1((float)into->count);
    into->mean = v_mad(share, d, into->mean);
    into->m2 = v_add(into->m2, v_mad(v_mul(v_mul(d, d), share), before, from.m2));
    into->count = n;
}

static inline void level_clear(struct level *l)
{
    l->count = 0;
    l->mean = l->m2 = v_set1(0.0f);
}

/* Computes Welford's recurrence over `length` vectors of each of `chunks` consecutive chunks, with
 * PARTS states per chunk. */
static inline __attribute__((always_inline)) void
welford_chunks(struct level *out, const element *x, ptrdiff_t length, size_t chunks)
{
    static const float reciprocal[CHUNK] = {
        ONE,     ONE / 2,  ONE / 3,  ONE / 4,  ONE / 5,  ONE / 6,  ONE / 7,  ONE / 8,
        ONE / 9, ONE / 10, ONE / 11, ONE / 12, ONE / 13, ONE / 14, ONE / 15, ONE / 16};
    struct level s[AT_ONCE];
    for (size_t c = 0; c < chunks * PARTS; c++) level_clear(&s[c]);
    for (ptrdiff_t k = 0; k < length; k++) {
        vf share = v_set1(reciprocal[k]);
        for (size_t c = 0; c < chunks * PARTS; c++) {
            size_t at = (c / PARTS * CHUNK + (size_t)k) * WIDTH + c % PARTS * VL;
            vf v = x_load(x + at), d = v_sub(v, s[c].mean);
            s[c].mean = v_mad(d, share, s[c].mean);
            s[c].m2 = v_mad(d, v_sub(v, s[c].mean), s[c].m2);
        }
    }
    for (size_t c = 0; c < chunks * PARTS; c++) out[c] = (struct level){length, s[c].mean, s[c].m2};
}

/* Merges chunk i into level 0. As in a binary counter, a carry then moves each full level into the
 * next. */
static inline void cascade_push(struct level *level, size_t depth, size_t i,
                                const struct level chunk[PARTS])
{
    for (size_t p = 0; p < PARTS; p++) level_merge(&level[0], chunk[p]);
    size_t mask = i + 1;
    for (size_t k = 1; k < depth && !(mask & 1); k++, mask >>= 1) {
        level_merge(&level[k], level[k - 1]);
        level_clear(&level[k - 1]);
    }
}

/* Pushes the whole chunks from chunk i on, at_once of them at a time. Returns the first chunk that
 * is left. */
static inline __attribute__((always_inline)) size_t cascade_groups(struct level *level,
                                                                   size_t depth, const element *x,
                                                                   size_t vectors, size_t i,
                                                                   size_t at_once)
{
    struct level chunk[AT_ONCE];
    for (; (i + at_once) * CHUNK <= vectors; i += at_once) {
        welford_chunks(chunk, x + i * CHUNK * WIDTH, CHUNK, at_once);
        for (size_t c = 0; c < at_once; c++) cascade_push(level, depth, i + c, chunk + c * PARTS);
    }
    return i;
}

/* Returns the result of steps 1 and 2 of docs/method.md for the first `vectors` vectors of a row,
 * lane by lane. */
static inline struct level cascade_lanes(const element *x, size_t vectors)
{
    size_t chunks = (vectors + CHUNK - 1) / CHUNK, depth = 1, i = 0;
    while ((size_t)1 << depth < chunks) depth++;
    struct level level[LEVELS], last[PARTS];
    for (size_t k = 0; k < depth; k++) level_clear(&level[k]);
    i = cascade_groups(level, depth, x, vectors, i, AT_ONCE / PARTS);
    i = cascade_groups(level, depth, x, vectors, i, AT_ONCE / 2 / PARTS);
    i = cascade_groups(level, depth, x, vectors, i, 1);
    if (i < chunks) {
        welford_chunks(last, x + i * CHUNK * WIDTH, (ptrdiff_t)(vectors - i * CHUNK), 1);
        cascade_push(level, depth, i, last);
    }
    for (size_t k = 1; k < depth; k++) level_merge(&level[0], level[k]);
    return level[0];
}

/* Computes steps 3 to 5 of docs/method.md for up to ROWS rows from `first` on, side by side: a
 * scalar Welford over each tail, into which lane after lane is merged. Writes out[r] for r <
 * rows. */
static inline void cascade(const struct job *j, size_t first, size_t rows,
                           const struct lane_weights *w, struct moments out[ROWS])
{
    float means[ROWS][VL] = {0}, m2s[ROWS][VL] = {0}, mean[ROWS] = {0}, m2[ROWS] = {0};
    const element *x[ROWS];
    for (size_t r = 0; r < ROWS; r++) x[r] = row_of(j, first + (r < rows ? r : 0));
    for (size_t r = 0; r < rows; r++) {
        struct level lanes = cascade_lanes(x[r], j->n / WIDTH);
        v_store(means[r], lanes.mean);
        v_store(m2s[r], lanes.m2);
    }
    for (size_t i = j->n - j->n % WIDTH, count = 1; i < j->n; i++, count++)
        for (size_t r = 0; r < ROWS; r++) {
            float a = x_at(x[r] + i), d = a - mean[r];
            mean[r] += d / to_float(count);
            m2[r] += d * (a - mean[r]);
        }
    for (size_t l = 0; l < VL; l++)
        for (size_t r = 0; r < ROWS; r++) {
            float d = means[r][l] - mean[r];
            mean[r] += w->share[l] * d;
            m2[r] += m2s[r][l] + d * d * w->share[l] * w->before[l];
        }
    for (size_t r = 0; r < rows; r++)
        out[r] = (struct moments){j->n ? mean[r] : __builtin_nanf(""), m2[r] / to_float(j->n)};
}

/* Computes the moments of every row of a job and calls finish(job, row, moments). */
static inline void cascade_rows(const struct job *j,
                                void (*finish)(const struct job *, size_t, struct moments))
{
    struct lane_weights w = lane_weights(j->n);
    for (size_t r = 0; r < j->rows; r += ROWS) {
        struct moments m[ROWS];
        size_t rows = j->rows - r < ROWS ? j->rows - r : ROWS;
        cascade(j, r, rows, &w, m);
        for (size_t k = 0; k < rows; k++) finish(j, r + k, m[k]);
    }
}

#endif
