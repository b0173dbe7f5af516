// SPDX-License-Identifier: MIT
#include "study/experiments.h"

#include <malloc.h>
#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/float_bits.h"
#include "measure/peers.h"
#include "measure/score.h"
#include "measure/team.h"
#include "model/dtype.h"

/* ---- What is tried --------------------------------------------------------------------------- */

/* Lengths that are whole vectors, that have tails of every kind, and one that is several blocks
 * long; behind every length up to four vectors of the widest ISA. */
static const size_t usual_lengths[] = {5, 64, 131, 1021, 8209};
static const size_t long_lengths[] = {127, 128, 129, 131, 255, 256, 257, 1021, 1024, 8209};
enum { EVERY_LENGTH = 67, SEVERAL_BLOCKS = 8209 };
/* The shortest rows on which threads are compared: one thread finishes shorter ones before a second
 * begins. */
enum { SHARED = 131 };
/* Offsets of x and y from multiples of 64 bytes, in elements: aligned to vectors of 4 or 8, or to
 * none; then the rest. */
static const size_t offsets[] = {1, 2, 4, 7, 8, 15, 3, 5, 6, 9, 10, 11, 12, 13, 14};
/* Numbers of rows in a call, around powers of two; those that show most come first, as time may
 * end. */
static const size_t usual_batches[] = {5, 24};
static const size_t deep_batches[] = {1024, 256, 64,  16,  2,   4,   8,   32,  128, 512,
                                      3,    5,   7,   9,   24,  15,  17,  31,  33,  63,
                                      65,   127, 129, 255, 257, 511, 513, 768, 1023};
enum { USUAL_ROWS = 24, DEEP_ROWS = 1024, FEW_ROWS = 4, PARTED_ROWS = 256 };
static const int usual_threads[] = {2, 6}, deep_threads[] = {64, 2, 6};
enum { MANY_THREADS = 64 };
#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

/* Elements of a line: calls are whole lines apart, multiples of 64 bytes in every type. */
enum { LINE = 32 };

/* ---- Calls ----------------------------------------------------------------------------------- */

struct question {
    const struct kernel *k;
    const struct dtype *type, *ytype; /* of x and y in memory */
    size_t n, columns;                /* of a row of y */
    size_t parts;                     /* operands that a row of x is cut into */
    size_t rows;
    float eps;
    float *x;            /* [rows, n] */
    float *gamma, *beta; /* [n]; NULL where the operation takes none */
    float *want;         /* [rows, columns]: one row per call, at 64 bytes */
};

/* The ways of calling a kernel, on which no result may depend. */
struct manner {
    size_t batch, parts;            /* rows per call; or the calls that the rows are parted in */
    size_t x_offset, y_offset, gap; /* elements before the first row, and between rows */
    int threads;                    /* 0: as many as 1 */
    bool last_first;                /* the calls in the reverse order */
    bool reversed;                  /* the rows of a call in the reverse order */
    bool in_place;                  /* y == x */
    unsigned times;                 /* how often each call is made; 0: once */
    float around;                   /* what stands around the rows */
};

static void *allocate(size_t floats)
{
    const size_t bytes = (floats * sizeof(float) + 127) / 64 * 64;
    void *p = aligned_alloc(64, bytes);
    if (!p) abort(); /* it is a child, whose status says so */
    return memset(p, 0, bytes);
}

/* Returns elements of that type, all of one value. */
static char *allocate_filled(size_t count, const struct dtype *type, float value)
{
    char *all = allocate(count);
    if (value == 0) return all;
    for (size_t i = 0; i < count; i++) type->narrow(&value, all + i * type->bytes, 1);
    return all;
}

static size_t first_row(const struct question *q, const struct manner *m, size_t call)
{
    const size_t row = m->parts ? q->rows * call / m->parts : call * m->batch;
    return row < q->rows ? row : q->rows;
}

static struct job job_of(const struct question *q, size_t rows, void *x, void *y, float *scratch)
{
    return (struct job){.rows = rows,
                        .n = q->n,
                        .x = x,
                        .x_stride = q->n,
                        .y = y,
                        .y_stride = q->columns,
                        .scale = 1,
                        .log_output = q->k->log_output,
                        .eps = q->eps,
                        .gamma = q->gamma,
                        .beta = q->beta,
                        .scratch = scratch};
}

