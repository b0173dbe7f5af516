// SPDX-License-Identifier: MIT
#include "study/invariance.h"

#include <stdlib.h>
#include <string.h>

#include "measure/construct.h"
#include "measure/team.h"
#include "model/dtype.h"

/* Lengths that are whole vectors, that have tails of every kind, and one that is several blocks
 * long. */
static const size_t lengths[] = {5, 64, 131, 1021, 8209};
enum { ROWS = 24, PATTERN = 37, MANY_THREADS = 6 };
/* The shortest rows on which threads are compared: shorter ones are done before a second thread
 * begins. */
enum { SHARED = 131, SEVERAL_BLOCKS = 8209 };
/* Offsets in elements: parts of vectors of 4, 8 and 16, whole ones, and one that is aligned to none
 * of them. */
static const size_t offsets[] = {1, 2, 4, 7, 8, 15};

struct question {
    const struct kernel *k;
    const struct dtype *type, *ytype; /* of x and y in memory */
    size_t n, columns;                /* of a row of y */
    const float *x;                   /* [ROWS, n] */
    const float *gamma, *beta;        /* [n]; NULL where the operation takes none */
};

/* The ways of calling a kernel, on which no result may depend. */
struct manner {
    int threads;
    size_t batch;         /* rows per call */
    size_t offset, extra; /* elements before the first row, and between rows */
};

static void *allocate(size_t floats)
{
    void *p = aligned_alloc(64, (floats * sizeof(float) + 127) / 64 * 64);
    if (!p) abort(); /* a child: its status says so */
    memset(p, 0, (floats * sizeof(float) + 127) / 64 * 64);
    return p;
}

/* y: [ROWS, columns] */
static void compute_rows(const struct question *q, struct manner m, float *y)
{
    size_t x_stride = q->n + m.extra, y_stride = q->columns + m.extra;
    size_t x_bytes = q->type->bytes, y_bytes = q->ytype->bytes;
    char *x = allocate(m.offset + ROWS * x_stride), *out = allocate(m.offset + ROWS * y_stride);
    for (size_t r = 0; r < ROWS; r++)
        q->type->narrow(q->x + r * q->n, x + (m.offset + r * x_stride) * x_bytes, q->n);
#pragma omp parallel for schedule(dynamic, 1) num_threads(m.threads)
    for (size_t r = 0; r < ROWS; r += m.batch) {
        float *scratch = allocate(2 * q->n + 256);
        struct job job = {.rows = ROWS - r < m.batch ? ROWS - r : m.batch,
                          .n = q->n,
                          .x = x + (m.offset + r * x_stride) * x_bytes,
                          .x_stride = x_stride,
                          .y = out + (m.offset + r * y_stride) * y_bytes,
                          .y_stride = y_stride,
                          .scale = 1,
                          .log_output = q->k->log_output,
                          .eps = parameters_default.eps,
                          .gamma = q->gamma,
                          .beta = q->beta,
                          .scratch = scratch};
        q->k->run(&job);
        free(scratch);
    }
    for (size_t r = 0; r < ROWS; r++)
        q->ytype->widen(out + (m.offset + r * y_stride) * y_bytes, y + r * q->columns, q->columns);
    free(x);
    free(out);
}

/* The first rows, one by one, each shared among all threads. */
enum { TEAM_ROWS_ASKED = 2 };
static void answer_as_team(const struct question *q, unsigned threads, float *y)
{
    char *x = allocate(q->n), *out = allocate(q->columns);
    float *scratch = allocate(2 * q->n + 256);
    struct gate *gates = gates_open(threads);
    if (!gates) abort();
    for (size_t r = 0; r < TEAM_ROWS_ASKED; r++) {
        q->type->narrow(q->x + r * q->n, x, q->n);
        struct job row = {.rows = 1,
                          .n = q->n,
                          .x = x,
                          .x_stride = q->n,
                          .y = out,
                          .y_stride = q->columns,
                          .scale = 1,
                          .log_output = q->k->log_output,
                          .eps = parameters_default.eps,
                          .gamma = q->gamma,
                          .beta = q->beta};
#pragma omp parallel num_threads(threads)
        team_part(gates, q->k, &row, scratch);
        q->ytype->widen(out, y + r * q->columns, q->columns);
    }
    gates_close(gates);
    free(x);
    free(out);
    free(scratch);
}

