// SPDX-License-Identifier: MIT
#include "measure/team.h"

#include <immintrin.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "measure/cell.h"
#include "model/dtype.h"
#include "oracle/oracle.h"

enum team_split team_split(const struct kernel *k, size_t rows, unsigned threads)
{
    if (rows >= threads || !rows) return TEAM_ROWS;
    return k->stages ? TEAM_ONE_ROW : TEAM_SOME_IDLE;
}

const char *team_split_name(enum team_split s)
{
    static const char *const names[] = {"rows", "one row", "some idle"};
    return names[s];
}

size_t team_first_row(size_t rows, unsigned i, unsigned parts)
{
    return rows / parts * i + rows % parts * i / parts;
}

/* `count` rows of a job from `first`. */
static struct job team_rows_of(const struct kernel *k, const struct job *job, size_t first,
                               size_t count)
{
    struct job part = *job;
    part.rows = count;
    part.x = (const char *)job->x + first * job->x_stride * dtype_of(k)->bytes;
    part.y = (char *)job->y + first * job->y_stride * cell_output_bytes(k);
    const size_t row = oracle_find(k->op)->columns * dtype_computed(dtype_of(k))->bytes;
    if (job->stats) part.stats = (float *)(void *)((char *)job->stats + first * row);
    return part;
}

struct job team_rows(const struct kernel *k, const struct job *job, unsigned part, unsigned parts)
{
    size_t first = team_first_row(job->rows, part, parts);
    return team_rows_of(k, job, first, team_first_row(job->rows, part + 1, parts) - first);
}

/* The number of a thread's arrivals, on a cache line of its own. */
struct gate {
    _Alignas(64) atomic_uint arrivals;
};

struct gate *gates_open(unsigned threads)
{
    struct gate *gates = aligned_alloc(64, threads * sizeof *gates);
    for (unsigned i = 0; gates && i < threads; i++) atomic_init(&gates[i].arrivals, 0);
    return gates;
}

void gates_close(struct gate *gates)
{
    free(gates);
}

/* Returns when every thread has arrived as often as this one. */
static void wait_for_all(struct gate *gates, unsigned part, unsigned parts)
{
    enum { PATIENCE = 1 << 12 };
    unsigned mine = atomic_load_explicit(&gates[part].arrivals, memory_order_relaxed) + 1;
    atomic_store_explicit(&gates[part].arrivals, mine, memory_order_release);
    for (unsigned i = 0; i < parts; i++) {
        unsigned spins = 0;
        while ((int)(atomic_load_explicit(&gates[i].arrivals, memory_order_acquire) - mine) < 0)
            if (++spins % PATIENCE)
                _mm_pause();
            else
                sched_yield();
    }
}

void team_part(struct gate *gates, const struct kernel *k, const struct job *job, float *shared)
{
    unsigned part = (unsigned)omp_get_thread_num(), parts = (unsigned)omp_get_num_threads();
    if (team_split(k, job->rows, parts) != TEAM_ONE_ROW) {
        struct job mine = team_rows(k, job, part, parts);
        k->run(&mine);
        return;
    }
    for (size_t r = 0; r < job->rows; r++) {
        struct job row = team_rows_of(k, job, r, 1);
        row.scratch = shared;
        for (unsigned stage = 0; stage < k->stages; stage++) {
            k->stage(&row, stage, part, parts);
            wait_for_all(gates, part, parts);
        }
    }
}
