#include "lib/call.h"

#include <stdint.h>
#include <string.h>

#include "lib/arguments.h"
#include "lib/dispatch.h"
#include "ulp.h"

enum {
    ALIGNMENT = 64,
    SPARE_FLOATS = 256,    /* struct job's scratch: 2 n + 256 floats */
    COPIED_ELEMENTS = 2048 /* of x, at most, where y is x, unless a row is longer */
};

/* ---- Workspaces ------------------------------------------------------------------------------ */

/* Scratch, then a copy of some rows of x where y is x: kernels read x again after they have written
 * to y. */

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

/* Some rows at a time, from a copy of them. */
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

/* ---- Functions with a row of results per row
 * -----------------------------------------------------
 */

int ulp_check_rows(const struct kernels *k, const struct job *j, bool *in_place)
{
    struct matrix x = {j->x, j->rows, j->n, j->x_stride, k->element_bytes};
    struct matrix y = {j->y, j->rows, j->n, j->y_stride, k->element_bytes};
    int status = ulp_check_matrix(&x);
    if (!status) status = ulp_check_matrix(&y);
    return status ? status : ulp_check_overlap(&x, &y, in_place);
}

int ulp_check_workspace(const struct workspace *w, size_t n, size_t count)
{
    size_t bytes;
    if (!w->data && n <= ULP_STACK_N) return ULP_OK;
    if (__builtin_mul_overflow(ulp_workspace_bytes(n), count, &bytes)) return ULP_WORKSPACE;
    return w->data && w->bytes >= bytes ? ULP_OK : ULP_WORKSPACE;
}

float *ulp_scratch_of(const struct workspace *w)
{
    return (float *)(((uintptr_t)w->data + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

void ulp_run_rows(const struct kernels *k, struct job *j, bool in_place,
                  const struct workspace *workspace)
{
    if (!j->rows) return;
    if (!workspace->data) {
        run_on_stack(k, j, in_place);
        return;
    }
    j->scratch = ulp_scratch_of(workspace);
    run(k, j, in_place);
}

int ulp_call_rows(const struct kernels *k, struct job *j, const struct workspace *workspace)
{
    bool in_place;
    int status = ulp_check_rows(k, j, &in_place);
    if (!status) status = ulp_check_workspace(workspace, j->n, 1);
    if (!status) ulp_run_rows(k, j, in_place, workspace);
    return status;
}

/* ---- Functions with some floats per row, and of an array ------------------------------------- */

int ulp_check_reduction(const struct kernels *k, const struct job *j, size_t columns)
{
    struct matrix x = {j->x, j->rows, j->n, j->x_stride, k->element_bytes};
    struct matrix y = {j->y, j->rows, columns, j->y_stride, sizeof(float)};
    int status = ulp_check_matrix(&x);
    if (!status) status = ulp_check_matrix(&y);
    return status ? status : ulp_check_overlap(&x, &y, NULL);
}

int ulp_call_reduction(const struct kernels *k, struct job *j, size_t columns,
                       const struct workspace *workspace)
{
    int status = ulp_check_reduction(k, j, columns);
    if (!status && workspace) status = ulp_check_workspace(workspace, j->n, 1);
    if (status || !j->rows) return status;
    if (workspace)
        ulp_run_rows(k, j, false, workspace);
    else
        run(k, j, false);
    return ULP_OK;
}

/* An element is read before it is written: in place no copy is needed. */
int ulp_call_elementwise(const struct kernels *k, size_t n, const void *x, void *y)
{
    struct job j = {.rows = 1, .n = n, .x = x, .x_stride = n, .y = y, .y_stride = n};
    bool in_place;
    int status = ulp_check_rows(k, &j, &in_place);
    if (!status && n) run(k, &j, false);
    return status;
}
