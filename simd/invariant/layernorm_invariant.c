/* y = (x - mean) rstd gamma + beta, rstd = 1 / sqrt(max(variance, 0) + eps), with one bit pattern
 * on every ISA, compiler and policy: invariant.h says how. The mean stands in two floats, high and
 * low: (x - high) rstd - low rstd keeps the digits that an offset would take.
 * Short rows go eight at a time, the sums of the next eight in front of the results of the last: what
 * the ones wait for, the others fill.
 * By hand, Zen 4, 16 elements in AVX-512: an addition and an FMA for the sums (1 cycle: the load), a
 * subtraction and an FMA for the results (2 cycles: the store): 3 cycles, 2 where both overlap;
 * measured, gcc-12 off: 4.4 at 8x512, 5.4 at 2x2048; 4096x4096, from memory, 11.2, in AVX2 10.7, the least 9.7
 * in both, where a copy takes 8.0.
 * 8 flops with gamma and beta, 8 bytes per element. */
// build: policies=distinct stored=bf16,f16 stored_policies=off
#include "invariant_moments_team.h"

/* What the results of a group of rows, or of a row, take; offset = -(mean - its float) rstd. */
struct scales {
    size_t first, count;
    int plain; /* no row is full of NaN */
    float mean[GROUP_ROWS], rstd[GROUP_ROWS], offset[GROUP_ROWS];
};

/* Canonical NaNs, statistics of fewer rows than a group has. */
static __attribute__((noinline)) void odd_scales(struct scales *s, float *stats)
{
    for (size_t k = 0; k < s->count; k++) {
        s->mean[k] = f_canonical(s->mean[k]);
        s->rstd[k] = f_canonical(s->rstd[k]);
        if (stats) stats[2 * k] = s->mean[k], stats[2 * k + 1] = s->rstd[k];
    }
}

ALWAYS_INLINE void scales_of(struct scales *s, const struct job *j, struct moments m)
{
    gd zero = gd_set1(0.0), rstd = gd_div(gd_set1(1.0), gd_sqrt(gd_add(m.variance, gd_set1(d_of(j->eps)))));
    gd_store(s->mean, m.mean);
    gd_store(s->rstd, rstd);
    gd_store(s->offset, gd_mul(gd_sub(gd_rounded(m.mean), m.mean), rstd));
    s->plain = (m.settled & gd_le(zero, rstd)) == ALL_ROWS;
    float *stats = j->stats ? j->stats + 2 * s->first : NULL;
    if (!s->plain || s->count < GROUP_ROWS) odd_scales(s, stats);
    else if (stats) gd_store_pairs(stats, m.mean, rstd);
}

/* What is the same for all vectors of a row. */
struct row {
    float mean, rstd, offset;
    const element *x;
    const float *gamma, *beta; /* NULL: none */
    element *y;
    size_t head; /* elements in front of the first that goes past the caches */
    int past;
};

static inline struct row row_of(const struct job *j, const struct scales *s, size_t k, int past)
{
    element *y = row_out(j, s->first + k);
    return (struct row){s->mean[k], s->rstd[k], s->offset[k], row_in(j, s->first + k), j->gamma, j->beta,
                        y, past ? floats_before_line(y, j->n) : 0, past};
}

/* What gamma and beta are not there for is not computed: `has` is a constant wherever it is used. */
enum has { NEITHER, GAMMA, BETA, BOTH };
/* Before any loop: clang copies what i_set1() makes in each of its turns. */
struct same {
    vf mean, rstd, offset;
};
ALWAYS_INLINE vf affine(const struct same *s, enum has has, vf x, vf gamma, vf beta)
{
    vf t = i_fma(i_sub(x, s->mean), s->rstd, s->offset);
    if (has == BOTH) return i_fma(t, gamma, beta);
    if (has == GAMMA) return i_mul(t, gamma);
    if (has == BETA) return i_add(t, beta);
    return t;
}
ALWAYS_INLINE vf full(const struct row *r, const struct same *s, enum has has, size_t i)
{
    vf none = v_set1(0.0f);
    return affine(s, has, x_load(r->x + i), has & GAMMA ? v_load(r->gamma + i) : none,
                  has & BETA ? v_load(r->beta + i) : none);
}
ALWAYS_INLINE void part(const struct row *r, const struct same *s, enum has has, size_t i, size_t n)
{
    vf none = v_set1(0.0f), x = x_load_part(r->x + i, n, 0.0f);
    vf gamma = has & GAMMA ? v_load_part(r->gamma + i, n, 0.0f) : none;
    vf beta = has & BETA ? v_load_part(r->beta + i, n, 0.0f) : none;
    y_store_part(r->y + i, affine(s, has, x, gamma, beta), n);
}

