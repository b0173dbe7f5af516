// SPDX-License-Identifier: MIT
#include "lib/cpu.h"

#include <cpuid.h>
#include <stdint.h>
#include <stdatomic.h>
#include <string.h>

#include "ulp.h"

enum { EAX, EBX, ECX, EDX, REGISTERS };
/* The registers that the operating system saves on a context switch (XCR0). */
enum { SAVES_YMM = 0x6, SAVES_ZMM = 0xe6 };
enum { OSXSAVE = 1u << 27 };

/* The feature bits that an ISA needs, by CPUID leaf, and those of XCR0. */
static const struct needs {
    uint32_t leaf1_ecx, leaf7_ebx, xcr0;
} needs[ISAS] = {
    [ISA_NOFMA] = {0, 0, 0},
    /* SSE4.1, AVX, FMA */
    [ISA_SCALAR] = {1u << 19 | 1u << 28 | 1u << 12, 0, SAVES_YMM},
    /* F16C; AVX2 */
    [ISA_AVX2] = {1u << 28 | 1u << 12 | 1u << 29, 1u << 5, SAVES_YMM},
    /* AVX-512 F, DQ, BW, VL */
    [ISA_AVX512] = {1u << 28 | 1u << 12 | 1u << 29,
                    1u << 5 | 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31, SAVES_ZMM},
};

static uint32_t saved_registers(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

bool ulp_cpu_runs(enum isa isa)
{
    const struct needs *n = &needs[isa];
    unsigned leaf1[REGISTERS] = {0}, leaf7[REGISTERS] = {0};
    if (!n->xcr0) return true;
    if (!__get_cpuid(1, &leaf1[EAX], &leaf1[EBX], &leaf1[ECX], &leaf1[EDX])) return false;
    __get_cpuid_count(7, 0, &leaf7[EAX], &leaf7[EBX], &leaf7[ECX], &leaf7[EDX]);
    return (leaf1[ECX] & n->leaf1_ecx) == n->leaf1_ecx &&
           (leaf7[EBX] & n->leaf7_ebx) == n->leaf7_ebx && (leaf1[ECX] & OSXSAVE) &&
           (saved_registers() & n->xcr0) == n->xcr0;
}

/* ---- Caches ---------------------------------------------------------------------------------- */

/* Leaf 4 (Intel) and leaf 0x8000001d (AMD) describe a cache per subleaf, in the same layout. */

enum { NO_CACHE = 0, INSTRUCTIONS = 2 };

static void add_cache(struct caches *c, const unsigned r[REGISTERS])
{
    size_t ways = (r[EBX] >> 22) + 1, partitions = (r[EBX] >> 12 & 0x3ff) + 1;
    size_t line = (r[EBX] & 0xfff) + 1, sets = (size_t)r[ECX] + 1;
    size_t bytes = ways * partitions * line * sets;
    unsigned level = r[EAX] >> 5 & 7;
    if (level == 1) c->l1 = bytes;
    if (level == 2) c->l2 = bytes;
    if (level == 3) c->l3 = bytes;
}

struct caches ulp_cpu_caches(void)
{
    static const unsigned leaves[] = {4, 0x8000001d};
    struct caches c = {0, 0, 0};
    for (size_t l = 0; l < sizeof leaves / sizeof *leaves && !c.l1; l++)
        for (unsigned i = 0; i < 16; i++) {
            unsigned r[REGISTERS] = {0};
            if (!__get_cpuid_count(leaves[l], i, &r[EAX], &r[EBX], &r[ECX], &r[EDX])) break;
            if ((r[EAX] & 0x1f) == NO_CACHE) break;
            if ((r[EAX] & 0x1f) != INSTRUCTIONS) add_cache(&c, r);
        }
    return c;
}

/* ---- The ISA in use -------------------------------------------------------------------------- */

static const char *const names[ISAS] = {
    [ISA_NOFMA] = "nofma", [ISA_SCALAR] = "scalar", [ISA_AVX2] = "avx2", [ISA_AVX512] = "avx512"};

/* The ISA in use, plus one; 0 until the CPU was asked. Threads that ask at the same time write the
 * same values, so that none has to wait for another. */
static atomic_int chosen;
static atomic_size_t l1, l2, l3;

static enum isa best_isa(void)
{
    enum isa isa = ISAS - 1;
    while (!ulp_cpu_runs(isa)) isa--;
    return isa;
}

static int ask_cpu(void)
{
    struct caches c = ulp_cpu_caches();
    int unasked = 0, best = (int)best_isa() + 1;
    atomic_store_explicit(&l1, c.l1, memory_order_relaxed);
    atomic_store_explicit(&l2, c.l2, memory_order_relaxed);
    atomic_store_explicit(&l3, c.l3, memory_order_relaxed);
    atomic_compare_exchange_strong_explicit(&chosen, &unasked, best, memory_order_release,
                                            memory_order_acquire);
    return atomic_load_explicit(&chosen, memory_order_acquire);
}

enum isa ulp_dispatch(struct caches *caches)
{
    int isa = atomic_load_explicit(&chosen, memory_order_acquire);
    if (!isa) isa = ask_cpu();
    caches->l1 = atomic_load_explicit(&l1, memory_order_relaxed);
    caches->l2 = atomic_load_explicit(&l2, memory_order_relaxed);
    caches->l3 = atomic_load_explicit(&l3, memory_order_relaxed);
    return (enum isa)(isa - 1);
}

const char *ulp_isa(void)
{
    struct caches caches;
    return names[ulp_dispatch(&caches)];
}

int ulp_set_isa(const char *name)
{
    struct caches caches;
    enum isa isa = ISAS;
    ulp_dispatch(&caches);
    if (!name) isa = best_isa();
    for (int i = 0; name && i < ISAS; i++)
        if (!strcmp(name, names[i]) && ulp_cpu_runs((enum isa)i)) isa = (enum isa)i;
    if (isa == ISAS) return ULP_ISA;
    atomic_store_explicit(&chosen, (int)isa + 1, memory_order_release);
    return ULP_OK;
}
