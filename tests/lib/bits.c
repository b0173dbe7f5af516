// SPDX-License-Identifier: MIT
/* Prints a hash of the results of every function of libulp for some rows, for each ISA of the CPU;
 * the hashes must be equal. scripts/test-lib also runs it where the C library has to compute fma()
 * in software. */
#include <stdio.h>
#include <string.h>
#include <ulp.h>

enum { ROWS = 5, N = 1021, COUNT = ROWS * N };

static float x[COUNT], gamma_[N], y[COUNT], stats[2 * ROWS];
static uint16_t x16[COUNT], y16[COUNT];
static unsigned char workspace[1 << 16];

static uint64_t hash = 0xcbf29ce484222325u;
static void add(const void *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)p)[i]) * 0x100000001b3u;
}

/* Fills the rows with numbers of many magnitudes, some subnormal, and a NaN and an infinity in one
 * row each. */
static void fill(void)
{
    uint32_t state = 1;
    for (size_t i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        uint32_t bits = i % 3 ? (state >> 9) | 0x40000000u | (state & 0x80000000u) : state;
        if (i % 3 == 0) bits &= 0xc1ffffffu; /* the magnitude is at most 32 */
        memcpy(&x[i], &bits, sizeof bits);
        x16[i] = (uint16_t)(bits >> 16);
    }
    memcpy(&x[N + 7], &(uint32_t){0xff812345}, 4);
    memcpy(&x[2 * N + 7], &(uint32_t){0x7f800000}, 4);
    for (size_t i = 0; i < N; i++) gamma_[i] = 1.0f + (float)i / N;
}

static int run(void)
{
    int s = 0;
    s |= ulp_softmax_f32(ROWS, N, x, N, y, N, workspace, sizeof workspace), add(y, sizeof y);
    s |= ulp_log_softmax_f32(ROWS, N, x, N, y, N, NULL, 0), add(y, sizeof y);
    s |= ulp_layernorm_f32(ROWS, N, x, N, gamma_, NULL, 1e-5f, y, N, stats, NULL, 0);
    add(y, sizeof y), add(stats, sizeof stats);
    s |= ulp_rmsnorm_f32(ROWS, N, x, N, gamma_, 1e-5f, y, N, stats, NULL, 0);
    add(y, sizeof y), add(stats, ROWS * sizeof *stats);
    s |= ulp_logsumexp_f32(ROWS, N, x, N, y, 1, NULL, 0), add(y, ROWS * sizeof *y);
    s |= ulp_moments_f32(ROWS, N, x, N, y, 2), add(y, 2 * ROWS * sizeof *y);
    s |= ulp_exp_f32(COUNT, x, y), add(y, sizeof y);
    s |= ulp_log_f32(COUNT, x, y), add(y, sizeof y);
    s |= ulp_softmax_bf16(ROWS, N, x16, N, y16, N, NULL, 0), add(y16, sizeof y16);
    s |= ulp_softmax_f16(ROWS, N, x16, N, y16, N, NULL, 0), add(y16, sizeof y16);
    s |= ulp_log_f16(COUNT, x16, y16), add(y16, sizeof y16);
    return s;
}

int main(void)
{
    static const char *const isas[] = {"nofma", "scalar", "avx2", "avx512"};
    int status = 0;
    fill();
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        if (ulp_set_isa(isas[i])) continue;
        hash = 0xcbf29ce484222325u;
        status |= run();
        printf("%016llx %s\n", (unsigned long long)hash, isas[i]);
    }
    return status;
}