static void agree_as_team(enum answer *a, const struct question *q, const float *want)
{
    static const unsigned threads[] = {2, 3, MANY_THREADS};
    float *got = allocate(TEAM_ROWS_ASKED * q->columns);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        answer_as_team(q, threads[i], got);
        if (memcmp(got, want, TEAM_ROWS_ASKED * q->columns * sizeof *got) != 0) *a = ANSWER_NO;
    }
    free(got);
}

static void agree(enum answer *a, const struct question *q, struct manner m, const float *want)
{
    float *got = allocate(ROWS * q->columns);
    compute_rows(q, m, got);
    if (memcmp(got, want, ROWS * q->columns * sizeof *got) != 0) *a = ANSWER_NO;
    free(got);
}

/* Rows that repeat their first PATTERN elements; NULL for NULL. */
static float *repeated(const float *x, size_t rows, size_t n)
{
    float *y = x ? allocate(rows * n) : NULL;
    for (size_t r = 0; r < rows && x; r++)
        for (size_t i = 0; i < n; i++) y[r * n + i] = x[r * n + i % PATTERN];
    return y;
}

/* With x[i] = x[i mod PATTERN], y[i] = y[i mod PATTERN] should hold. */
static void ask_tail(enum answer *a, struct question q)
{
    float *x = repeated(q.x, ROWS, q.n), *gamma = repeated(q.gamma, 1, q.n);
    float *beta = repeated(q.beta, 1, q.n), *y = allocate(ROWS * q.n);
    q.x = x;
    q.gamma = gamma;
    q.beta = beta;
    compute_rows(&q, (struct manner){.threads = 1, .batch = ROWS}, y);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = PATTERN; i < q.n; i++)
            if (memcmp(y + r * q.n + i, y + r * q.n + i % PATTERN, sizeof *y) != 0) *a = ANSWER_NO;
    free(x);
    free(gamma);
    free(beta);
    free(y);
}

static void ask_all(struct invariance *v, const struct question *q, bool elementwise)
{
    struct manner plain = {.threads = 1, .batch = ROWS};
    float *want = allocate(ROWS * q->columns);
    compute_rows(q, plain, want);
    agree(&v->run, q, plain, want);
    agree(&v->batch, q, (struct manner){.threads = 1, .batch = 1}, want);
    agree(&v->batch, q, (struct manner){.threads = 1, .batch = 5}, want);
    if (q->n >= SHARED) {
        agree(&v->threads, q, (struct manner){.threads = 2, .batch = ROWS / 2}, want);
        agree(&v->threads, q,
              (struct manner){.threads = MANY_THREADS, .batch = ROWS / MANY_THREADS}, want);
    }
    if (q->n >= SEVERAL_BLOCKS && q->k->stages) agree_as_team(&v->threads, q, want);
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        agree(&v->row_position, q,
              (struct manner){.threads = 1, .batch = ROWS, .offset = offsets[i], .extra = i}, want);
    if (elementwise) ask_tail(&v->tail, *q);
    free(want);
}

struct invariance invariance_of(const struct kernel *k, const struct oracle *op, uint64_t seed,
                                size_t longest)
{
    kernel_construct(k);
    struct invariance v = {ANSWER_YES, ANSWER_YES, ANSWER_YES, ANSWER_YES,
                           op->elementwise && !op->results ? ANSWER_YES : ANSWER_NONE};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths && lengths[i] <= longest; i++) {
        size_t n = lengths[i];
        float *x = allocate(ROWS * n), *gamma = allocate(n), *beta = allocate(n);
        inputs_affine(n, gamma, beta);
        for (size_t r = 0; r < ROWS; r++)
            inputs_row(FAMILY_NORMAL, op->domain, seed, r, n, x + r * n);
        const struct dtype *type = dtype_of(k);
        struct question q = {.k = k,
                             .type = type,
                             .ytype = op->elementwise ? type : &dtype_f32,
                             .n = n,
                             .columns = oracle_results(op, n),
                             .x = x,
                             .gamma = oracle_is_affine(op) ? gamma : NULL,
                             .beta = oracle_has_beta(op) ? beta : NULL};
        ask_all(&v, &q, op->elementwise && !op->results);
        free(x);
        free(gamma);
        free(beta);
    }
    return v;
}
