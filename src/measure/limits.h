// SPDX-License-Identifier: MIT
/* The limits of this core: arithmetic per vector width, loads and copies per working set. A limit
 * is an upper bound for kernels, so the best of everything that was tried counts: several loops,
 * several samples, every process. */
#ifndef ULPLAB_LIMITS_H
#define ULPLAB_LIMITS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "machine/clock.h"
#include "measure/buffer.h"
#include "measure/cache_sizes.h"

enum limit_kind {
    LIMIT_FLOPS, /* FMA, alone or beside additions: FLOP/s, an FMA being two */
    LIMIT_LOAD,  /* bytes read per second */
    LIMIT_COPY,  /* bytes read plus bytes written per second */
    LIMIT_SWEEP, /* bytes read per second, one stream: for the caches' effective sizes */
    LIMIT_PORTS, /* vector instructions of some kinds started per second */
};

/* The vector widths, narrow to wide. */
enum width { WIDTH_SCALAR, WIDTH_XMM, WIDTH_YMM, WIDTH_ZMM, WIDTHS };
/* Returns the width of an ISA of the Makefile; an unknown one counts as the widest. */
enum width width_of_isa(const char *isa);
const char *width_isa(enum width w); /* "scalar", "sse", "avx2", "avx512" */
unsigned width_lanes(enum width w);  /* floats in a vector */

/* ---- Ports ----------------------------------------------------------------------------------- */

/* The kinds of vector instruction that a port bound distinguishes.
 *
 * A set of kinds starts no faster than the best mix of them that was measured, and a kernel takes
 * no less time than its slowest set: by Hall's theorem no assignment of its instructions to ports
 * could do better. `other` represents instructions that start wherever any vector instruction does;
 * integer additions are measured. Instructions that are slower than that, such as shifts, make the
 * bound lower than the truth, never higher.
 *
 * Permutations are measured beside multiplications, because on some cores one of them occupies the
 * pipes of the multiplications. A kernel takes no less time than its permutations do in a mix in
 * which each is accompanied by no more multiplications than the kernel has.
 *
 * The time of a loop with just a kernel's mix would be closer to the truth and no bound: it depends
 * on the order of the instructions (docs/tuning-log.md). */
enum port_kind {
    PORT_MUL = 1,
    PORT_ADD = 2,
    PORT_MAX = 4,
    PORT_OTHER = 8,
    PORT_MIX5 = 16, /* permutations, each with five multiplications */
    PORT_MIX6 = 32, /* beside six */
    PORT_MIX9 = 64, /* beside nine */
};
enum { PORT_SETS = 11 };     /* 1 .. 7: of the first three; all four; the mixes */
unsigned port_set(size_t i); /* i < PORT_SETS */
/* Returns how many multiplications accompany a permutation in a mix; 0: the set is no mix. */
unsigned port_mix(unsigned set);

/* ---- Limits ---------------------------------------------------------------------------------- */

struct limit_task {
    enum limit_kind kind;
    enum width width; /* that may be used; narrower vectors may be too */
    unsigned threads; /* all of them together; one per core */
    size_t bytes;     /* the working set, of all threads; 0 for arithmetic */
    unsigned ports;   /* LIMIT_PORTS: a set of kinds */
};

enum { LIMIT_NAME_MAX = 48 };
/* "flops-zmm", "copy-ymm-512K", "load-zmm-8M-x2", "ports-mul+add-zmm". */
void limit_name(const struct limit_task *task, char name[LIMIT_NAME_MAX]);
const char *limit_unit(const struct limit_task *task); /* "FLOP/s", "B/s" or "instruction/s" */

/* The best rate seen within some milliseconds (and at least three passes), on the calling thread
 * and, for several threads, on the team that topology_bind_team() has bound. `arena` has the
 * task's bytes and has been touched by its threads (limit_arena). The CPU must support the
 * width. */
double limit_measure(const struct limit_task *task, const struct clock *clock,
                     const struct buffer *arena);

/* Returns an arena for tasks of up to `bytes` by that many threads; data is NULL if memory is
 * short. */
struct buffer limit_arena(size_t bytes, unsigned threads);

/* The contract's limits[] from the raw records {"record": "limit", ..} of all processes: the best
 * of each, with its level; then the effective sizes. Rows: name, isa, level (null for arithmetic),
 * value, unit, threads, bytes, processes. */
json_t *limits_summarise(const json_t *records, const struct topology *t,
                         const struct effective *effective);

#endif
