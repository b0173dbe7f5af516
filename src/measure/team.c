#include "measure/team.h"

#include <immintrin.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "measure/bench_plan.h"
#include "model/dtype.h"

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
static struct job rows_of(const struct kernel *k, const struct job *job, size_t first, size_t count)
{
    struct job part = *job;
    part.rows = count;
    part.x = (const char *)job->x + first * job->x_stride * dtype_of(k)->bytes;
    part.y = (char *)job->y + first * job->y_stride * cell_output_bytes(k);
    if (job->stats) part.stats = job->stats + 2 * first;
    return part;
}

struct job team_rows(const struct kernel *k, const struct job *job, unsigned part, unsigned parts)
{
    size_t first = team_first_row(job->rows, part, parts);
    return rows_of(k, job, first, team_first_row(job->rows, part + 1, parts) - first);
}

/* How often a thread has come to the gate; on a line of its own. */
struct arrivals {
    _Alignas(64) atomic_uint count;
};
struct team {
    unsigned threads;
    struct arrivals arrivals[];
};

struct team *team_open(unsigned threads)
{
    struct team *t = aligned_alloc(64, sizeof *t + threads * sizeof *t->arrivals);
    if (!t) return NULL;
    t->threads = threads;
    for (unsigned i = 0; i < threads; i++) atomic_init(&t->arrivals[i].count, 0);
    return t;
}

void team_close(struct team *t)
{
    free(t);
}

/* Until all have come as often as this one. */
static void wait_for_all(struct team *t, unsigned part)
{
    enum { PATIENCE = 1 << 12 };
    unsigned mine = atomic_load_explicit(&t->arrivals[part].count, memory_order_relaxed) + 1;
    atomic_store_explicit(&t->arrivals[part].count, mine, memory_order_release);
    for (unsigned i = 0; i < t->threads; i++) {
        unsigned spins = 0;
        while ((int)(atomic_load_explicit(&t->arrivals[i].count, memory_order_acquire) - mine) < 0)
            if (++spins % PATIENCE)
                _mm_pause();
            else
                sched_yield();
    }
}

void team_part(struct team *t, const struct kernel *k, const struct job *job, float *shared,
               unsigned part)
{
    if (team_split(k, job->rows, t->threads) != TEAM_ONE_ROW) {
        struct job mine = team_rows(k, job, part, t->threads);
        k->run(&mine);
        return;
    }
    for (size_t r = 0; r < job->rows; r++) {
        struct job row = rows_of(k, job, r, 1);
        row.scratch = shared;
        for (unsigned stage = 0; stage < k->stages; stage++) {
            k->stage(&row, stage, part, t->threads);
            wait_for_all(t, part);
        }
    }
}