/* From a multiple of VL behind the head on; `step`: a STEP's, in whole lines past the caches. Two virtual registers
 * a turn: rows of 128 take 10 to 20% less than with a vector each. */
ALWAYS_INLINE void apply_as(const struct row *r, enum has has, int step, size_t i, size_t end)
{
    struct same s = {i_set1(r->mean), i_set1(r->rstd), i_set1(r->offset)};
    if (step) { /* `end` is not asked: compilers take i + STEP for unknown */
        for (size_t k = i; k < i + STEP; k += VL) y_stream(r->y + k, full(r, &s, has, k));
        return;
    }
    if (r->past) {
        for (; i + LINE <= end; i += LINE)
            for (size_t k = i; k < i + LINE; k += VL) y_stream(r->y + k, full(r, &s, has, k));
    } else {
        for (; i + 2 * LANES <= end; i += 2 * LANES)
            for (size_t k = i; k < i + 2 * LANES; k += VL) y_store(r->y + k, full(r, &s, has, k));
        for (; i + VL <= end; i += VL) y_store(r->y + i, full(r, &s, has, i));
    }
    for (; i < end; i += VL) part(r, &s, has, i, lanes_before(i, end));
}
/* In each call it is known what there is of gamma and beta: no pointer to a function, whose four calls clang makes
 * one of (long rows took 2.4 times as long). A copy of the row: no store changes it. */
ALWAYS_INLINE void apply_knowing(const struct row *row, int step, size_t i, size_t end)
{
    struct row r = *row;
    if (r.gamma && r.beta) apply_as(&r, BOTH, step, i, end);
    else if (r.gamma) apply_as(&r, GAMMA, step, i, end);
    else if (r.beta) apply_as(&r, BETA, step, i, end);
    else apply_as(&r, NEITHER, step, i, end);
}
ALWAYS_INLINE void apply(const struct row *row, size_t i, size_t end) { apply_knowing(row, 0, i, end); }
static __attribute__((noinline)) void apply_head(const struct row *row)
{
    element results[LINE];
    int some = row->head < LINE;
    struct row r = *row;
    r.past = 0;
    if (some) r.y = results;
    apply(&r, 0, r.head);
    if (some) store_head((float *)(void *)row->y, (const float *)(const void *)results, r.head);
}

static __attribute__((noinline)) void fill_nan(element *y, size_t n)
{
    vf nan = i_set1(f_from_bits(NAN_BITS));
    for (size_t i = 0; i < n; i += VL) y_store_part(y + i, nan, lanes_before(i, n));
}
static inline int is_nan_row(const struct row *r) { return !f_is_finite(r->mean) || f_is_nan(r->rstd); }

/* Chunk `at` of a row's results, counted behind the head; the first brings the head along. */
static __attribute__((noinline)) void apply_chunk(const struct row *r, size_t at, size_t length, size_t n)
{
    if (is_nan_row(r)) {
        if (!at) fill_nan(r->y, n);
        return;
    }
    if (!at && r->head) apply_head(r);
    size_t i = r->head + at, end = i + length < n ? i + length : n;
    if (i < end) apply(r, i, end);
}

/* The sums of 1 to GROUP_ROWS rows from `first`, and what comes of them. */
ALWAYS_INLINE void group_scales(struct scales *s, const struct job *j, size_t n, double inverse)
{
    struct group g;
    g.count = s->count;
    size_t k = 0;
    do {
        g.x[k] = row_in(j, s->first + k);
        group_row(&g, k, n, NULL);
    } while (++k < g.count);
    scales_of(s, j, group_moments(&g, n, inverse));
}