/* Computes all rows in that manner. y: [rows, columns] */
static void compute(const struct question *q, const struct manner *m, float *y)
{
    const size_t calls = m->parts ? m->parts : (q->rows + m->batch - 1) / m->batch;
    const size_t most = m->parts ? q->rows / m->parts + 1 : m->batch;
    const size_t xs = q->n + m->gap, ys = q->columns + m->gap;
    const size_t x_room = (most * xs / LINE + 2) * LINE, y_room = (most * ys / LINE + 2) * LINE;
    const size_t xb = q->type->bytes, yb = q->ytype->bytes;
    char *x = allocate_filled(calls * x_room + m->x_offset, q->type, m->around);
    char *out =
        m->in_place ? x : allocate_filled(calls * y_room + m->y_offset, q->ytype, m->around);
    const size_t out_room = m->in_place ? x_room : y_room;
    const size_t out_offset = m->in_place ? m->x_offset : m->y_offset;
    for (int copy_out = 0; copy_out < 2; copy_out++) {
        for (size_t c = 0; c < calls; c++) {
            const size_t from = first_row(q, m, c), end = first_row(q, m, c + 1);
            for (size_t r = from; r < end; r++) {
                const size_t at = m->reversed ? end - 1 - r : r - from;
                if (copy_out)
                    q->ytype->widen(out + (out_offset + c * out_room + at * ys) * yb,
                                    y + r * q->columns, q->columns);
                else
                    q->type->narrow(q->x + r * q->n, x + (m->x_offset + c * x_room + at * xs) * xb,
                                    q->n);
            }
        }
        if (copy_out) break;
#pragma omp parallel num_threads(m->threads) if (m->threads > 1)
        {
            float *scratch = allocate(2 * q->n + 256);
#pragma omp for schedule(dynamic, 1)
            for (size_t i = 0; i < calls; i++) {
                const size_t c = m->last_first ? calls - 1 - i : i;
                const size_t rows = first_row(q, m, c + 1) - first_row(q, m, c);
                struct job job = job_of(q, rows, x + (m->x_offset + c * x_room) * xb,
                                        out + (out_offset + c * out_room) * yb, scratch);
                job.x_stride = xs;
                job.y_stride = ys;
                for (unsigned k = 0; rows && (!k || k < m->times); k++) q->k->run(&job);
            }
            free(scratch);
        }
    }
    if (!m->in_place) free(out);
    free(x);
}

/* ---- One experiment -------------------------------------------------------------------------- */

struct asking {
    const struct experiments_plan *plan;
    const struct finding *earlier;
    struct finding *f;
    double end_s;
    struct question q;
    size_t compared;   /* how many rows */
    size_t longest;    /* the elements of the longest row so far */
    double farthest;   /* how far the rows of this length differ at most; below 0: none does */
    char witness[120]; /* the first difference */
};

/* Returns this process's time on all processors, in seconds: other programs do not matter. */
static double worked_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_late(struct asking *a)
{
    if (a->plan->deep && !a->f->cut_at && worked_s() > a->end_s) a->f->cut_at = a->longest;
    return a->f->cut_at > 0;
}

static bool showed(const struct asking *a, enum experiment e)
{
    return a->earlier[e].answer == ANSWER_NO;
}

static void forget(struct question *q)
{
    free(q->x);
    free(q->gamma);
    free(q->beta);
    free(q->want);
    q->x = q->gamma = q->beta = q->want = NULL;
}

static const struct manner alone = {.batch = 1};

/* Makes rows of that length, and computes their results as `want`. */
static void take_rows(struct asking *a, size_t n, size_t rows)
{
    const struct experiments_plan *p = a->plan;
    const struct oracle *op = p->oracle;
    const struct dtype *type = dtype_of(p->kernel);
    struct question *q = &a->q;
    if (n > a->longest) a->longest = n;
    if (p->at) *p->at = n;
    a->farthest = -1;
    forget(q);
    *q = (struct question){.k = p->kernel,
                           .type = type,
                           .ytype = op->elementwise ? type : &dtype_f32,
                           .n = n,
                           .columns = oracle_results(op, n),
                           .parts = 1,
                           .rows = rows,
                           .eps = p->eps > 0 ? p->eps : parameters_default.eps};
    if (op->elementwise && op->results && q->columns && n % q->columns == 0)
        q->parts = n / q->columns;
    q->x = allocate(rows * n);
    if (oracle_is_affine(op)) q->gamma = allocate(n);
    q->beta = allocate(n);
    if (q->gamma) inputs_affine(n, q->gamma, q->beta);
    if (!oracle_has_beta(op)) free(q->beta), q->beta = NULL;
    for (size_t r = 0; r < rows; r++)
        inputs_row(FAMILY_NORMAL, op->domain, p->seed, r, n, q->x + r * n);
    q->want = allocate(rows * q->columns);
    compute(q, &alone, q->want);
}

static size_t usual_rows(const struct asking *a)
{
    return a->plan->deep ? FEW_ROWS : USUAL_ROWS;
}

