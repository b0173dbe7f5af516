// SPDX-License-Identifier: MIT
#include "lib/call.h"

#include <stdint.h>
#include <string.h>

#include "lib/cpu.h"
#include "ulp.h"

enum {
    ALIGNMENT = 64,
    SPARE_FLOATS = 256,    /* struct job's scratch: 2 n + 256 floats */
    COPIED_ELEMENTS = 2048 /* the most that is copied of x where y is x, unless a row is longer */
};

/* ---- Workspaces ------------------------------------------------------------------------------ */

/* A workspace holds the scratch, and where y is x a copy of some rows of x, because kernels read x
 * again after they have written to y. */
static size_t scratch_bytes(size_t n)
{
    return (2 * n + SPARE_FLOATS) * sizeof(float);
}
static size_t copied_elements(size_t n)
{
    return n > COPIED_ELEMENTS ? n : COPIED_ELEMENTS;
}

size_t ulp_workspace_bytes(size_t n)
{
    if (n > PTRDIFF_MAX / (4 * sizeof(float))) return SIZE_MAX;
    return ALIGNMENT + scratch_bytes(n) + copied_elements(n) * sizeof(float);
}

void *ulp_copy_of(const struct job *j)
{
    return (char *)j->scratch + scratch_bytes(j->n);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

/* `rows` rows of `columns` elements, `stride` elements between them; element_bytes is a power of
 * two. */
struct matrix {
    const void *data;
    size_t rows, columns, stride, element_bytes;
};

static bool is_empty(const struct matrix *m)
{
    return m->rows == 0 || m->columns == 0;
}

static int check_matrix(const struct matrix *m)
{
    size_t elements, bytes;
    if (is_empty(m)) return ULP_OK;
    if (!m->data) return ULP_NULL;
    if ((uintptr_t)m->data & (m->element_bytes - 1)) return ULP_ALIGNMENT;
    if (m->rows > 1 && m->stride < m->columns) return ULP_STRIDE;
    if (__builtin_mul_overflow(m->rows - 1, m->stride, &elements) ||
        __builtin_add_overflow(elements, m->columns, &elements) ||
        __builtin_mul_overflow(elements, m->element_bytes, &bytes) || bytes > PTRDIFF_MAX)
        return ULP_SIZE;
    return ULP_OK;
}

/* Returns the bytes from a matrix's first element to the end of its last; it has passed
 * check_matrix(). */
static size_t extent(const struct matrix *m)
{
    return ((m->rows - 1) * m->stride + m->columns) * m->element_bytes;
}

/* Returns whether the rows of two matrices alternate: with one stride, each row of either lies
 * between two of the other. */
static bool rows_alternate(const struct matrix *low, const struct matrix *high)
{
    size_t low_stride = low->stride * low->element_bytes;
    if (low->rows == 1 || low_stride != high->stride * high->element_bytes) return false;
    size_t behind = ((uintptr_t)high->data - (uintptr_t)low->data) % low_stride;
    return behind >= low->columns * low->element_bytes &&
           behind + high->columns * high->element_bytes <= low_stride;
}

/* Checks a matrix that is read and one that is written. in_place: receives whether y is x, which is
 * then allowed; NULL: it is not. */
static int check_overlap(const struct matrix *x, const struct matrix *y, bool *in_place)
{
    if (in_place) *in_place = false;
    if (is_empty(x) || is_empty(y)) return ULP_OK;
    const struct matrix *low = (uintptr_t)x->data <= (uintptr_t)y->data ? x : y;
    const struct matrix *high = low == x ? y : x;
    if ((uintptr_t)high->data - (uintptr_t)low->data >= extent(low)) return ULP_OK;
    if (in_place && x->data == y->data && (x->rows == 1 || x->stride == y->stride)) {
        *in_place = true;
        return ULP_OK;
    }
    return rows_alternate(low, high) ? ULP_OK : ULP_OVERLAP;
}

/* ---- Running --------------------------------------------------------------------------------- */

static void copy_rows(const struct job *j, size_t first, size_t rows, size_t element_bytes,
                      char *copy)
{
    const char *x = j->x;
    for (size_t r = 0; r < rows; r++)
        memcpy(copy + r * j->n * element_bytes, x + (first + r) * j->x_stride * element_bytes,
               j->n * element_bytes);
}

/* Computes some rows at a time, from a copy of them. */
static void run_in_place(const struct kernels *k, const struct job *job,
                         const struct kernel *kernel)
{
    size_t element_bytes = k->element_bytes;
    struct job j = *job;
    char *copy = ulp_copy_of(job), *y = job->y;
    size_t rows = copied_elements(job->n) / job->n;
    j.x = copy;
    j.x_stride = job->n;
    for (size_t first = 0; first < job->rows; first += rows) {
        j.rows = job->rows - first < rows ? job->rows - first : rows;
        j.y = y + first * job->y_stride * element_bytes;
        j.stats = job->stats ? job->stats + k->stats * first : NULL;
        copy_rows(job, first, j.rows, element_bytes, copy);
        kernel->run(&j);
    }
}

static void run(const struct kernels *k, struct job *j, bool in_place)
{
    const struct kernel *kernel = k->of[ulp_dispatch(&j->caches)];
    if (in_place)
        run_in_place(k, j, kernel);
    else
        kernel->run(j);
}

static __attribute__((noinline)) void run_on_stack(const struct kernels *k, struct job *j,
                                                   bool in_place)
{
    enum { FLOATS = 2 * ULP_STACK_N + SPARE_FLOATS + COPIED_ELEMENTS };
    _Alignas(ALIGNMENT) float room[FLOATS];
    j->scratch = room;
    run(k, j, in_place);
}

void ulp_run_rows(const struct call *c, struct job *j, const struct workspace *w)
{
    if (!j->rows) return;
    if (!w->data) {
        run_on_stack(c->kernels, j, c->in_place);
        return;
    }
    j->scratch = ulp_scratch_of(w);
    run(c->kernels, j, c->in_place);
}

float *ulp_scratch_of(const struct workspace *w)
{
    return (float *)(((uintptr_t)w->data + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

int ulp_check_matrices(struct call *c)
{
    const struct job *j = &c->job;
    struct matrix x = {j->x, j->rows, j->n, j->x_stride, c->kernels->element_bytes}, y = x;
    y.data = j->y;
    y.stride = j->y_stride;
    if (c->columns) y.columns = c->columns, y.element_bytes = sizeof(float);
    int status = check_matrix(&x);
    if (!status) status = check_matrix(&y);
    return status ? status : check_overlap(&x, &y, c->columns ? NULL : &c->in_place);
}

int ulp_check_workspace(const struct workspace *w, size_t n, size_t count)
{
    size_t bytes;
    if (!w->data && n <= ULP_STACK_N) return ULP_OK;
    if (__builtin_mul_overflow(ulp_workspace_bytes(n), count, &bytes)) return ULP_WORKSPACE;
    return w->data && w->bytes >= bytes ? ULP_OK : ULP_WORKSPACE;
}

int ulp_check_norm(const struct call *c)
{
    const struct job *j = &c->job;
    const size_t n = j->n, bytes = c->kernels->element_bytes, stats_n = c->kernels->stats;
    const struct matrix x = {j->x, j->rows, n, j->x_stride, bytes};
    const struct matrix y = {j->y, j->rows, n, j->y_stride, bytes};
    const struct matrix stats = {j->stats, j->stats ? j->rows : 0, stats_n, stats_n, sizeof(float)};
    const struct matrix gamma = {j->gamma, j->gamma && j->rows, n, n, sizeof(float)};
    const struct matrix beta = {j->beta, j->beta && j->rows, n, n, sizeof(float)};
    const struct matrix *const all[] = {&stats, &x, &y, &gamma, &beta};
    /* The outputs: y, and the statistics. */
    const struct matrix *const apart[][2] = {{&stats, &x},     {&stats, &y}, {&gamma, &y},
                                             {&gamma, &stats}, {&beta, &y},  {&beta, &stats}};
    int status = j->eps >= 0.0f ? ULP_OK : ULP_EPS;
    for (size_t i = 0; !status && i < sizeof all / sizeof *all; i++) status = check_matrix(all[i]);
    for (size_t i = 0; !status && i < sizeof apart / sizeof *apart; i++)
        status = check_overlap(apart[i][0], apart[i][1], NULL);
    return status;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

int ulp_call(struct call *c)
{
    int status = ulp_check_matrices(c);
    if (!status && !c->needs_no_room) status = ulp_check_workspace(&c->workspace, c->job.n, 1);
    if (status || !c->job.rows) return status;
    if (c->needs_no_room)
        run(c->kernels, &c->job, false);
    else
        ulp_run_rows(c, &c->job, &c->workspace);
    return ULP_OK;
}

/* An element is read before it is written, so that y may be x without a copy. */
int ulp_call_elementwise(const struct kernels *k, size_t n, const void *x, void *y)
{
    struct call c = {.kernels = k, .job = ulp_job(1, n, x, n, y, n)};
    int status = ulp_check_matrices(&c);
    if (!status && n) run(k, &c.job, false);
    return status;
}