static __attribute__((noinline)) void row_results(const struct job *j, const struct scales *s, size_t k, int past)
{
    struct row r = row_of(j, s, k, past);
    apply_chunk(&r, 0, j->n, j->n);
}
ALWAYS_INLINE void group_results(const struct job *j, const struct scales *s, size_t n)
{
    for (size_t k = 0; !s->plain && k < s->count; k++) row_results(j, s, k, 0);
    if (!s->plain) return;
    for (size_t k = 0; k < s->count; k++) {
        struct row r = {s->mean[k], s->rstd[k], s->offset[k], row_in(j, s->first + k), j->gamma, j->beta,
                        row_out(j, s->first + k), 0, 0};
        apply(&r, 0, n);
    }
}
/* While results are written, what comes AHEAD elements later: hardware's reading stops there (AVX2, Zen 3, 262144x128:
 * .40 ns per element without, .28 so; 65536x768: .37, .25). Always inline: gcc takes a function of prefetches for
 * one that does nothing. */
ALWAYS_INLINE void fetch(const element *x, size_t n)
{
    for (size_t i = 0; i < n; i += LINE) __builtin_prefetch(x + i, 0, 2);
}
static __attribute__((noinline)) void group_results_past(const struct job *j, const struct scales *s)
{
    const element *ahead = row_in(j, s->first + AHEAD / j->n);
    for (size_t k = 0; k < s->count; k++, ahead += j->x_stride) {
        struct row r = row_of(j, s, k, 1);
        fetch(ahead, j->n);
        if (s->plain && !r.head) apply(&r, 0, j->n);
        else row_results(j, s, k, 1);
    }
}
/* A long row's, by pieces; of a row beyond AHEAD hardware's own reading is enough (1x16777216: 3 to 7% less). */
static void long_results_past(const struct job *j, const struct scales *s)
{
    enum { PIECE = 128 };
    size_t n = j->n;
    struct row r = row_of(j, s, 0, 1);
    if (n > AHEAD || is_nan_row(&r)) {
        apply_chunk(&r, 0, n, n);
        return;
    }
    const element *ahead = row_in(j, s->first + AHEAD / n);
    if (r.head) apply_head(&r);
    for (size_t i = r.head; i < n; i += PIECE) {
        size_t end = n - i < PIECE ? n : i + PIECE;
        fetch(ahead + i, end - i);
        apply(&r, i, end);
    }
}

static inline void group_at(struct scales *s, const struct job *j, size_t first)
{
    size_t left = first < j->rows ? j->rows - first : 0;
    s->first = first;
    s->count = left < GROUP_ROWS ? left : GROUP_ROWS;
}

/* Each group's sums stand in front of the results of the group before. */
ALWAYS_INLINE void groups(const struct job *j, size_t n)
{
    double inverse = inverse_of(n);
    struct scales a, b, *next = &a, *last = &b;
    last->count = 0;
    for (size_t first = 0; first < j->rows || last->count; first += GROUP_ROWS) {
        group_at(next, j, first);
        if (next->count) group_scales(next, j, n, inverse);
        if (last->count) group_results(j, last, n);
        struct scales *swap = next;
        next = last;
        last = swap;
    }
}

/* Some groups' results right behind their sums: what was read is near, and memory is read and written by
 * turns. Those of 4 to 6 KiB take the least time: a plain loop of turns, sum and streaming store, takes .17 to
 * .18 ns per element there, .20 in lines, .22 with 16 KiB, .28 with 64; so rows of 256 go by six, of 32 by 48. */
enum { TURN = 1536, TURN_GROUPS = 8 };
static __attribute__((noinline)) void groups_past(const struct job *j)
{
    double inverse = inverse_of(j->n);
    size_t rows = TURN / j->n < GROUP_ROWS ? TURN / j->n : GROUP_ROWS, groups = TURN / j->n / rows;
    if (groups > TURN_GROUPS) groups = TURN_GROUPS;
    for (size_t first = 0; first < j->rows;) {
        struct scales s[TURN_GROUPS];
        size_t count = 0;
        for (; count < groups && first < j->rows; first += rows, count++) {
            group_at(&s[count], j, first);
            if (s[count].count > rows) s[count].count = rows;
            for (size_t k = 0; k < s[count].count; k++) prefetch_partial_lines(row_out(j, first + k), j->n);
            group_scales(&s[count], j, j->n, inverse);
        }
        for (size_t g = 0; g < count; g++) group_results_past(j, &s[g]);
    }
}

