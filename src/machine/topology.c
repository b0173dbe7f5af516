// SPDX-License-Identifier: MIT
#include "machine/topology.h"

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "machine/mxcsr.h"

const char *level_name(enum level l)
{
    static const char *const names[LEVELS] = {"L1", "L2", "L3", "DRAM"};
    return names[l];
}

static unsigned topology_count(hwloc_topology_t h, hwloc_obj_type_t type)
{
    int n = hwloc_get_nbobjs_by_type(h, type);
    return n > 0 ? (unsigned)n : 0;
}

/* Reads one logical processor per core, the first that the cpuset holds. */
static void read_cores(struct topology *t, hwloc_const_cpuset_t given)
{
    hwloc_topology_t h = t->hwloc;
    hwloc_bitmap_t here = hwloc_bitmap_alloc();
    for (hwloc_obj_t core = NULL;
         (core = hwloc_get_next_obj_by_type(h, HWLOC_OBJ_CORE, core)) && t->cores < CORES_MAX;) {
        hwloc_bitmap_and(here, core->cpuset, given);
        if (!hwloc_bitmap_iszero(here))
            t->processor[t->cores++] = (unsigned)hwloc_bitmap_first(here);
    }
    hwloc_bitmap_free(here);
    /* In a container that hides the cores, each processor counts as a core. */
    for (int p = -1; !t->cores && (p = hwloc_bitmap_next(given, p)) >= 0 && t->cores < CORES_MAX;)
        t->processor[t->cores++] = (unsigned)p;
}

/* ---- Kinds of cores -------------------------------------------------------------------------- */

/* Returns hwloc's CoreType of its i-th kind; NULL if it does not know one. Kinds that differ by the
 * highest rate alone are one kind to the lab. */
static const char *type_of_kind(hwloc_topology_t h, unsigned i, hwloc_bitmap_t processors)
{
    unsigned count = 0;
    struct hwloc_info_s *infos = NULL;
    if (hwloc_cpukinds_get_info(h, i, processors, NULL, &count, &infos, 0) != 0) return NULL;
    for (unsigned k = 0; k < count; k++)
        if (!strcmp(infos[k].name, "CoreType")) return infos[k].value;
    return NULL;
}

static unsigned cores_in(hwloc_topology_t h, hwloc_const_bitmap_t set)
{
    unsigned cores = 0;
    for (hwloc_obj_t c = NULL; (c = hwloc_get_next_obj_by_type(h, HWLOC_OBJ_CORE, c));)
        cores += hwloc_bitmap_intersects(c->cpuset, set) != 0;
    return cores;
}

static size_t find_kind(const struct topology *t, const char *name)
{
    size_t i = 0;
    while (i < t->kind_count && strcasecmp(t->kinds[i].name, name) != 0) i++;
    return i;
}

/* Lists the kinds, with the processors of each in sets[]. */
static void list_kinds(struct topology *t, hwloc_const_cpuset_t given, hwloc_bitmap_t *sets)
{
    hwloc_topology_t h = t->hwloc;
    hwloc_bitmap_t here = hwloc_bitmap_alloc();
    int count = hwloc_cpukinds_get_nr(h, 0);
    for (int i = 0; i < count; i++) {
        const char *type = type_of_kind(h, (unsigned)i, here);
        hwloc_bitmap_and(here, here, given);
        if (!type || hwloc_bitmap_iszero(here)) continue;
        size_t k = find_kind(t, type);
        if (k == CORE_KINDS_MAX) continue;
        if (k == t->kind_count) {
            snprintf(t->kinds[k].name, sizeof t->kinds[k].name, "%s", type);
            sets[k] = hwloc_bitmap_alloc();
            t->kind_count++;
        }
        hwloc_bitmap_or(sets[k], sets[k], here);
        t->kinds[k].cores = cores_in(h, sets[k]);
    }
    hwloc_bitmap_free(here);
}

/* Narrows `given` to one kind of core: times of two kinds are those of two CPUs. */
static int topology_kind_of(struct topology *t, hwloc_bitmap_t given, struct error *e)
{
    hwloc_bitmap_t sets[CORE_KINDS_MAX];
    const char *named = getenv("ULPLAB_CORES");
    int code = 0;
    list_kinds(t, given, sets);
    t->kind = named && *named ? find_kind(t, named) : t->kind_count - 1;
    if (named && *named && t->kind == t->kind_count)
        code = fail(e, EXIT_USAGE,
                    "ULPLAB_CORES: '%.40s': not a kind of core of this CPU; known: %s%s%s", named,
                    t->kind_count ? t->kinds[0].name : "none: this CPU is not hybrid",
                    t->kind_count > 1 ? ", " : "", t->kind_count > 1 ? t->kinds[1].name : "");
    else if (t->kind_count > 1)
        hwloc_bitmap_copy(given, sets[t->kind]);
    for (size_t k = 0; k < t->kind_count; k++) hwloc_bitmap_free(sets[k]);
    if (t->kind_count < 2) t->kind_count = t->kind = 0;
    return code;
}

