// SPDX-License-Identifier: MIT
#include "measure/limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/cpu.h"
#include "model/record.h"

unsigned port_set(size_t i)
{
    static const unsigned others[] = {PORT_MUL | PORT_ADD | PORT_MAX | PORT_OTHER, PORT_MIX5,
                                      PORT_MIX6, PORT_MIX9};
    return i < 7 ? (unsigned)i + 1 : others[i - 7];
}

unsigned port_mix(unsigned set)
{
    return set == PORT_MIX5 ? 5 : set == PORT_MIX6 ? 6 : set == PORT_MIX9 ? 9 : 0;
}

/* "mul+add"; "6mul+permute"; "any" where every kind counts. */
static void port_set_name(unsigned set, char *text, size_t size)
{
    static const char *const names[] = {"mul", "add", "max"};
    size_t used = 0;
    if (port_mix(set)) {
        snprintf(text, size, "%umul+permute", port_mix(set));
        return;
    }
    snprintf(text, size, "any");
    for (size_t i = 0; i < 3 && !(set & PORT_OTHER); i++)
        if (set >> i & 1)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "+" : "", names[i]);
}

/* ---- Loops ----------------------------------------------------------------------------------- */

/* Streaming stores are faster where the data would not have stayed in the caches. */
enum { ANY_SIZE = 0, BEYOND_L2 = 2 << 20, BLOCK = 2048 };

/* The loops of src/measure/limit_loops.S: kind, name, work, least bytes of the working set, ports.
 * work: per pass and lane for FLOPs, per pass for instructions, per byte of x for the others. */
#define EACH_LOOP(LOOP)                                                                            \
    LOOP(LIMIT_PORTS, ports_m, 12, ANY_SIZE, PORT_MUL)                                             \
    LOOP(LIMIT_PORTS, ports_a, 12, ANY_SIZE, PORT_ADD)                                             \
    LOOP(LIMIT_PORTS, ports_x, 12, ANY_SIZE, PORT_MAX)                                             \
    LOOP(LIMIT_PORTS, ports_ma, 12 * 2, ANY_SIZE, PORT_MUL | PORT_ADD)                             \
    LOOP(LIMIT_PORTS, ports_mma, 12 * 3, ANY_SIZE, PORT_MUL | PORT_ADD)                            \
    LOOP(LIMIT_PORTS, ports_mx, 12 * 2, ANY_SIZE, PORT_MUL | PORT_MAX)                             \
    LOOP(LIMIT_PORTS, ports_mmx, 12 * 3, ANY_SIZE, PORT_MUL | PORT_MAX)                            \
    LOOP(LIMIT_PORTS, ports_ax, 12 * 2, ANY_SIZE, PORT_ADD | PORT_MAX)                             \
    LOOP(LIMIT_PORTS, ports_max, 12 * 3, ANY_SIZE, PORT_MUL | PORT_ADD | PORT_MAX)                 \
    LOOP(LIMIT_PORTS, ports_i, 12, ANY_SIZE, PORT_OTHER)                                           \
    LOOP(LIMIT_PORTS, ports_mi, 12 * 2, ANY_SIZE, PORT_MUL | PORT_OTHER)                           \
    LOOP(LIMIT_PORTS, ports_mai, 12 * 3, ANY_SIZE, PORT_MUL | PORT_ADD | PORT_OTHER)               \
    LOOP(LIMIT_PORTS, ports_maxi, 12 * 4, ANY_SIZE, PORT_MUL | PORT_ADD | PORT_MAX | PORT_OTHER)   \
    LOOP(LIMIT_PORTS, ports_maii, 12 * 4, ANY_SIZE, PORT_MUL | PORT_ADD | PORT_OTHER)              \
    LOOP(LIMIT_PORTS, ports_mix5, 12 * 6, ANY_SIZE, PORT_MIX5)                                     \
    LOOP(LIMIT_PORTS, ports_mix6, 12 * 7, ANY_SIZE, PORT_MIX6)                                     \
    LOOP(LIMIT_PORTS, ports_mix9, 12 * 10, ANY_SIZE, PORT_MIX9)                                    \
    LOOP(LIMIT_FLOPS, fma, 4 * 12 * 2, ANY_SIZE, 0)                                                \
    LOOP(LIMIT_FLOPS, mixed, 4 * (10 * 2 + 5), ANY_SIZE, 0)                                        \
    LOOP(LIMIT_LOAD, load, 1, ANY_SIZE, 0)                                                         \
    LOOP(LIMIT_LOAD, streams, 1, BEYOND_L2, 0)                                                     \
    LOOP(LIMIT_COPY, copy, 2, ANY_SIZE, 0)                                                         \
    LOOP(LIMIT_COPY, past, 2, BEYOND_L2, 0)                                                        \
    LOOP(LIMIT_SWEEP, load, 1, ANY_SIZE, 0)