/* Rows of two registers know it. */
static void short_rows(const struct job *j, int past)
{
    if (past) groups_past(j);
    else if (j->n == 2 * LANES) groups(j, 2 * LANES);
    else groups(j, j->n);
}

/* Several long rows past the caches: a row's sums by turns with the results of the row before, 256 bytes of each, so
 * that memory is read and written all the time. What was read is copied to where the row before was, whose
 * results are made of it just before (4096x4096: .21 ns per element where row followed row, .16 so; 2048x8192:
 * .27, .16). */
struct turn {
    struct row before; /* its x: the buffer */
    size_t next, end;  /* of its results, in steps */
    const float *x;
    float *copy; /* of x */
};

/* What is not whole steps from y's first line on goes first. */
static __attribute__((noinline)) void turn_begin(struct turn *t, const struct row *before, size_t n)
{
    t->before = *before;
    t->next = before->head;
    t->end = n - (n - before->head) % STEP;
    if (is_nan_row(before)) {
        fill_nan(before->y, n);
        t->next = t->end;
        return;
    }
    if (before->head) apply_head(before);
    apply(before, t->end, n);
}
ALWAYS_INLINE void turn_step(void *turn, size_t i)
{
    struct turn *t = turn;
    prefetch_ahead(t->x + i, STEP);
    if (t->next < t->end) {
        apply_knowing(&t->before, 1, t->next, 0);
        t->next += STEP;
    }
    for (size_t k = i; k < i + STEP; k += VL) v_store(t->copy + k, v_load(t->x + k));
}
ALWAYS_INLINE void turn_sums_as(struct turn *turn, size_t n, const float *c, vf e[PARTS], vf q[PARTS])
{
    struct turn t = *turn;
    chunk_sums((const element *)t.x, n, c, 0, turn_step, &t, e, q);
    turn->next = t.next;
}
static __attribute__((noinline)) void turn_sums(struct turn *t, size_t n, vf e[PARTS], vf q[PARTS])
{
    turn_sums_as(t, n, NULL, e, q);
}
static __attribute__((noinline)) void turn_sums_about(struct turn *t, size_t n, float c, vf e[PARTS], vf q[PARTS])
{
    turn_sums_as(t, n, &c, e, q);
}
/* A chunk's, of length `n`. */
static void turn_chunk(struct turn *t, const float *x, float *copy, size_t n, float c, vf e[PARTS], vf q[PARTS])
{
    size_t rest = n % STEP;
    t->x = x;
    t->copy = copy;
    if (f_bits(c)) turn_sums_about(t, n, c, e, q);
    else turn_sums(t, n, e, q);
    if (rest) __builtin_memcpy(copy + n - rest, x + n - rest, rest * sizeof *x);
}
static void long_rows_past(const struct job *j)
{
    float *buffer = scratch_half_page_from_x(j);
    struct turn t = {.next = 0};
    for (size_t r = 0; r < j->rows; r++) {
        const element *x = row_in(j, r);
        struct row_sums sums = row_open(x, j->n);
        prefetch_partial_lines(row_out(j, r), j->n);
        for (size_t at = 0; at < j->n; at += MOMENT_CHUNK) {
            vf e[PARTS], q[PARTS];
            turn_chunk(&t, (const float *)x + at, buffer + at, chunk_length(at, j->n), sums.c, e, q);
            sums.e = wide_add(sums.e, e);
            sums.q = wide_add(sums.q, q);
        }
        struct scales s = {.first = r, .count = 1};
        scales_of(&s, j, row_moments(&sums, x, j->n));
        struct row before = row_of(j, &s, 0, 1);
        before.x = (const element *)buffer;
        turn_begin(&t, &before, j->n);
    }
    if (t.next < t.end) apply(&t.before, t.next, t.end);
}

