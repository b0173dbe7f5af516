// SPDX-License-Identifier: MIT
#include "invariant_room.h"

#include <stdlib.h>
#include <string.h>

#include "oracle/inputs.h"
#include "oracle/oracle.h"

enum { OFFSETS = 16, EXTRA = 4 };

static float *allocate(size_t floats)
{
    float *p = calloc(floats + 1, sizeof *p);
    if (!p) abort();
    return p;
}

static size_t scratch_bytes(size_t n)
{
    return (2 * n + 256) * sizeof(float);
}

struct invariant_room invariant_room_open(const struct invariant_case *c)
{
    struct invariant_room room = {.c = c,
                                  .columns = c->op->elementwise ? c->n : c->op->columns,
                                  .stats = c->op->elementwise ? c->op->columns : 0,
                                  .x = allocate(c->rows * c->n),
                                  .gamma = allocate(c->n),
                                  .beta = allocate(c->n)};
    invariant_case_fill(c, room.x);
    if (c->affine) {
        inputs_row(FAMILY_UNIFORM, DOMAIN_MOMENTS, 2, 0, c->n, room.gamma);
        inputs_row(FAMILY_NORMAL, DOMAIN_MOMENTS, 3, 0, c->n, room.beta);
    }
    room.x_guard = guard_open(c->rows * (c->n + EXTRA) + OFFSETS);
    room.y_guard = guard_open(c->rows * (room.columns + EXTRA) + OFFSETS);
    room.stats_guard = guard_open(c->rows * room.stats);
    room.scratch = aligned_alloc(64, (scratch_bytes(c->n) + 63) / 64 * 64);
    if (!room.scratch) abort();
    return room;
}

void invariant_room_close(struct invariant_room *room)
{
    guard_close(&room->x_guard);
    guard_close(&room->y_guard);
    guard_close(&room->stats_guard);
    free(room->x);
    free(room->gamma);
    free(room->beta);
    free(room->scratch);
}

struct caches invariant_caches(size_t which)
{
    static const struct caches machines[] = {{0},
                                             {32 << 10, 1 << 20, 32 << 20},
                                             {1, 1, 1},
                                             {48 << 10, 2 << 20, 1ull << 40},
                                             {16 << 10, 64 << 10, 0},
                                             {1 << 20, 1 << 30, 1 << 12}};
    return machines[which % (sizeof machines / sizeof *machines)];
}

/* Some rmsnorm cases have eps = 0: then the kernel has to detect squares that underflow. */
static bool has_no_eps(const struct invariant_case *c)
{
    return !strcmp(c->op->op, "rmsnorm") && c->n % 5 == 4;
}

struct job invariant_place(const struct invariant_room *room, size_t which)
{
    const struct invariant_case *c = room->c;
    struct job j = {.rows = c->rows,
                    .n = c->n,
                    .x_stride = c->n + which % EXTRA,
                    .y_stride = room->columns + which / 2 % EXTRA,
                    .scale = 1,
                    .log_output = !strcmp(c->op->op, "log_softmax"),
                    .eps = has_no_eps(c) ? 0.0f : 1e-5f,
                    .gamma = c->affine ? room->gamma : NULL,
                    .beta = c->affine ? room->beta : NULL,
                    .stats = room->stats ? room->stats_guard.end - room->stats * c->rows : NULL,
                    .scratch = room->scratch,
                    .caches = invariant_caches(which)};
    size_t x_count = (c->rows - 1) * j.x_stride + c->n;
    size_t y_count = (c->rows - 1) * j.y_stride + room->columns;
    float *x = which % 3 ? room->x_guard.end - x_count : room->x_guard.begin + which % OFFSETS;
    j.x = x;
    j.y = which % 5 ? room->y_guard.end - y_count : room->y_guard.begin + which * 7 % OFFSETS;
    for (size_t r = 0; r < c->rows; r++)
        memcpy(x + r * j.x_stride, room->x + r * c->n, c->n * sizeof *x);
    memset(j.y, 0xee, y_count * sizeof *x);
    if (j.stats) memset(j.stats, 0xee, room->stats * c->rows * sizeof *x);
    return j;
}

/* The job of rows first .. first + rows - 1 of `whole`. */
static struct job part_of(const struct kernel *k, const struct job *whole, size_t first,
                          size_t rows)
{
    struct job part = *whole;
    part.rows = rows;
    part.x = (const float *)whole->x + first * whole->x_stride;
    part.y = (float *)whole->y + first * whole->y_stride;
    if (whole->stats) part.stats = whole->stats + oracle_find(k->op)->columns * first;
    return part;
}

size_t invariant_batch(size_t rows, size_t which)
{
    return 1 + which * 5 % rows;
}

void invariant_run_batches(const struct kernel *k, const struct job *whole, size_t which)
{
    size_t batch = invariant_batch(whole->rows, which);
    for (size_t r = 0; r < whole->rows; r += batch) {
        struct job part = part_of(k, whole, r, whole->rows - r < batch ? whole->rows - r : batch);
        k->run(&part);
    }
}

/* Runs stage after stage; the parts of one stage in either order. */
static void run_as_team(const struct kernel *k, const struct job *row, size_t parts)
{
    for (unsigned stage = 0; stage < k->stages; stage++)
        for (size_t i = 0; i < parts; i++)
            k->stage(row, stage, (stage + parts) % 2 ? i : parts - 1 - i, parts);
}

void invariant_run_teams(const struct kernel *k, const struct job *whole, size_t which)
{
    static const size_t teams[] = {2, 3, 1, 7, 16, 5, 64};
    for (size_t r = 0; r < whole->rows; r++) {
        struct job row = part_of(k, whole, r, 1);
        /* The scratch is filled with NaNs: values that other rows left there must not count. */
        memset(row.scratch, 0xff, scratch_bytes(row.n));
        run_as_team(k, &row, teams[which % (sizeof teams / sizeof *teams)]);
    }
}