static void read_caches(struct topology *t)
{
    static const hwloc_obj_type_t types[LEVEL_DRAM] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
                                                       HWLOC_OBJ_L3CACHE};
    hwloc_topology_t h = t->hwloc;
    hwloc_obj_t processor = hwloc_get_pu_obj_by_os_index(h, t->processor[topology_quiet_core(t)]);
    for (int l = 0; l < LEVEL_DRAM; l++) {
        hwloc_obj_t cache =
            processor ? hwloc_get_ancestor_obj_by_type(h, types[l], processor) : NULL;
        if (!cache) continue;
        t->caches[l] = (struct cache){.bytes = cache->attr->cache.size,
                                      .processors = (unsigned)hwloc_bitmap_weight(cache->cpuset)};
    }
}

int topology_read(struct topology *t, struct error *e)
{
    *t = (struct topology){0};
    hwloc_topology_t h;
    if (hwloc_topology_init(&h) != 0 || hwloc_topology_load(h) != 0)
        return fail(e, EXIT_BAD_INPUT,
                    "topology: this machine: hwloc cannot read it; is /sys mounted?");
    t->hwloc = h;
    hwloc_bitmap_t given = hwloc_bitmap_alloc();
    if (hwloc_get_cpubind(h, given, HWLOC_CPUBIND_THREAD) != 0)
        hwloc_bitmap_copy(given, hwloc_topology_get_allowed_cpuset(h));
    hwloc_bitmap_and(given, given, hwloc_topology_get_allowed_cpuset(h));

    int code = topology_kind_of(t, given, e);
    if (code) {
        hwloc_bitmap_free(given);
        topology_close(t);
        return code;
    }
    t->processors = (unsigned)hwloc_bitmap_weight(given);
    read_cores(t, given);
    read_caches(t);
    t->packages = topology_count(h, HWLOC_OBJ_PACKAGE);
    t->numa_nodes = topology_count(h, HWLOC_OBJ_NUMANODE);
    /* hwloc's sum over NUMA nodes is not used: memory that was plugged in later may belong to none
     * of them. */
    t->memory_bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    hwloc_bitmap_free(given);
    return 0;
}

void topology_close(struct topology *t)
{
    if (t->hwloc) hwloc_topology_destroy(t->hwloc);
    t->hwloc = NULL;
}

unsigned topology_quiet_core(const struct topology *t)
{
    return t->cores > 1 ? 1 : 0;
}

int topology_pin(const struct topology *t, unsigned core, struct error *e)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_bitmap_only(set, t->processor[core]);
    int bad = hwloc_set_cpubind(t->hwloc, set, HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT);
    hwloc_bitmap_free(set);
    return bad ? fail(e, EXIT_BAD_INPUT,
                      "cannot pin: processor %u: %s; let the process choose its own affinity",
                      t->processor[core], strerror(errno))
               : 0;
}

int topology_bind_team(const struct topology *t, unsigned first, unsigned threads, struct error *e)
{
    int code = 0;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (unsigned i = 0; i < threads; i++) {
        struct error mine = {.text = ""};
        int failed = topology_pin(t, (first + i) % t->cores, &mine);
        _mm_setcsr(MXCSR_DEFAULT);
        if (failed) {
#pragma omp critical
            {
                code = failed;
                *e = mine;
            }
        }
    }
    return code;
}

json_t *topology_record(const struct topology *t)
{
    json_t *caches = json_array();
    for (int l = 0; l < LEVEL_DRAM; l++)
        if (t->caches[l].bytes)
            json_array_append_new(caches, json_pack("{s:s, s:I, s:i}", "level", level_name(l),
                                                    "bytes", (json_int_t)t->caches[l].bytes,
                                                    "shared_by", (int)t->caches[l].processors));
    json_t *kinds = json_array();
    for (size_t i = 0; i < t->kind_count; i++)
        json_array_append_new(kinds, json_pack("{s:s, s:i}", "name", t->kinds[i].name, "cores",
                                               (int)t->kinds[i].cores));
    return json_pack("{s:i, s:i, s:i, s:i, s:I, s:o, s:s?, s:o}", "packages", (int)t->packages,
                     "numa_nodes", (int)t->numa_nodes, "cores", (int)t->cores, "processors",
                     (int)t->processors, "memory_bytes", (json_int_t)t->memory_bytes, "caches",
                     caches, "core_kind", t->kind_count ? t->kinds[t->kind].name : NULL,
                     "core_kinds", kinds);
}