/* Returns length i of those that are tried; 0 behind the last. */
static size_t length_at(const struct asking *a, size_t i)
{
    size_t n = 0;
    if (!a->plan->deep)
        n = i < COUNT_OF(usual_lengths) ? usual_lengths[i] : 0;
    else if (i < COUNT_OF(long_lengths) + EVERY_LENGTH)
        n = i < EVERY_LENGTH ? i + 1 : long_lengths[i - EVERY_LENGTH];
    return n <= a->plan->longest ? n : 0;
}

/* Makes rows of the next length; returns false behind the last, and if the time is spent. */
static bool next_rows(struct asking *a, size_t *next)
{
    const size_t n = length_at(a, (*next)++);
    if (a->plan->deep)
        snprintf(a->f->lengths, sizeof a->f->lengths, "every n from 1 to %d, and some up to %zu",
                 EVERY_LENGTH, a->plan->longest);
    else
        snprintf(a->f->lengths, sizeof a->f->lengths, "some n up to %zu", a->plan->longest);
    if (!n || is_late(a)) return false;
    take_rows(a, n, usual_rows(a));
    return true;
}

/* Concludes that bits depend on something; adds the first difference to the words. */
__attribute__((format(printf, 3, 4))) static void conclude(struct asking *a, const char *cause,
                                                           const char *format, ...)
{
    struct finding *f = a->f;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->words, sizeof f->words, format, arguments);
    va_end(arguments);
    const size_t used = strlen(f->words);
    if (a->witness[0]) snprintf(f->words + used, sizeof f->words - used, " (%s)", a->witness);
    snprintf(f->cause, sizeof f->cause, "%s", cause);
    f->answer = ANSWER_NO;
}

static void leave(struct finding *f, const char *why)
{
    snprintf(f->words, sizeof f->words, "%s", why);
    f->answer = ANSWER_NONE;
}

static void take_witness(struct asking *a, size_t row, size_t element, float got, float want)
{
    if (a->witness[0]) return;
    snprintf(a->witness, sizeof a->witness, "n = %zu, element %zu of row %zu: %a, not %a", a->q.n,
             element, row, (double)got, (double)want);
}

/* Returns the distance of two results that differ in bits: relative, if rounding cannot make the
 * result zero; infinite if only one of them is a number. */
static double distance_of_results(const struct asking *a, float got, float want)
{
    if (got == want || (isnan(got) && isnan(want))) return 0;
    const double off = fabs((double)got - (double)want);
    if (!isfinite(off)) return INFINITY;
    return a->plan->oracle->sign_certain ? off / fmax(fabs((double)want), 0x1p-126) : off;
}

static struct parameters parameters_of(const struct question *q)
{
    struct parameters p = parameters_default;
    p.eps = q->eps;
    p.gamma = q->gamma;
    p.beta = q->beta;
    return p;
}

/* Holds a row that differs by `off` against the oracle, unless another one of its length differs by
 * as much: what both calls gave, as either may be the wrong one. other: NULL where it is no row. */
static void hold(struct asking *a, double off, const float *x, size_t n, const float *got,
                 const float *other)
{
    const struct parameters p = parameters_of(&a->q);
    if (off <= a->farthest) return;
    a->farthest = off;
    for (const float *y = got; y; y = y == got ? other : NULL) {
        struct faults f = {0};
        faults_add_row(&f, a->plan->oracle, a->q.ytype, &p, x, n, y);
        const size_t wrong = f.wrong - f.answered;
        if (!a->f->worst_n || (!a->f->wrong && (wrong || f.error > a->f->error))) a->f->worst_n = n;
        a->f->error = fmax(a->f->error, f.error);
        a->f->wrong += wrong;
    }
}

/* Compares a row's results in two calls; a witness is taken and the row is held where bits differ.
 */
static bool is_same_row(struct asking *a, size_t row, size_t n, size_t columns, const float *got,
                        const float *want)
{
    double off = 0;
    if (!memcmp(got, want, columns * sizeof *got)) return true;
    for (size_t i = 0; i < columns; i++) {
        if (bits_of_float(got[i]) == bits_of_float(want[i])) continue;
        take_witness(a, row, i, got[i], want[i]);
        off = fmax(off, distance_of_results(a, got[i], want[i]));
    }
    hold(a, off, a->q.x + row * a->q.n, n, got, want);
    return false;
}

static bool is_same(struct asking *a, const float *got, const float *want)
{
    const size_t columns = a->q.columns;
    bool same = true;
    a->compared += a->q.rows;
    for (size_t r = 0; r < a->q.rows; r++)
        same &= is_same_row(a, r, a->q.n, columns, got + r * columns, want + r * columns);
    return same;
}

/* Returns whether the rows have the same bits in that manner as in `want`. */
static bool agrees_with(struct asking *a, const float *want, const struct manner *m)
{
    float *got = allocate(a->q.rows * a->q.columns);
    compute(&a->q, m, got);
    const bool same = is_same(a, got, want);
    free(got);
    return same;
}