static void long_row(const struct job *j, size_t r, int past)
{
    const element *x = row_in(j, r);
    struct row_sums sums = row_open(x, j->n);
    if (past) prefetch_partial_lines(row_out(j, r), j->n);
    for (size_t at = 0; at < j->n; at += MOMENT_CHUNK) row_add(&sums, x + at, chunk_length(at, j->n));
    struct scales s;
    s.first = r;
    s.count = 1;
    scales_of(&s, j, row_moments(&sums, x, j->n));
    if (past) long_results_past(j, &s);
    else row_results(j, &s, 0, 0);
}

/* Long rows of which L1 holds several: one's moments, alone, are a chain that nothing fills (AVX2, Zen 3: 768 and 1024
 * elements took 1.2 to 1.45 times as long row by row). Returns the first row that is left. */
static size_t long_groups(const struct job *j)
{
    if (!holds(j, ROW_FITS_L1)) return 0;
    double inverse = inverse_of(j->n);
    size_t rows = 2 * limit_of(j, &conditions[ROW_FITS_L1]) / quantity_of(j, Q_ROW_BYTES), first = 0;
    while (j->rows - first > conditions[TWO_ROWS].limit) {
        struct scales s;
        struct long_group g;
        group_at(&s, j, first);
        if (s.count > rows) s.count = rows;
        g.count = s.count;
        for (size_t k = 0; k < g.count; k++) {
            g.x[k] = row_in(j, first + k);
            long_group_row(&g, k, j->n);
        }
        scales_of(&s, j, long_group_moments(&g, j->n, inverse));
        group_results(j, &s, j->n);
        first += g.count;
    }
    return first;
}

static void run(const struct job *j)
{
    int past = streams_stores(j);
    if (!j->n)
        for (size_t i = 0; j->stats && i < 2 * j->rows; i++) j->stats[i] = f_from_bits(NAN_BITS);
    else if (holds(j, SHORT_ROW)) short_rows(j, past);
    else if (past && holds(j, ENOUGH_NEIGHBOURS) && holds(j, LONG_ENOUGH_TO_PIPELINE)) long_rows_past(j);
    else
        for (size_t r = past ? 0 : long_groups(j); r < j->rows; r++) long_row(j, r, past);
    i_stream_end();
}

/* One row among several threads: its chunks' sums, then each part's share of the results. */
enum { STAGES = 2 };
static void stage(const struct job *j, unsigned stage, size_t part, size_t parts)
{
    int past = streams_stores(j);
    struct share s = share_of(j->n, part, parts);
    struct moments m = {.settled = 0};
    if (stage == 0) {
        if (team_takes(j)) team_sums(j, part, parts);
        return;
    }
    if (team_takes(j)) m = team_moments(j);
    if (!m.settled) {
        if (part == 0) run(j);
        return;
    }
    struct scales scales = {.count = 1};
    struct job quiet = *j; /* the statistics are one part's to write */
    if (part) quiet.stats = NULL;
    scales_of(&scales, &quiet, m);
    struct row row = row_of(j, &scales, 0, past);
    if (s.first < s.end) apply_chunk(&row, s.first, s.end - s.first, j->n);
    i_stream_end();
}

static size_t paths(const struct job *j, struct code_path *out)
{
    size_t count = 0;
    int past = tell_streaming(j, out, &count);
    if (tell_condition(j, SHORT_ROW, out, &count)) return count;
    if (tell_condition(j, past ? ENOUGH_NEIGHBOURS : TWO_ROWS, out, &count)) tell_condition(j, past ? LONG_ENOUGH_TO_PIPELINE : ROW_FITS_L1, out, &count);
    return count;
}

const struct kernel KERNEL = {
    .op = "layernorm", .algorithm = ALGORITHM, .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 8, .bytes = 2 * sizeof(element), .lanes = LANES, .chains = MOMENT_CHAINS,
    .promise = {.specials = true},
    .run = run, .paths = paths, .stages = STAGES, .stage = stage,
    .ops = {.fma = 2, .add = 2},
};
