/* What this core can do at best: arithmetic per vector width, loads and copies per working set.
 * A limit is an upper bound for what kernels reach, so the best of everything that was tried
 * counts: several loops, several samples, every process. */
#ifndef ULPLAB_LIMITS_H
#define ULPLAB_LIMITS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernel.h"
#include "machine/clock.h"
#include "machine/topology.h"
#include "measure/buffer.h"

enum limit_kind {
    LIMIT_FLOPS, /* FMA, alone or beside additions: FLOP/s, an FMA being two */
    LIMIT_LOAD,  /* bytes read per second */
    LIMIT_COPY,  /* bytes read plus bytes written per second */
    LIMIT_SWEEP, /* bytes read per second, one stream: for the caches' effective sizes */
    LIMIT_PORTS, /* vector instructions of some kinds started per second */
};

/* Kinds of instruction, as far as a port bound tells them apart. A set of them starts no faster
 * than the best mix of them that was tried, and a kernel takes no less than its slowest set does:
 * by Hall's theorem no assignment of its instructions to ports could. `other` stands for what
 * starts wherever any vector instruction does (integer additions are measured); what is dearer, a
 * shift, vscalefps on a Zen 4, makes the bound lower than the truth, never higher. Permutations are
 * so dear that they are measured: on a Zen 3 one takes both pipes of the multiplications for a
 * cycle (vpermd, ymm: six FMAs take 3.03 cycles, 4.01 with it). So a kernel takes no less than its
 * permutations do in a mix, each beside no more multiplications than it has.
 * A loop of just a kernel's mix tells more, and is no bound: of 24 orders of the instructions of 16
 * vectors, none waiting for another, the fastest took on a Zen 4 in zmm what the sets say (softmax
 * 9.01 cycles per vector for 9, logsumexp, then of 6 FMAs, 6.04 for 6), in ymm 4 and 7% more (4.66
 * for 4.5, 3.20 for 3); on a Zen 3 that took 4.4 for 4, and 4.54 to 4.67 in 222 orders with their
 * waiting. */
enum port_kind {
    PORT_MUL = 1,
    PORT_ADD = 2,
    PORT_MAX = 4,
    PORT_OTHER = 8,
    PORT_MIX5 = 16, /* permutations, each beside five multiplications */
    PORT_MIX6 = 32, /* beside six */
    PORT_MIX9 = 64, /* beside nine */
};
enum { PORT_SETS = 11 };     /* 1 .. 7: of the first three; all four; the mixes */
unsigned port_set(size_t i); /* i < PORT_SETS */
/* How many multiplications a permutation has beside it in a mix; 0: the set is none. */
unsigned port_mix(unsigned set);

/* The vector widths, narrow to wide. */
enum width { WIDTH_SCALAR, WIDTH_YMM, WIDTH_ZMM, WIDTHS };
/* Of an ISA of the Makefile; what is unknown is taken for the widest. */
enum width width_of_isa(const char *isa);
const char *width_isa(enum width w); /* "scalar", "avx2", "avx512" */
unsigned width_lanes(enum width w);  /* floats in a vector */

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

/* An arena for tasks of up to `bytes` by that many threads. data is NULL where memory is short. */
struct buffer limit_arena(size_t bytes, unsigned threads);

/* ---- The caches, as they behave ------------------------------------------------------------- */

struct effective {
    size_t bytes[LEVEL_DRAM]; /* 0: no such level */
};

/* A point of the bandwidth sweep. */
struct sweep_point {
    size_t bytes;
    double rate;
};

enum { SWEEP_MAX = 128 };
/* The working sets of a sweep, ascending, from within L1 to four times the last level (at most a
 * quarter of memory). Returns how many. */
size_t sweep_sizes(const struct topology *t, size_t sizes[SWEEP_MAX]);

/* Where the bandwidth falls: a level's effective size is its nominal one unless the sweep drops
 * half way (geometrically) to the next level's rate before three quarters of it. Points
 * ascending; without any, the nominal sizes. */
struct effective effective_sizes(const struct topology *t, const struct sweep_point *points,
                                 size_t count);

/* Where a working set of `threads` threads (one per core) lives: the first level whose effective
 * size holds what its cores use together. */
enum level residency(const struct topology *t, const struct effective *effective, size_t bytes,
                     unsigned threads);

/* What the caches hold for each of `threads` threads (one per core), for kernels to choose by. */
struct caches caches_for(const struct topology *t, const struct effective *effective,
                         unsigned threads);
/* The same where no sweep was run, from what this machine says of itself. The calling thread must
 * not be pinned. */
struct caches caches_nominal(void);

/* The contract's limits[] from the raw records {"record": "limit", ..} of all processes: the best
 * of each, with its level; then the effective sizes. Rows: name, isa, level (null for arithmetic),
 * value, unit, threads, bytes, processes. */
json_t *limits_summarise(const json_t *records, const struct topology *t,
                         const struct effective *effective);

#endif