static bool agrees(struct asking *a, const struct manner *m)
{
    return agrees_with(a, a->q.want, m);
}

/* Sizes that were tried, and those at which bits differ. */
struct sizes_tried {
    size_t value[80];
    bool differs[80];
    size_t count;
};

/* Adds a size, or whether it differs again. */
static void note_size(struct sizes_tried *s, size_t value, bool differs)
{
    size_t i = 0;
    while (i < s->count && s->value[i] != value) i++;
    if (i == s->count && s->count < COUNT_OF(s->value)) s->value[s->count++] = value;
    if (i < s->count) s->differs[i] |= differs;
}

/* Writes at which sizes bits differ: "256 and more", where all from there on do, or each. */
static void name_sizes(const struct sizes_tried *s, char *text, size_t size)
{
    size_t least = SIZE_MAX, used = 0, shown = 0;
    bool all_from = true;
    for (size_t i = 0; i < s->count; i++)
        if (s->differs[i] && s->value[i] < least) least = s->value[i];
    for (size_t i = 0; i < s->count; i++) all_from &= s->differs[i] == (s->value[i] >= least);
    text[0] = '\0';
    if (all_from) snprintf(text, size, "%zu and more", least);
    for (size_t v = 0; !all_from && v <= DEEP_ROWS; v++)
        for (size_t i = 0; i < s->count && used + 24 < size; i++)
            if (s->value[i] == v && s->differs[i] && shown++ < 6)
                used += (size_t)snprintf(text + used, size - used, "%s%zu%s", used ? ", " : "", v,
                                         shown == 6 ? " .." : "");
}

/* ---- The experiments ------------------------------------------------------------------------- */

static void vary_run(struct asking *a)
{
    static const struct manner manners[] = {
        {.batch = 1}, {.batch = 1, .times = 2}, {.batch = 1, .last_first = true}};
    /* The length of rows that come back when all others were called. */
    const size_t again = a->plan->longest < 5 ? a->plan->longest : 5;
    bool same = true;
    size_t next = 0;
    take_rows(a, again, usual_rows(a));
    const size_t bytes = a->q.rows * a->q.columns * sizeof(float);
    float *first = memcpy(allocate(bytes / sizeof *first), a->q.want, bytes);
    while (next_rows(a, &next))
        for (size_t k = 0; k < COUNT_OF(manners); k++) same &= agrees(a, &manners[k]);
    take_rows(a, again, usual_rows(a));
    same &= is_same(a, a->q.want, first);
    free(first);
    if (!same) conclude(a, "state", "it keeps state: the same call gives other bits");
}

/* Rows with a gap between them beside rows without one, in one call. */
static bool agrees_with_gap(struct asking *a)
{
    float *want = allocate(a->q.rows * a->q.columns);
    compute(&a->q, &(struct manner){.batch = a->q.rows}, want);
    const bool same = agrees_with(a, want, &(struct manner){.batch = a->q.rows, .gap = LINE});
    free(want);
    return same;
}

static void vary_position(struct asking *a)
{
    static const char *const whose[] = {"x and y", "x alone", "y alone"};
    const size_t count = a->plan->deep ? COUNT_OF(offsets) : 6, ways = a->plan->deep ? 3 : 1;
    const char *which = NULL;
    bool stride = true;
    size_t next = 0;
    while (next_rows(a, &next)) {
        for (size_t k = 0; k < count * ways && !is_late(a); k++) {
            const size_t off = offsets[k / ways], way = k % ways;
            const struct manner m = {
                .batch = 1, .x_offset = way == 2 ? 0 : off, .y_offset = way == 1 ? 0 : off};
            if (!agrees(a, &m) && !which) which = whose[way];
        }
        if (!which && a->q.n % LINE == 0) stride &= agrees_with_gap(a);
    }
    snprintf(a->f->tried, sizeof a->f->tried, "x and y 4 to 60 bytes off 64%s, rows with gaps",
             a->plan->deep ? ", each alone too" : "");
    if (which)
        conclude(a, "position",
                 "where a row stands in memory: other bits with %s off 64 bytes, as of a loop that "
                 "peels to alignment",
                 which);
    else if (!stride)
        conclude(a, "stride", "how far rows are apart in memory");
}

/* ---- The place in the row -------------------------------------------------------------------- */

/* Patterns that rows repeat: the first is short enough for rows of one vector. */
static const size_t patterns[] = {3, 37};

struct places {
    bool within[5]; /* all that differ are behind the last whole block of so many elements */
    bool twice;     /* all are the function of what the function gives */
    bool by_right;  /* the reference has other results there, too */
};
static const size_t blocks[] = {4, 8, 16, 32, 64};
static const struct places no_place_yet = {{true, true, true, true, true}, true, false};

