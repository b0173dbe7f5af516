// SPDX-License-Identifier: MIT
/* A library that is none: what loading meets, one object per -DFAKE_..., for tests/test_peers.c.
 *   FAKE_GOOD      its softmax writes 2 under a cap to AVX2 and 5 without, its layernorm and silu 1
 *   FAKE_CRASH     the same, but under the cap to AVX2 softmax takes the process with it
 *   FAKE_DEAR      the same, but each call takes 100 us, and 1 us for each element
 *   FAKE_FOREIGN   built for another contract
 *   FAKE_ABORT     dies while it is loaded
 *   FAKE_EMPTY     has no symbol of ours */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "peer.h"

static int is_capped(void)
{
    const char *cap = getenv("ONEDNN_MAX_CPU_ISA");
    return cap && !strcmp(cap, "AVX2");
}

#ifdef FAKE_DEAR
static void spend(double seconds)
{
    struct timespec now, begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) <
           seconds);
}
#endif

static void fill(const struct job *j, float value)
{
#ifdef FAKE_DEAR
    spend(1e-4 + 1e-6 * (double)(j->rows * j->n));
#endif
    for (size_t r = 0; r < j->rows; r++)
        for (size_t i = 0; i < j->n; i++) ((float *)j->y)[r * j->y_stride + i] = value;
}

static void softmax(const struct job *j)
{
#ifdef FAKE_CRASH
    if (is_capped()) abort();
#endif
    fill(j, is_capped() ? 2 : 5);
}

static void layernorm(const struct job *j)
{
    fill(j, 1);
}

static const char *version(void)
{
    return "fake 7.8";
}

#ifdef FAKE_ABORT
__attribute__((constructor)) static void die(void)
{
    abort();
}
#endif

#ifdef FAKE_FOREIGN
enum { ABI = PEER_ABI + 1 };
#else
enum { ABI = PEER_ABI };
#endif

static const struct peer_kernel kernels[] = {
    {"softmax", softmax}, {"layernorm", layernorm}, {"silu", layernorm}, {NULL, NULL}};

#ifdef FAKE_EMPTY
__attribute__((visibility("hidden")))
#endif
const struct peer_library ulplab_peer = {ABI, PEER_JOB, version, kernels};