typedef void loop_function(const void *x, void *y, size_t bytes, size_t passes);
/* The widths that a loop does not have: their addresses are NULL. */
extern __attribute__((weak)) loop_function limit_fma_sse, limit_mixed_sse, limit_past_scalar;
#define DECLARE_LOOP(kind, name, work, from_bytes, ports)                                          \
    extern loop_function limit_##name##_scalar, limit_##name##_sse, limit_##name##_avx2,           \
        limit_##name##_avx512;
EACH_LOOP(DECLARE_LOOP)

static const struct loop {
    enum limit_kind kind;
    loop_function *run[WIDTHS];
    double work;
    size_t from_bytes;
    unsigned ports;
} loops[] = {
#define LOOP_ROW(kind, name, work, from_bytes, ports)                                              \
    {kind,                                                                                         \
     {limit_##name##_scalar, limit_##name##_sse, limit_##name##_avx2, limit_##name##_avx512},      \
     work,                                                                                         \
     from_bytes,                                                                                   \
     ports},
    EACH_LOOP(LOOP_ROW)
    /* Code without FMA multiplies and adds. */
    {LIMIT_FLOPS, {NULL, limit_ports_ma_sse, NULL, NULL}, 12 * 2, ANY_SIZE, 0},
};
enum { LOOPS = sizeof loops / sizeof *loops };

static const struct {
    const char *isa, *name;
    unsigned lanes;
} widths[WIDTHS] = {
    {"scalar", "scalar", 1}, {"sse", "xmm", 4}, {"avx2", "ymm", 8}, {"avx512", "zmm", 16}};

enum width width_of_isa(const char *isa)
{
    enum width w = 0;
    while (w < WIDTH_ZMM && widths[w].lanes != isa_lanes(isa)) w++;
    return w;
}

const char *width_isa(enum width w)
{
    return widths[w].isa;
}

unsigned width_lanes(enum width w)
{
    return widths[w].lanes;
}

/* 768K, 8M: the largest unit that divides it. */
static void print_size(size_t bytes, char *text, size_t size)
{
    int unit = 0;
    for (; bytes >= 1024 && bytes % 1024 == 0 && unit < 3; unit++) bytes /= 1024;
    snprintf(text, size, "%zu%.1s", bytes, &"\0KMG"[unit]);
}

void limit_name(const struct limit_task *task, char name[LIMIT_NAME_MAX])
{
    static const char *const kinds[] = {"flops", "load", "copy", "sweep", "ports-"};
    char size[24] = "", team[16] = "", set[24] = "";
    if (task->kind == LIMIT_PORTS) port_set_name(task->ports, set, sizeof set);
    if (task->bytes) {
        size[0] = '-';
        print_size(task->bytes, size + 1, sizeof size - 1);
    }
    if (task->threads > 1) snprintf(team, sizeof team, "-x%u", task->threads);
    snprintf(name, LIMIT_NAME_MAX, "%s%s-%s%s%s", kinds[task->kind], set, widths[task->width].name,
             size, team);
}

const char *limit_unit(const struct limit_task *task)
{
    return task->kind == LIMIT_FLOPS   ? "FLOP/s"
           : task->kind == LIMIT_PORTS ? "instruction/s"
                                       : "B/s";
}

/* ---- Measuring ------------------------------------------------------------------------------- */

/* Returns a thread's share of the arena, a whole number of blocks; a copy's halves are x and y. */
static size_t share_of(const struct limit_task *task)
{
    size_t parts = task->threads * (task->kind == LIMIT_COPY ? 2u : 1u);
    size_t share = task->bytes / parts / BLOCK * BLOCK;
    return share ? share : BLOCK;
}

struct buffer limit_arena(size_t bytes, unsigned threads)
{
    size_t share = bytes / threads + 2 * BLOCK;
    struct buffer arena = buffer_map(share * threads, 0);
    if (!arena.data) return arena;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (unsigned i = 0; i < threads; i++) memset(arena.data + i * share, 0, share);
    return arena;
}

/* Returns the ticks that all threads together take for `passes` passes. */
static double run_passes(const struct limit_task *task, loop_function *run, size_t passes,
                         const struct buffer *arena)
{
    size_t share = share_of(task), step = arena->bytes / task->threads / 64 * 64;
    uint64_t start = 0, stop = 0;
#pragma omp parallel num_threads(task->threads) if (task->threads > 1)
    {
#pragma omp barrier
#pragma omp for schedule(static, 1)
        for (unsigned i = 0; i < task->threads; i++) {
            char *x = arena->data + i * step;
            uint64_t begin = clock_now();
            run(x, x + share + (share % 4096 ? 0 : BLOCK), share,
                passes); /* not at the same offset in a page, or loads would seem to depend on
                            stores */
            uint64_t end = clock_now();
#pragma omp critical
            {
                if (!start || begin < start) start = begin;
                if (end > stop) stop = end;
            }
        }
    }
    return (double)(stop - start);
}

static double best_rate(const struct limit_task *task, const struct loop *loop, enum width width,
                        const struct clock *clock, const struct buffer *arena)
{
    enum { SAMPLES = 12, LEAST = 3 };
    const double sample_s = 150e-6, patience_s = 20e-3;
    loop_function *run = loop->run[width];
    double once = run_passes(task, run, 1, arena) / clock->tsc_hz;
    size_t passes = once < sample_s ? 1 + (size_t)(sample_s / once) : 1;
    /* The first pass was cold. The second estimate is warm, and warms up the samples. */
    double warm = run_passes(task, run, passes, arena) / clock->tsc_hz / (double)passes;
    passes = warm < sample_s ? 1 + (size_t)(sample_s / warm) : 1;

    /* A pass that takes as long as a sample was one. */
    const bool sampled = warm >= sample_s;
    double shortest = sampled ? warm : INFINITY, spent = sampled ? warm : 0;
    for (int i = sampled; i < LEAST || (i < SAMPLES && spent < patience_s); i++) {
        double ticks = run_passes(task, run, passes, arena) - clock->floor_ticks;
        shortest = fmin(shortest, ticks / clock->tsc_hz);
        spent += ticks / clock->tsc_hz;
    }
    double amount = task->kind == LIMIT_FLOPS   ? widths[width].lanes
                    : task->kind == LIMIT_PORTS ? 1
                                                : (double)share_of(task);
    return loop->work * amount * task->threads * (double)passes / shortest;
}

double limit_measure(const struct limit_task *task, const struct clock *clock,
                     const struct buffer *arena)
{
    /* A kernel that may use zmm may use ymm, too, and some cores read a cache faster by ymm. */
    bool own = task->kind == LIMIT_PORTS; /* instructions of one width are counted */
    enum width narrowest = task->width > WIDTH_YMM && !own ? WIDTH_YMM : task->width;
    double best = 0;
    for (size_t i = 0; i < LOOPS; i++)
        for (enum width w = narrowest; w <= task->width; w++)
            if (loops[i].kind == task->kind && loops[i].run[w] &&
                task->bytes >= loops[i].from_bytes && !(loops[i].ports & ~task->ports))
                best = fmax(best, best_rate(task, &loops[i], w, clock, arena));
    return best;
}

/* ---- The limits of a run, from the raw records of all processes ------------------------------ */

static json_t *summary_row(const json_t *record, const struct topology *t,
                           const struct effective *effective)
{
    json_t *row = json_object();
    static const char *const copied[] = {"name", "isa", "value", "unit", "threads", "bytes"};
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
        json_object_set(row, copied[i], json_object_get(record, copied[i]));
    json_int_t bytes = json_integer_value(json_object_get(record, "bytes"));
    unsigned threads = (unsigned)json_integer_value(json_object_get(record, "threads"));
    const enum level level = residency(t, effective, (size_t)bytes, threads ? threads : 1);
    json_object_set_new(row, "level", bytes > 0 ? json_string(level_name(level)) : json_null());
    json_object_set_new(row, "processes", json_integer(1));
    return row;
}

static void merge_record(json_t *row, const json_t *record)
{
    json_t *old = json_object_get(row, "value"), *new = json_object_get(record, "value");
    if (json_number_value(new) > json_number_value(old)) json_object_set(row, "value", new);
    json_int_t processes = json_integer_value(json_object_get(row, "processes"));
    json_object_set_new(row, "processes", json_integer(processes + 1));
}

json_t *limits_summarise(const json_t *records, const struct topology *t,
                         const struct effective *effective)
{
    json_t *rows = json_array(), *by_name = json_object(), *record;
    size_t i;
    json_array_foreach(records, i, record)
    {
        const char *name = record_text(record, "name");
        if (strcmp(record_text(record, "record"), "limit") != 0 || !*name) continue;
        json_t *row = json_object_get(by_name, name);
        if (row) {
            merge_record(row, record);
            continue;
        }
        row = summary_row(record, t, effective);
        json_object_set(by_name, name, row);
        json_array_append_new(rows, row);
    }
    json_decref(by_name);
    for (enum level l = 0; l < LEVEL_DRAM; l++) {
        char name[LIMIT_NAME_MAX];
        snprintf(name, sizeof name, "effective-%s", level_name(l));
        if (effective->bytes[l])
            json_array_append_new(rows, json_pack("{s:s, s:n, s:s, s:I, s:s, s:I}", "name", name,
                                                  "isa", "level", level_name(l), "value",
                                                  (json_int_t)effective->bytes[l], "unit", "B",
                                                  "nominal", (json_int_t)t->caches[l].bytes));
    }
    return rows;
}
