// SPDX-License-Identifier: MIT
/* No policy's flags reach the process: MXCSR is 0x1f80 (no FTZ, no DAZ, round to nearest, all
 * exceptions masked) in main, in every OpenMP thread, and after every kernel call in each of them.
 * Linking any object with -ffast-math would set 0x9fc0 at start-up. */
#include <immintrin.h>
#include <omp.h>

#include "model/registry.h"

#include "filtered.h"
#include "test.h"

enum { MXCSR = 0x1f80, FLAGS = 0x3f, THREADS = 4, N = 67 };

/* Returns the control bits; the others are sticky flags that record exceptions. */
static unsigned control(void)
{
    return _mm_getcsr() & ~(unsigned)FLAGS;
}

/* Returns whether the smallest subnormal survives as an operand and as a result. */
static bool keeps_subnormals(void)
{
    volatile float least = 0x1p-149f, least_normal = 0x1p-126f, one = 1.0f, half = 0.5f;
    return least * one == 0x1p-149f && least_normal * half == 0x1p-127f;
}

static unsigned at_start;

TEST(test_main)
{
    assert_int_equal(at_start & ~(unsigned)FLAGS, MXCSR);
    assert_int_equal(control(), MXCSR);
    assert_true(keeps_subnormals());
}

TEST(test_every_thread)
{
    unsigned seen[THREADS] = {0}, threads = 0;
    bool kept[THREADS] = {false};
#pragma omp parallel num_threads(THREADS) reduction(+ : threads)
    {
        int t = omp_get_thread_num();
        seen[t] = control();
        kept[t] = keeps_subnormals();
        threads++;
    }
    assert_in_range(threads, 1, THREADS);
    for (unsigned t = 0; t < threads; t++) {
        assert_int_equal(seen[t], MXCSR);
        assert_true(kept[t]);
    }
}

/* Runs a kernel; returns 0, or the value to which it changed MXCSR. */
static unsigned run_one(const struct kernel *k)
{
    float x[N], y[N], stats[2];
    _Alignas(64) float scratch[2 * N + 256];
    for (size_t i = 0; i < N; i++) x[i] = (float)i * 0.25f - 8.0f;
    struct job j = row_job(x, N, y, scratch);
    j.stats = stats;
    unsigned before = control();
    k->run(&j);
    unsigned after = control();
    return before != MXCSR ? before : after != MXCSR ? after : 0;
}

TEST(test_every_kernel_in_every_thread)
{
    struct registry r = registry_of_filter(NULL);
    size_t ran = 0, failures = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : ran, failures)
    for (size_t i = 0; i < r.count; i++) {
        const struct variant *v = &r.variants[i];
        if (v->status != STATUS_OK || v->study) continue;
        unsigned csr = run_one(v->kernel);
        ran++;
        if (csr) {
            failures++;
            fprintf(stderr, "%s: thread %d: MXCSR %#x\n", v->id, omp_get_thread_num(), csr);
            _mm_setcsr(MXCSR);
        }
    }
    assert_true(ran > 0);
    assert_int_equal(failures, 0);
}

int main(void)
{
    at_start = _mm_getcsr();
    return test_run();
}