/* Makes x[i] = x[i mod period] in every operand, and the parameters alike. */
static void repeat(struct question *q, size_t period)
{
    const size_t m = q->n / q->parts;
    float *const parameters[] = {q->gamma, q->beta};
    for (size_t r = 0; r < q->rows * q->parts; r++)
        for (size_t i = period; i < m; i++) q->x[r * m + i] = q->x[r * m + i % period];
    for (size_t k = 0; k < 2; k++)
        for (size_t i = period; parameters[k] && i < q->n; i++)
            parameters[k][i] = parameters[k][i % period];
}

/* Returns whether the reference gives equal elements of the first row unequal results. */
static bool is_by_right(const struct asking *a, size_t period)
{
    const struct question *q = &a->q;
    const struct oracle *op = a->plan->oracle;
    const struct parameters p = parameters_of(q);
    struct oracle_row facts = {0};
    double *y = (double *)allocate(2 * (oracle_values(op, q->n) + 4));
    op->row(q->x, q->n, &p, y, &facts);
    bool differs = false;
    for (size_t i = period; i < q->columns; i++) {
        const double one = y[i], other = y[i % period];
        differs |= fabs(one - other) > 1e-9 * fmax(fabs(one), fabs(other));
    }
    free(y);
    return differs;
}

/* Returns what the function gives for its own results: [columns] of the row. */
static void apply_again(const struct question *q, size_t row, float *y)
{
    struct question again = *q;
    again.rows = 1;
    again.x = q->want + row * q->columns;
    compute(&again, &alone, y);
}

/* Looks at each element of `got` that has other bits than it should: `want[i % period]` of its row,
 * or where there is no period, as in place, want[i]. Rows in place are not held. */
static void look_at_places(struct asking *a, const float *got, const float *want, size_t period,
                           struct places *p)
{
    const struct question *q = &a->q;
    const bool may_repeat = a->plan->oracle->unary && q->columns == q->n;
    float *again = allocate(q->columns);
    a->compared += q->rows;
    for (size_t r = 0; r < q->rows; r++) {
        bool applied = false;
        double off = -1;
        for (size_t i = 0; i < q->columns; i++) {
            const float is = got[r * q->columns + i],
                        should = want[r * q->columns + (period ? i % period : i)];
            if (bits_of_float(is) == bits_of_float(should)) continue;
            take_witness(a, r, i, is, should);
            off = fmax(off, distance_of_results(a, is, should));
            for (size_t k = 0; k < COUNT_OF(blocks); k++)
                p->within[k] &= i >= q->columns - q->columns % blocks[k];
            if (may_repeat && !applied) apply_again(q, r, again);
            applied = true;
            p->twice &=
                may_repeat && bits_of_float(again[period ? i % period : i]) == bits_of_float(is);
        }
        if (period) hold(a, off, q->x + r * q->n, q->n, got + r * q->columns, NULL);
    }
    free(again);
}

static void vary_tail(struct asking *a)
{
    struct places p = no_place_yet;
    size_t next = 0, block = 0;
    if (!a->plan->oracle->elementwise)
        return leave(a->f, "each row has its own results, not its elements");
    while (!p.by_right && next_rows(a, &next))
        for (size_t k = 0; k < COUNT_OF(patterns) && !p.by_right; k++) {
            if (k) take_rows(a, a->q.n, a->q.rows);
            if (a->plan->oracle->results && a->q.parts == 1) continue;
            if (patterns[k] >= a->q.columns) continue;
            repeat(&a->q, patterns[k]);
            if (a->plan->oracle->row && is_by_right(a, patterns[k])) p.by_right = true;
            compute(&a->q, &alone, a->q.want);
            if (!p.by_right) look_at_places(a, a->q.want, a->q.want, patterns[k], &p);
        }
    snprintf(a->f->tried, sizeof a->f->tried, "every place in the row");
    if (p.by_right)
        return leave(a->f, "the reference's results depend on the place in the row, too");
    if (!a->witness[0]) return;
    while (block < COUNT_OF(blocks) && !p.within[block]) block++;
    if (p.twice)
        conclude(a, "twice",
                 "the tail: its function is applied twice there, as where a last vector overlaps "
                 "the one before");
    else if (block < COUNT_OF(blocks))
        conclude(a, "tail",
                 "the tail: behind the last whole %zu elements other code computes other bits",
                 blocks[block]);
    else
        conclude(a, "place", "the place in the row");
}

/* ---- Several rows ---------------------------------------------------------------------------- */

/* Makes rows whose sums are exact in any order, and whose exponentials are 1 and 0: one half of
 * each is 0, the other -128. */
