/* RowwiseMoments, the cascade of Welford chunks in PyTorch's CPU LayerNorm
 * (aten/src/ATen/native/cpu/moments_utils.h), in the order of its every operation: numerics.md
 * section 3. Chunks are independent of each other until they merge, so AT_ONCE of them run side
 * by side: that changes no bit, and a single chain of 3 dependent operations per vector is what
 * the original waits for. */
#ifndef CASCADE_H
#define CASCADE_H

#include "moments.h"

enum { CHUNK = 16, AT_ONCE = 4, LEVELS = 64 };

/* A level of the cascade: a count shared by all lanes, their means and sums of squares. */
struct level {
    ptrdiff_t count;
    vf mean, m2;
};

/* The weights of the last step, the merge of lane after lane; they depend on n alone. */
struct lane_weights {
    float share[VL], before[VL]; /* count / (before + count), elements before this lane */
};

static inline struct lane_weights lane_weights(size_t n)
{
    struct lane_weights w;
    ptrdiff_t count = (ptrdiff_t)(n / VL), before = (ptrdiff_t)(n % VL);
    for (size_t l = 0; l < VL; l++, before += count) {
        w.before[l] = (float)before;
        w.share[l] = before + count ? (float)count / (float)(before + count) : 0.0f;
    }
    return w;
}

static inline void level_merge(struct level *into, struct level from)
{
    ptrdiff_t n = into->count + from.count;
    vf share = v_set1(n ? (float)from.count / (float)n : 0.0f);
    vf d = v_sub(from.mean, into->mean), before = v_set1((float)into->count);
    into->mean = v_mad(share, d, into->mean);
    into->m2 = v_add(into->m2, v_mad(v_mul(v_mul(d, d), share), before, from.m2));
    into->count = n;
}

static inline struct level level_empty(void)
{
    return (struct level){0, v_set1(0.0f), v_set1(0.0f)};
}

/* Welford over `length` vectors of each of `chunks` consecutive chunks. */
static inline __attribute__((always_inline)) void welford_chunks(struct level *out, const float *x,
                                                                 ptrdiff_t length, size_t chunks)
{
    static const float reciprocal[CHUNK] = {1.0f,      1.0f / 2,  1.0f / 3,  1.0f / 4,
                                            1.0f / 5,  1.0f / 6,  1.0f / 7,  1.0f / 8,
                                            1.0f / 9,  1.0f / 10, 1.0f / 11, 1.0f / 12,
                                            1.0f / 13, 1.0f / 14, 1.0f / 15, 1.0f / 16};
    struct level s[AT_ONCE];
    for (size_t c = 0; c < chunks; c++) s[c] = level_empty();
    for (ptrdiff_t k = 0; k < length; k++) {
        vf share = v_set1(reciprocal[k]);
        for (size_t c = 0; c < chunks; c++) {
            vf v = v_load(x + ((ptrdiff_t)c * CHUNK + k) * VL), d = v_sub(v, s[c].mean);
            s[c].mean = v_mad(d, share, s[c].mean);
            s[c].m2 = v_mad(d, v_sub(v, s[c].mean), s[c].m2);
        }
    }
    for (size_t c = 0; c < chunks; c++) out[c] = (struct level){length, s[c].mean, s[c].m2};
}

/* Chunk `i` enters level 0; a level that is full in the binary sense enters the next. */
static inline void cascade_push(struct level *level, size_t depth, size_t i, struct level chunk)
{
    level_merge(&level[0], chunk);
    size_t mask = i + 1;
    for (size_t k = 1; k < depth && !(mask & 1); k++, mask >>= 1) {
        level_merge(&level[k], level[k - 1]);
        level[k - 1] = level_empty();
    }
}

/* Steps 1 and 2: the first `vectors` vectors of a row, lane by lane. */
static inline struct level cascade_lanes(const float *x, size_t vectors)
{
    size_t chunks = (vectors + CHUNK - 1) / CHUNK, depth = 1, i = 0;
    while ((size_t)1 << depth < chunks) depth++;
    struct level level[LEVELS], chunk[AT_ONCE];
    for (size_t k = 0; k < depth; k++) level[k] = level_empty();
    for (; (i + AT_ONCE) * CHUNK <= vectors; i += AT_ONCE) {
        welford_chunks(chunk, x + i * CHUNK * VL, CHUNK, AT_ONCE);
        for (size_t c = 0; c < AT_ONCE; c++) cascade_push(level, depth, i + c, chunk[c]);
    }
    for (; i < chunks; i++) {
        size_t left = vectors - i * CHUNK;
        welford_chunks(chunk, x + i * CHUNK * VL, left < CHUNK ? (ptrdiff_t)left : CHUNK, 1);
        cascade_push(level, depth, i, chunk[0]);
    }
    for (size_t k = 1; k < depth; k++) level_merge(&level[0], level[k]);
    return level[0];
}

/* Steps 3 to 5: a scalar Welford over the tail, then lane after lane into its state. */
static inline struct moments cascade(const float *x, size_t n, const struct lane_weights *w)
{
    struct level lanes = cascade_lanes(x, n / VL);
    float mean = 0.0f, m2 = 0.0f, means[VL], m2s[VL];
    for (size_t i = n - n % VL, count = 1; i < n; i++, count++) {
        float d = x[i] - mean;
        mean += d / (float)(ptrdiff_t)count;
        m2 += d * (x[i] - mean);
    }
    v_store(means, lanes.mean);
    v_store(m2s, lanes.m2);
    for (size_t l = 0; l < VL; l++) {
        float d = means[l] - mean;
        mean += w->share[l] * d;
        m2 += m2s[l] + d * d * w->share[l] * w->before[l];
    }
    return (struct moments){n ? mean : __builtin_nanf(""), m2 / to_float(n)};
}

#endif
