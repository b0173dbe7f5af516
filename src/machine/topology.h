// SPDX-License-Identifier: MIT
/* Caches and cores, as hwloc sees them, inside the cpuset that this process was given. The lab
 * never runs outside it. */
#ifndef ULPLAB_TOPOLOGY_H
#define ULPLAB_TOPOLOGY_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

enum level { LEVEL_L1, LEVEL_L2, LEVEL_L3, LEVEL_DRAM, LEVELS };
const char *level_name(enum level l); /* "L1", ..., "DRAM" */

enum { CORES_MAX = 1024, CORE_KINDS_MAX = 8 };

/* Cores of one design; a hybrid CPU has several. */
struct core_kind {
    char name[24];  /* hwloc's CoreType: IntelCore, IntelAtom */
    unsigned cores; /* cores with a logical processor in the cpuset */
};

struct cache {
    size_t bytes;        /* data; 0: there is no such level */
    unsigned processors; /* logical processors that share it */
};

struct topology {
    void *hwloc; /* hwloc_topology_t: only topology.c looks inside */
    /* The kinds of cores of a hybrid CPU, which are measured apart: all that the cpuset holds,
     * slowest first, and the kind that the members below describe: the fastest, or the one that the
     * environment's ULPLAB_CORES names. Other CPUs have 0 kinds. */
    struct core_kind kinds[CORE_KINDS_MAX];
    size_t kind_count, kind;
    struct cache caches[LEVEL_DRAM];
    unsigned cores;                /* cores with a logical processor in the cpuset */
    unsigned processors;           /* logical processors in the cpuset */
    unsigned processor[CORES_MAX]; /* the first of each core, as the system numbers it */
    unsigned packages, numa_nodes; /* of the machine */
    size_t memory_bytes;           /* of the machine */
};

/* Reads the machine; the calling thread must not be pinned yet. EXIT_BAD_INPUT if hwloc fails,
 * EXIT_USAGE if ULPLAB_CORES names no kind of core. topology_close() frees it. */
int topology_read(struct topology *t, struct error *e);
void topology_close(struct topology *t);

/* Returns the core that single-threaded work is measured on: the second one if there is one, since
 * systems send most interrupts to the first. */
unsigned topology_quiet_core(const struct topology *t);

/* Binds the calling thread to core `core` (0 .. cores - 1). */
int topology_pin(const struct topology *t, unsigned core, struct error *e);

/* Binds each of `threads` OpenMP threads to a core of its own, the caller to `first`, and gives
 * each the default MXCSR. threads <= t->cores. */
int topology_bind_team(const struct topology *t, unsigned first, unsigned threads, struct error *e);

/* {"packages", "numa_nodes", "cores", "processors", "memory_bytes", "caches": [{"level",
 * "bytes", "shared_by"}], "core_kind", "core_kinds": [{"name", "cores"}]}; core_kind is null, and
 * the list empty, unless the CPU is hybrid. */
json_t *topology_record(const struct topology *t);

#endif