static void take_exact_rows(struct asking *a, size_t n, size_t rows)
{
    take_rows(a, n, rows);
    a->farthest = INFINITY; /* these rows show a cause, and not how far off results are */
    for (size_t r = 0; r < rows; r++) {
        float *x = a->q.x + r * n;
        for (size_t i = 0; i < n; i++) x[i] = (i * 7 + r) % 2 ? -128.0F : 0.0F;
    }
    compute(&a->q, &alone, a->q.want);
}

/* Returns "reduction" if rows whose sums are exact do not differ at that batch: then the order of a
 * sum is the cause. Else returns "code". */
static const char *cause_of_batch(struct asking *a, size_t n, size_t batch)
{
    const struct oracle *op = a->plan->oracle;
    if (op->unary || op->domain == DOMAIN_POSITIVE || op->domain == DOMAIN_NORMAL_TAIL ||
        n & (n - 1))
        return "code";
    take_exact_rows(a, n, batch < DEEP_ROWS ? 2 * batch : batch);
    return agrees(a, &(struct manner){.batch = batch}) ? "reduction" : "code";
}

static void vary_batch(struct asking *a)
{
    static const size_t lengths[] = {64, 5, 131, 1024, 8209};
    const bool deep = a->plan->deep;
    const size_t *batches = deep ? deep_batches : usual_batches;
    const size_t count = deep ? COUNT_OF(deep_batches) : COUNT_OF(usual_batches);
    struct sizes_tried s = {.count = 0};
    size_t at_n = 0, at_batch = 0, most = 0;
    char sizes[80];
    for (size_t i = 0; i < COUNT_OF(lengths) && !is_late(a); i++) {
        const size_t n = lengths[i];
        /* Rows behind the first stand elsewhere, unless they are whole lines. */
        if (n > a->plan->longest || (n % LINE && showed(a, EXPERIMENT_POSITION))) continue;
        take_rows(a, n, !deep ? USUAL_ROWS : n > 131 ? 256 * 1024 / n : DEEP_ROWS);
        for (size_t k = 0; k < count && !is_late(a); k++) {
            if (batches[k] > a->q.rows) continue;
            const bool same = agrees(a, &(struct manner){.batch = batches[k]});
            note_size(&s, batches[k], !same);
            if (batches[k] > most) most = batches[k];
            if (!same && (!at_n || batches[k] < at_batch)) at_n = n, at_batch = batches[k];
        }
    }
    snprintf(a->f->tried, sizeof a->f->tried, "up to %zu rows in a call (%zu sizes)", most,
             s.count);
    snprintf(a->f->lengths, sizeof a->f->lengths, "5 to %zu", a->plan->longest);
    if (!at_n) return;
    name_sizes(&s, sizes, sizeof sizes);
    const char *cause = cause_of_batch(a, at_n, at_batch);
    conclude(a, cause, "the number of rows in a call: other bits at %s rows%s", sizes,
             strcmp(cause, "reduction")
                 ? ""
                 : ", by another order of a reduction: where sums are exact they agree");
}

/* Returns whether the first rows have the same bits if each is shared among all threads. */
static bool agrees_as_team(struct asking *a, unsigned threads)
{
    const struct question *q = &a->q;
    enum { ROWS = 2 };
    float *x = allocate(q->n), *out = allocate(q->columns), *scratch = allocate(2 * q->n + 256);
    float *got = allocate(q->columns);
    struct gate *gates = gates_open(threads);
    bool same = true;
    if (!gates) abort();
    for (size_t r = 0; r < ROWS && r < q->rows; r++) {
        q->type->narrow(q->x + r * q->n, x, q->n);
        struct job row = job_of(q, 1, x, out, NULL);
#pragma omp parallel num_threads(threads)
        team_part(gates, q->k, &row, scratch);
        q->ytype->widen(out, got, q->columns);
        same &= is_same_row(a, r, q->n, q->columns, got, q->want + r * q->columns);
    }
    gates_close(gates);
    free(x);
    free(out);
    free(scratch);
    free(got);
    return same;
}

/* Returns whether one row has the same bits if it is computed in parts of whole lines. */
static bool agrees_in_parts(struct asking *a, size_t parts)
{
    struct question q = a->q;
    const size_t lines = q.n / LINE;
    float *got = allocate(q.n);
    q.rows = 1;
    for (size_t p = 0; p < parts; p++) {
        const size_t from = lines * p / parts * LINE, end = lines * (p + 1) / parts * LINE;
        q.x = a->q.x + from;
        q.n = q.columns = end - from;
        if (q.n) compute(&q, &alone, got + from);
    }
    const bool same = is_same_row(a, 0, lines * LINE, lines * LINE, got, a->q.want);
    free(got);
    return same;
}

