// SPDX-License-Identifier: MIT
#include "lib/dispatch.h"

#include <stdatomic.h>
#include <string.h>

#include "ulp.h"

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
