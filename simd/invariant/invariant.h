/* One bit pattern from every ISA, compiler and policy. What it takes:
 *
 *   order      a virtual register has 16 lanes: one AVX-512 register, two AVX2 ones, 16 scalars.
 *              Element i of a block is in lane i % 16 of chain (i / 16) % chains, everywhere; a row
 *              is cut into blocks by n alone, and every tree of additions is written out.
 *   rounding   each operation is one instruction with one rounding, and its result goes through
 *              keep(), an empty asm: no policy can fuse, split, reorder or assume anything across
 *              it, and it costs no instruction. So do constants, which could be folded otherwise.
 *   division   and square root are written as instructions: -ffast-math makes them rcp and Newton.
 *   specials   are asked for by integers: -ffast-math deletes comparisons that only a NaN fails.
 *
 * Sums over blocks are carried in double: an error that grows within a block and no further, for the
 * price of a few instructions per block. tests/test_invariant.c proves it all, `ulplab diverge`
 * shows one class. */
#ifndef INVARIANT_H
#define INVARIANT_H

#include "invariant_isa.h"
#include "kernel.h"
#include "storage.h"

#ifndef ALGORITHM /* <op>_best.c names itself */
#define ALGORITHM "invariant"
#endif

enum {
    LANES = 16,
    PARTS = LANES / VL, /* registers to a virtual one */
    BLOCK = 4096,       /* elements: 16 KiB stay in L1 between two passes over them */
    LINE = 16,          /* floats: what goes past the caches goes in whole lines */
};

#define ALWAYS_INLINE static inline __attribute__((always_inline))

static inline vf i_set1(float a) { return keep(v_set1(a)); }
static inline vf i_add(vf a, vf b) { return keep(v_add(a, b)); }
static inline vf i_sub(vf a, vf b) { return keep(v_sub(a, b)); }
static inline vf i_mul(vf a, vf b) { return keep(v_mul(a, b)); }
static inline vf i_fma(vf a, vf b, vf c) { return keep(v_fma(a, b, c)); }