static void vary_threads(struct asking *a)
{
    static const size_t lengths[] = {SHARED, 1021, 1024, SEVERAL_BLOCKS};
    const bool deep = a->plan->deep, whole = showed(a, EXPERIMENT_BATCH);
    const int *threads = deep ? deep_threads : usual_threads;
    const size_t count = deep ? COUNT_OF(deep_threads) : COUNT_OF(usual_threads);
    const int before = omp_get_max_threads();
    struct sizes_tried s = {.count = 0};
    bool of_length = false;
    char sizes[80];
    for (size_t i = 0; i < COUNT_OF(lengths) && lengths[i] <= a->plan->longest && !is_late(a);
         i++) {
        const size_t n = lengths[i];
        if (n % LINE && showed(a, EXPERIMENT_POSITION)) continue;
        take_rows(a, n, !deep ? USUAL_ROWS : n > SHARED ? MANY_THREADS : PARTED_ROWS);
        for (size_t k = 0; k < count && !is_late(a); k++) {
            const int t = threads[k];
            const struct manner m = {.batch = 1, .parts = whole ? 0 : (size_t)t, .threads = t};
            note_size(&s, (size_t)t, !agrees(a, &m));
        }
        /* Only the partition matters: its parts are computed one after another, by a function that
         * may use so many threads itself. */
        for (int t = MANY_THREADS; deep && n == SHARED && t >= 1 && !is_late(a); t--) {
            omp_set_num_threads(t);
            const struct manner m = {.batch = 1, .parts = whole ? 0 : (size_t)t};
            note_size(&s, (size_t)t, !agrees(a, &m));
        }
        omp_set_num_threads(before);
        for (size_t k = 0; n >= SEVERAL_BLOCKS && a->plan->kernel->stages && k < count; k++)
            note_size(&s, (size_t)threads[k], !agrees_as_team(a, (unsigned)threads[k]));
        for (size_t t = 2; deep && a->plan->oracle->unary && n >= 1024 && t <= MANY_THREADS; t++)
            of_length |= !agrees_in_parts(a, t);
    }
    snprintf(a->f->tried, sizeof a->f->tried, "%s%s",
             deep ? "parts for 1 to 64 threads, and 2, 6 and 64 at once" : "2 and 6 threads",
             whole ? ", a row per call" : "");
    snprintf(a->f->lengths, sizeof a->f->lengths, "131 to %zu", a->plan->longest);
    if (!a->witness[0]) return;
    name_sizes(&s, sizes, sizeof sizes);
    if (of_length)
        conclude(a, "length",
                 "how many elements a call has, whole vectors of them: a row parted among threads "
                 "has other bits");
    else
        conclude(a, "threads", "the number of threads: other bits with %s", sizes);
}

static void vary_beside(struct asking *a)
{
    static const float values[] = {NAN, INFINITY, -3e38F, 0};
    static const size_t lengths[] = {64, 5};
    enum { ROWS = 16 };
    static const size_t kept[] = {0, 7, ROWS - 1};
    const bool together = !showed(a, EXPERIMENT_BATCH);
    bool around = true, rows = true;
    for (size_t i = 0; i < COUNT_OF(lengths) && lengths[i] <= a->plan->longest; i++) {
        const size_t n = lengths[i];
        take_rows(a, n, ROWS);
        for (size_t v = 0; v < COUNT_OF(values); v++)
            around &= agrees(a, &(struct manner){.batch = 1, .around = values[v]});
        if (!together || (n % LINE && showed(a, EXPERIMENT_POSITION))) continue;
        float *got = allocate(ROWS * a->q.columns);
        for (size_t k = 0; k < COUNT_OF(kept) * COUNT_OF(values); k++) {
            const size_t row = kept[k / COUNT_OF(values)];
            for (size_t j = 0; j < ROWS * n; j++)
                if (j / n != row) a->q.x[j] = values[k % COUNT_OF(values)];
            compute(&a->q, &(struct manner){.batch = ROWS}, got);
            rows &= is_same_row(a, row, n, a->q.columns, got + row * a->q.columns,
                                a->q.want + row * a->q.columns);
            for (size_t r = 0; r < ROWS; r++)
                inputs_row(FAMILY_NORMAL, a->plan->oracle->domain, a->plan->seed, r, n,
                           a->q.x + r * n);
        }
        free(got);
    }
    snprintf(a->f->tried, sizeof a->f->tried, "NaN, infinity, -3e38 and 0 around a row%s",
             together ? ", and in the other 15 of a call" : "");
    if (!around)
        conclude(a, "beside",
                 "what stands in memory beside a row: it reads elements that are not its own");
    else if (!rows)
        conclude(a, "beside", "the values in the rows beside it in a call");
}

