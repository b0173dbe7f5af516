// SPDX-License-Identifier: MIT
#include "lib/call.h"

#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "lib/cpu.h"
#include "ulp_omp.h"

enum {
    SHARED_LENGTH = 16384, /* elements; a shorter row is not worth the barriers */
    PIECE = 1024           /* elements; an array is cut between pieces, away from shared lines */
};

static int threads_of(int threads)
{
    return threads ? threads : omp_get_max_threads();
}

size_t ulp_omp_workspace_bytes(int threads, size_t n)
{
    size_t bytes;
    if (threads < 0 ||
        __builtin_mul_overflow(ulp_workspace_bytes(n), (size_t)threads_of(threads), &bytes))
        return SIZE_MAX;
    return bytes;
}

/* The elements [first, end) of part `part` of `parts`, of `count`. */
struct share {
    size_t first, end;
};
static struct share omp_share_of(size_t count, int part, int parts)
{
    size_t whole = count / (size_t)parts, rest = count % (size_t)parts, p = (size_t)part;
    size_t first = p * whole + (p < rest ? p : rest);
    return (struct share){first, first + whole + (p < rest)};
}

/* Returns the job of some of the rows. */
static struct job omp_rows_of(const struct call *c, size_t first, size_t rows)
{
    size_t bytes = c->kernels->element_bytes, y_bytes = c->columns ? sizeof(float) : bytes;
    struct job j = c->job;
    j.rows = rows;
    j.x = (const char *)j.x + first * j.x_stride * bytes;
    j.y = (char *)j.y + first * j.y_stride * y_bytes;
    if (j.stats) j.stats += c->kernels->stats * first;
    return j;
}

/* ---- Rows among threads ---------------------------------------------------------------------- */

static struct workspace workspace_of(const struct call *c, int thread)
{
    size_t bytes = ulp_workspace_bytes(c->job.n);
    if (!c->workspace.data) return c->workspace;
    return (struct workspace){(char *)c->workspace.data + (size_t)thread * bytes, bytes};
}

static void share_rows(const struct call *c, int threads)
{
#pragma omp parallel num_threads(threads)
    {
        int thread = omp_get_thread_num();
        struct share s = omp_share_of(c->job.rows, thread, omp_get_num_threads());
        struct job j = omp_rows_of(c, s.first, s.end - s.first);
        struct workspace w = workspace_of(c, thread);
        ulp_run_rows(c, &j, &w);
    }
}

/* ---- A row among threads --------------------------------------------------------------------- */

/* Runs the stages of one row on one of the threads, after a copy of x where y is x. */
static void share_row(const struct call *c, const struct kernel *k, struct job *j)
{
    int part = omp_get_thread_num(), parts = omp_get_num_threads();
    size_t bytes = c->kernels->element_bytes;
    if (c->in_place) {
        struct share s = omp_share_of(j->n, part, parts);
        char *copy = (char *)ulp_copy_of(j);
        const char *x = j->x;
        memcpy(copy + s.first * bytes, x + s.first * bytes, (s.end - s.first) * bytes);
        j->x = copy;
#pragma omp barrier
    }
    for (unsigned stage = 0; stage < k->stages; stage++) {
        k->stage(j, stage, (size_t)part, (size_t)parts);
#pragma omp barrier
    }
}

static void share_each_row(const struct call *c, const struct kernel *k, int threads)
{
#pragma omp parallel num_threads(threads)
    for (size_t r = 0; r < c->job.rows; r++) {
        struct job j = omp_rows_of(c, r, 1);
        j.scratch = ulp_scratch_of(&c->workspace);
        share_row(c, k, &j);
    }
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static int omp_check(int threads, struct call *c)
{
    int status = threads < 0 ? ULP_THREADS : ulp_check_matrices(c);
    if (status || (c->needs_no_room && !c->workspace.data)) return status;
    return ulp_check_workspace(&c->workspace, c->job.n, (size_t)threads_of(threads));
}

int ulp_omp_call(int threads, struct call *c)
{
    int status = omp_check(threads, c);
    if (status || !c->job.rows) return status;
    const struct kernel *k = c->kernels->of[ulp_dispatch(&c->job.caches)];
    size_t count = (size_t)threads_of(threads);
    if (c->job.rows < count && c->job.n >= SHARED_LENGTH && k->stages && c->workspace.data)
        share_each_row(c, k, (int)count);
    else
        share_rows(c, c->job.rows < count ? (int)c->job.rows : (int)count);
    return ULP_OK;
}

int ulp_omp_call_elementwise(int threads, const struct kernels *k, size_t n, const void *x, void *y)
{
    struct call c = {.kernels = k, .job = ulp_job(1, n, x, n, y, n)};
    size_t pieces = n / PIECE + (n % PIECE != 0), bytes = k->element_bytes;
    int status = threads < 0 ? ULP_THREADS : ulp_check_matrices(&c);
    if (status || !n) return status;
    int count = threads_of(threads);
    if (pieces < (size_t)count) count = (int)pieces;
#pragma omp parallel num_threads(count)
    {
        struct share s = omp_share_of(pieces, omp_get_thread_num(), omp_get_num_threads());
        size_t first = s.first * PIECE, end = s.end * PIECE < n ? s.end * PIECE : n;
        if (first < end)
            ulp_call_elementwise(k, end - first, (const char *)x + first * bytes,
                                 (char *)y + first * bytes);
    }
    return ULP_OK;
}
