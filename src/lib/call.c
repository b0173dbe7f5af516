// SPDX-License-Identifier: MIT
#include "lib/call.h"

#include <stdint.h>
#include <string.h>

#include "lib/arguments.h"
#include "lib/dispatch.h"
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
    int status = ulp_check_matrix(&x);
    if (!status) status = ulp_check_matrix(&y);
    return status ? status : ulp_check_overlap(&x, &y, c->columns ? NULL : &c->in_place);
}

int ulp_check_workspace(const struct workspace *w, size_t n, size_t count)
{
    size_t bytes;
    if (!w->data && n <= ULP_STACK_N) return ULP_OK;
    if (__builtin_mul_overflow(ulp_workspace_bytes(n), count, &bytes)) return ULP_WORKSPACE;
    return w->data && w->bytes >= bytes ? ULP_OK : ULP_WORKSPACE;
}

/* Checks gamma or beta, which may be NULL, against the arrays that are written. */
static int check_parameter(const float *parameter, const struct job *j, const struct kernels *k)
{
    struct matrix p = {parameter, 1, j->n, j->n, sizeof(float)};
    struct matrix y = {j->y, j->rows, j->n, j->y_stride, k->element_bytes};
    struct matrix stats = {j->stats, j->stats ? j->rows : 0, k->stats, k->stats, sizeof(float)};
    int status = ULP_OK;
    if (!parameter || !j->rows) return ULP_OK;
    status = ulp_check_matrix(&p);
    if (!status) status = ulp_check_matrix(&y);
    if (!status) status = ulp_check_overlap(&p, &y, NULL);
    return status ? status : ulp_check_overlap(&p, &stats, NULL);
}

/* Checks stats, which may be NULL, against x and y. */
static int check_stats(const struct job *j, const struct kernels *k)
{
    struct matrix stats = {j->stats, j->rows, k->stats, k->stats, sizeof(float)};
    struct matrix x = {j->x, j->rows, j->n, j->x_stride, k->element_bytes};
    struct matrix y = {j->y, j->rows, j->n, j->y_stride, k->element_bytes};
    if (!j->stats) return ULP_OK;
    int status = ulp_check_matrix(&stats);
    if (!status) status = ulp_check_matrix(&x);
    if (!status) status = ulp_check_matrix(&y);
    if (!status) status = ulp_check_overlap(&stats, &x, NULL);
    return status ? status : ulp_check_overlap(&stats, &y, NULL);
}

int ulp_check_norm(const struct call *c)
{
    const struct job *j = &c->job;
    if (!(j->eps >= 0.0f)) return ULP_EPS;
    int status = check_stats(j, c->kernels);
    if (!status) status = check_parameter(j->gamma, j, c->kernels);
    return status ? status : check_parameter(j->beta, j, c->kernels);
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