static void vary_order(struct asking *a)
{
    const size_t n = 64;
    if (n > a->plan->longest) return leave(a->f, "its rows are shorter than 64");
    take_rows(a, n, USUAL_ROWS);
    compute(&a->q, &(struct manner){.batch = USUAL_ROWS}, a->q.want);
    if (!agrees(a, &(struct manner){.batch = USUAL_ROWS, .reversed = true}))
        conclude(a, "order", "the order of the rows in a call");
}

static void vary_in_place(struct asking *a)
{
    const struct oracle *op = a->plan->oracle;
    struct places p = no_place_yet;
    size_t next = 0;
    if (!op->elementwise || op->results) return leave(a->f, "y is no row as x is");
    while (next_rows(a, &next)) {
        float *got = allocate(a->q.rows * a->q.n);
        compute(&a->q, &(struct manner){.batch = 1, .in_place = true}, got);
        look_at_places(a, got, a->q.want, 0, &p);
        free(got);
    }
    if (!a->witness[0]) return;
    if (p.twice)
        conclude(a, "twice",
                 "y == x: its function is applied twice in the last vector, which overlaps the one "
                 "before");
    else
        conclude(a, "in place", "y == x: other results");
}

static void try_empty(struct asking *a)
{
    enum { ROOM = 64 };
    if (!a->plan->oracle->elementwise) return leave(a->f, "a row of no elements has a result");
    struct question q = {
        .k = a->plan->kernel, .type = dtype_of(a->plan->kernel), .eps = parameters_default.eps};
    q.ytype = q.type;
    static _Alignas(64) float x[ROOM], y[ROOM], scratch[256], affine[ROOM];
    bool written = false;
    for (size_t i = 0; i < ROOM; i++) y[i] = 1.25F;
    if (oracle_is_affine(a->plan->oracle)) q.gamma = affine;
    if (oracle_has_beta(a->plan->oracle)) q.beta = affine;
    struct job job = job_of(&q, 1, x + ROOM / 2, y + ROOM / 2, scratch);
    q.k->run(&job);
    a->compared = 1;
    for (size_t i = 0; i < ROOM; i++) written |= y[i] != 1.25F;
    if (written) conclude(a, "written", "n = 0: it writes elements that are not there");
}

/* ---- The table ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool usual;
    void (*make)(struct asking *);
    const char *tried; /* finding.tried; NULL: the function writes it */
} experiments[EXPERIMENTS] = {
    [EXPERIMENT_RUN] = {"run", true, vary_run, "the same call 4 times, forwards and backwards"},
    [EXPERIMENT_POSITION] = {"row_position", true, vary_position, NULL},
    [EXPERIMENT_TAIL] = {"tail", true, vary_tail, NULL},
    [EXPERIMENT_BATCH] = {"batch", true, vary_batch, NULL},
    [EXPERIMENT_THREADS] = {"threads", true, vary_threads, NULL},
    [EXPERIMENT_BESIDE] = {"beside", false, vary_beside, NULL},
    [EXPERIMENT_ORDER] = {"order", false, vary_order, "24 rows of a call in another order"},
    [EXPERIMENT_IN_PLACE] = {"in_place", false, vary_in_place, "y == x"},
    [EXPERIMENT_EMPTY] = {"empty", false, try_empty, "n = 0"},
};

const char *experiment_name(enum experiment e)
{
    return experiments[e].name;
}

bool experiment_is_usual(enum experiment e)
{
    return experiments[e].usual;
}

struct finding experiment_make(const struct experiments_plan *plan, enum experiment e,
                               const struct finding earlier[EXPERIMENTS])
{
    struct finding f = {.answer = ANSWER_YES};
    struct asking a = {
        .plan = plan, .earlier = earlier, .f = &f, .end_s = worked_s() + plan->seconds};
    /* Keeps pages of freed arrays, as each call allocates them anew. */
    mallopt(M_MMAP_THRESHOLD, 1 << 28);
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    kernel_construct(plan->kernel);
    if (dtype_of(plan->kernel) == &dtype_f64)
        leave(&f, "not asked of kernels in double");
    else if (e != EXPERIMENT_RUN && e != EXPERIMENT_EMPTY && showed(&a, EXPERIMENT_RUN))
        leave(&f, "not asked: results differ from run to run");
    else
        experiments[e].make(&a);
    if (experiments[e].tried && f.answer != ANSWER_NONE)
        snprintf(f.tried, sizeof f.tried, "%s", experiments[e].tried);
    if (f.cut_at)
        snprintf(f.tried + strlen(f.tried), sizeof f.tried - strlen(f.tried),
                 " (no rows beyond n = %zu: its time was spent)", f.cut_at);
    if (f.answer == ANSWER_YES && !a.compared) leave(&f, "nothing was compared");
    forget(&a.q);
    return f;
}