/* Scalars, for what happens once per row or block. */
static inline float f_keep(float a) { __asm__("" : "+x"(a)); return a; }
static inline double d_keep(double a) { __asm__("" : "+x"(a)); return a; }
static inline float f_sub(float a, float b) { return f_keep(f_keep(a) - f_keep(b)); }
static inline float f_fma(float a, float b, float c)
{
    return f_keep(__builtin_fmaf(f_keep(a), f_keep(b), f_keep(c)));
}
static inline double d_add(double a, double b) { return d_keep(d_keep(a) + d_keep(b)); }
static inline double d_sub(double a, double b) { return d_keep(d_keep(a) - d_keep(b)); }
static inline double d_mul(double a, double b) { return d_keep(d_keep(a) * d_keep(b)); }
static inline double d_fma(double a, double b, double c)
{
    return d_keep(__builtin_fma(d_keep(a), d_keep(b), d_keep(c)));
}
static inline double d_div(double a, double b)
{
    double r;
    __asm__("vdivsd %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
    return r;
}
static inline double d_sqrt(double a)
{
    double r;
    __asm__("vsqrtsd %1, %1, %0" : "=x"(r) : "x"(a));
    return r;
}
/* Widening and rounding happen here and not where a policy would like them better. */
static inline double d_of(float a) { return d_keep((double)f_keep(a)); }
static inline float f_of(double a) { return f_keep((float)d_keep(a)); }
static inline double d_count(size_t n) { return d_keep((double)(ptrdiff_t)n); }

static inline uint32_t f_bits(float a) { uint32_t b; __builtin_memcpy(&b, &a, sizeof b); return b; }
static inline float f_from_bits(uint32_t b) { float a; __builtin_memcpy(&a, &b, sizeof a); return f_keep(a); }
static inline uint64_t d_bits(double a) { uint64_t b; __builtin_memcpy(&b, &a, sizeof b); return b; }
static inline double d_from_bits(uint64_t b) { double a; __builtin_memcpy(&a, &b, sizeof a); return d_keep(a); }

enum { INFINITY_BITS = 0x7f800000, NAN_BITS = 0x7fc00000, MAGNITUDE = 0x7fffffff };
static inline int f_is_nan(float a) { return (f_bits(a) & MAGNITUDE) > INFINITY_BITS; }
static inline int f_is_finite(float a) { return (f_bits(a) & MAGNITUDE) < INFINITY_BITS; }
static inline int d_is_finite(double a) { return (d_bits(a) << 1) < 0xffe0000000000000u; }

/* What is in a row, by integers alone. */
struct contents {
    int nan, plus_infinity, minus_infinity;
};
static inline void contents_add(struct contents *c, float a)
{
    uint32_t b = f_bits(a);
    c->nan |= (b & MAGNITUDE) > INFINITY_BITS;
    c->plus_infinity |= b == INFINITY_BITS;
    c->minus_infinity |= b == (INFINITY_BITS | 0x80000000u);
}

/* How many lanes of a part that starts at element `at` lie in front of n. */
static inline size_t lanes_before(size_t at, size_t n)
{
    return at >= n ? 0 : n - at < VL ? n - at : VL;
}

static inline const element *row_in(const struct job *j, size_t r)
{
    return (const element *)j->x + r * j->x_stride;
}
static inline element *row_out(const struct job *j, size_t r)
{
    return (element *)j->y + r * j->y_stride;
}

/* How many rows there are from `first`, VL at most. */
static inline size_t rows_from(const struct job *j, size_t first)
{
    return j->rows - first < VL ? j->rows - first : VL;
}

/* ---- Which way rows go: by what the caches hold --------------------------------------------------
 * The bits are the same whichever way is taken; where they would not be, n alone decides. */

/* Of a job that does not say: what most servers have for a core. */
static inline struct caches caches_of(const struct job *j)
{
    static const struct caches unknown = {32 << 10, 1 << 20, 32 << 20};
    return j->caches.l1 ? j->caches : unknown;
}

enum { SHORTEST = 128 }; /* elements: eight lines of floats */
enum quantity { Q_ROWS, Q_LENGTH, Q_ROW, Q_GROUP, Q_JOB, QUANTITIES };
enum measure { IN_ITSELF, IN_L1, IN_L2, IN_LAST, IN_MOST_OF_LAST };
/* Each question: how much of what is within (or beyond) what. */
enum question {
    COMPANY, PAIR, IN_TREES, ONE_BLOCK, TOGETHER, SHORT_ROW, LONG_PAIR, TOGETHER_PAST, TOGETHER_WIDENED, STREAMED,
    WHOLE_LINES, READ_AHEAD, RECOMPUTED, NEIGHBOURS, TURNS
};
static const struct question_asked {
    const char *way;
    enum quantity what;
    enum measure in;
    size_t limit; /* itself, or that part of the level: 8 is an eighth */
    const char *where;
    int beyond;
    const char *why;
} questions[] = {
    [COMPANY] = {"together", Q_ROWS, IN_ITSELF, 2, "too few", 1, "empty lanes cost as much as full ones"},
    [PAIR] = {"together", Q_ROWS, IN_ITSELF, 1, "one row", 1, "two logarithms take as long as one"},
    [IN_TREES] = {"in trees", Q_LENGTH, IN_ITSELF, 8 * LANES - 1, "less than an octet", 0,
                  "whatever the machine: what terms of a chain err by averages out among 128"},
    [ONE_BLOCK] = {"together", Q_LENGTH, IN_ITSELF, BLOCK, "one block", 0,
                   "whatever the machine: the sum of a longer row is cut"},
    [TOGETHER] = {"together", Q_GROUP, IN_L2, 16, "a sixteenth of L2", 0,
                  "what a short row waits for, its neighbours fill"},
    [SHORT_ROW] = {"together", Q_LENGTH, IN_ITSELF, 512, "short", 0,
                   "whatever the machine: sums of a longer row go on in double"},
    [LONG_PAIR] = {"together", Q_ROW, IN_L1, 4, "a quarter of L1", 0,
                   "moments of several rows take as long as one's; half of L1 keeps what results are made of"},
    [TOGETHER_PAST] = {"together", Q_ROW, IN_L1, 8, "an eighth of L1", 0,
                       "the numerators of four rows leave L1 to what is read"},
    [TOGETHER_WIDENED] = {"together", Q_LENGTH, IN_ITSELF, SHORTEST, "eight lines", 0,
                          "widened rows, and results to be rounded, have room for as much"},
    /* On a Zen 3 with 16 MiB of it, medians beside neighbours: 1x1048576 (8 MiB) takes 1.15 (layernorm) and 1.3 times
     * (softmax) as long streamed, 2048x768 (12) .6 and 1.0; layernorm of 2048x1024 (16) .6. */
    [STREAMED] = {"streamed", Q_JOB, IN_MOST_OF_LAST, 1, "two thirds of the last level", 1,
                  "lines that no cache will keep need not be read to be written"},
    [WHOLE_LINES] = {"streamed", Q_LENGTH, IN_ITSELF, 4 * LINE - 1, "four lines", 1,
                     "whatever the machine: of a shorter row too much is the lines that it shares with its neighbours"},
    [READ_AHEAD] = {"read ahead", Q_JOB, IN_LAST, 2, "half the last level", 1,
                    "neighbours share that level; from it or nearer, what is asked for early costs more than waiting"},
    [RECOMPUTED] = {"recomputed", Q_LENGTH, IN_ITSELF, 1 << 21, "numerators worth keeping", 1,
                    "whatever the machine: to read x again costs less than to write and read numerators"},
    [NEIGHBOURS] = {"by turns", Q_ROWS, IN_ITSELF, 3, "too few", 1,
                    "a row's results need the next row's reading beside them"},
    [TURNS] = {"by turns", Q_LENGTH, IN_ITSELF, 2047, "two chunks", 1,
                  "what a row and its ends take once, a shorter one does not gain"},
};

static inline size_t quantity_of(const struct job *j, enum quantity what)
{
    if (what == Q_ROWS) return j->rows;
    if (what == Q_LENGTH) return j->n;
    if (what == Q_ROW) return sizeof(element) * j->n;
    if (what == Q_GROUP) return VL * sizeof(element) * j->n;
    size_t row = 2 * sizeof(element) * j->n; /* x and y; the product has no bound */
    return row && j->rows > SIZE_MAX / row ? SIZE_MAX : row * j->rows;
}
static inline size_t limit_of(const struct job *j, const struct question_asked *q)
{
    struct caches c = caches_of(j);
    size_t last = c.l3 ? c.l3 : c.l2 ? c.l2 : c.l1;
    if (q->in == IN_ITSELF) return q->limit;
    if (q->in == IN_MOST_OF_LAST) return last / 3 * 2 / q->limit;
    return (q->in == IN_L1 ? c.l1 : q->in == IN_L2 && c.l2 ? c.l2 : last) / q->limit;
}
static inline int is(const struct job *j, enum question q)
{
    return (quantity_of(j, questions[q].what) > limit_of(j, &questions[q])) == questions[q].beyond;
}
/* The same for people; returns the answer. */
static inline int ask(const struct job *j, enum question q, struct way *out, size_t *count)
{
    static const char *const what[QUANTITIES] = {"rows", "a row", "a row", "rows side by side",
                                                "x and y"};
    static const char *const unit[QUANTITIES] = {"rows", "elements", "bytes", "bytes", "bytes"};
    const struct question_asked *a = &questions[q];
    out[(*count)++] = (struct way){.name = a->way, .why = a->why, .what = what[a->what],
                                      .where = a->where, .unit = unit[a->what],
                                      .have = quantity_of(j, a->what), .limit = limit_of(j, a),
                                      .beyond = a->beyond, .taken = is(j, q)};
    return is(j, q);
}

/* What is not stored as floats is widened first. Scalars take longer to compute than memory does: a loop of theirs
 * for each place or length would be text for nothing. */
enum { STREAMS = STORED_FLOATS && VL > 1 };
static inline int reads_ahead(const struct job *j) { return STREAMS && is(j, READ_AHEAD); }
static inline int past_caches(const struct job *j)
{
    return STREAMS && is(j, STREAMED) && is(j, WHOLE_LINES);
}
static inline int ask_past_caches(const struct job *j, struct way *out, size_t *count)
{
    return STREAMS && ask(j, STREAMED, out, count) && ask(j, WHOLE_LINES, out, count);
}
/* Floats in front of y's first 64-byte boundary; all n where there is none. */
static inline size_t before_boundary(const void *y, size_t n)
{
    size_t count = ((64 - ((uintptr_t)y & 63)) & 63) / sizeof(float);
    return count > n || (uintptr_t)y % sizeof(float) ? n : count;
}
/* Lines written in part are fetched before that: the stores would wait for memory. */
static inline void fetch_ends(const void *y, size_t n)
{
    const char *first = y, *end = first + n * sizeof(float);
    if ((uintptr_t)first & 63) __builtin_prefetch(first);
    if ((uintptr_t)end & 63) __builtin_prefetch(end);
}
/* What stands in front of a boundary, n < LINE, small pieces first. With a masked store, which lies
 * across two lines, layernorm 65536x100 took twice the time. */
static inline void store_head(float *y, const float *a, size_t n)
{
    for (size_t piece = 1; piece < LINE; piece *= 2)
        if (n & piece) {
            __builtin_memcpy(y, a, piece * sizeof *y);
            y += piece;
            a += piece;
        }
}
/* Past the caches one row's results are stored while the next row is read, and what they are made of stands in one
 * buffer for both: two, in all of L1, made streaming stores wait for what L1 had to fetch (softmax 65536x128
 * took .33 ns per element, .24 so). It is half a page from where x is: loads whose address equals an unfinished
 * store's in its last 12 bits wait for it (4096x4096: .33 where it stood 256 bytes behind, .18 elsewhere). Short
 * rows go in groups of what an AREA, half of a usual L1, holds. */
enum { AREA = 4096, HALF_PAGE = 2048, PAGE = 4096, PAGE_FLOATS = PAGE / sizeof(float) };
static inline float *apart(float *buffer, const float *x)
{
    return buffer + ((uintptr_t)x + HALF_PAGE - (uintptr_t)buffer) % PAGE / (LINE * sizeof *x) * LINE;
}
/* A job's scratch, for n floats: less than a page of them leave it no room to be moved. */
static inline float *apart_scratch(const struct job *j)
{
    return j->n >= PAGE_FLOATS ? apart(j->scratch, (const float *)j->x) : j->scratch;
}

/* 12 KiB ahead into L2, 3 KiB into L1: hardware stops at the end of a page, rows do not. Either alone is slower:
 * logsumexp 16384x1024 took .20 ns per element with L1's, .16 with L2's, .15 with both; two thirds of the
 * distance cost it 3%. */
enum { AHEAD = 3072 };
ALWAYS_INLINE void read_ahead(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i += LINE) {
        __builtin_prefetch(x + AHEAD + i, 0, 2);
        __builtin_prefetch(x + AHEAD / 4 + i);
    }
}
/* Where past_caches() allowed it. */
static inline void y_stream(element *y, vf a) { i_stream((float *)(void *)y, a); }

/* Whether up to VL rows from `first` go together, where `company` and `fits` are what the kernel asks. */
static inline int together(const struct job *j, size_t first, enum question company, enum question fits)
{
    return j->n && j->rows - first > questions[company].limit && is(j, ONE_BLOCK) && is(j, fits);
}

#endif
