// SPDX-License-Identifier: MIT
/* The statements of ulp.h about arguments, special values, state and the cost of a call. */
#include <errno.h>
#include <float.h>
#include <immintrin.h>
#include <omp.h>

#include "base/process.h"
#include "library.h"
#include "test.h"

enum { ROWS = 3, N = 20, STRIDE = 24, MATRIX = ROWS * STRIDE };

/* ---- Arguments ------------------------------------------------------------------------------- */

static float matrix[4 * ULP_STACK_N], statistics[2 * ROWS], parameters[STRIDE], workspace[8192];

/* The arguments of a call of ulp_layernorm_f32, the function with the most; `skew` is added to y's
 * address, in bytes. */
struct arguments {
    const char *what;
    int status;
    size_t rows, n;
    const float *x;
    size_t x_stride;
    const float *gamma;
    float eps;
    float *y;
    size_t y_stride, skew;
    float *stats;
    size_t workspace_bytes;
};
static float *const x_rows = matrix, *const y_rows = matrix + 2 * MATRIX;

/* A zero in n, the strides and the workspace stands for N, STRIDE and the whole workspace. */
#define AT(x_offset, y_offset) .x = matrix + (x_offset), .y = matrix + (y_offset)
#define TWO AT(0, MATRIX)
static const struct arguments refused[] = {
    {"x is NULL", ULP_NULL, .x = NULL, .y = matrix},
    {"y is NULL", ULP_NULL, .x = matrix, .y = NULL},
    {"x_stride < n", ULP_STRIDE, TWO, .x_stride = N - 1},
    {"y_stride < n", ULP_STRIDE, TWO, .y_stride = N - 1},
    {"y is not aligned", ULP_ALIGNMENT, TWO, .skew = 2},
    {"y starts within x", ULP_OVERLAP, AT(0, 1)},
    {"x starts within y", ULP_OVERLAP, AT(MATRIX - 5, 0)},
    {"in place, strides differ", ULP_OVERLAP, AT(0, 0), .y_stride = N},
    {"rows overlap", ULP_OVERLAP, AT(0, N - 1), .x_stride = 2 * N, .y_stride = 2 * N},
    {"gamma within y", ULP_OVERLAP, TWO, .gamma = matrix + MATRIX + 3},
    {"stats within x", ULP_OVERLAP, TWO, .stats = matrix + 4},
    {"stats within y", ULP_OVERLAP, TWO, .stats = matrix + MATRIX + 4},
    {"too many rows", ULP_SIZE, TWO, .rows = SIZE_MAX / 8},
    {"rows * stride overflows", ULP_SIZE, TWO, .x_stride = SIZE_MAX / 2},
    {"no workspace", ULP_WORKSPACE, AT(0, 2 * ULP_STACK_N), .rows = 1, .n = ULP_STACK_N + 1},
    {"eps < 0", ULP_EPS, TWO, .eps = -1e-5f},
    {"eps is NaN", ULP_EPS, TWO, .eps = NAN},
};
static const struct arguments accepted[] = {
    {"two matrices", ULP_OK, TWO},
    {"in place", ULP_OK, AT(0, 0)},
    {"rows alternate", ULP_OK, AT(0, N), .x_stride = 2 * N, .y_stride = 2 * N},
    {"rows alternate, y first", ULP_OK, AT(N, 0), .x_stride = 2 * N, .y_stride = 2 * N},
    {"one row, its stride is 0", ULP_OK, TWO, .rows = 1, .x_stride = SIZE_MAX, .y_stride = 1},
    {"gamma and stats", ULP_OK, TWO, .gamma = parameters, .stats = statistics},
    {"eps is 0", ULP_OK, TWO, .eps = 0},
};

static int call(const struct arguments *a)
{
    float *y = a->y;
    if (a->skew) y = (float *)((uintptr_t)y + a->skew);
    return ulp_layernorm_f32(a->rows ? a->rows : ROWS, a->n ? a->n : N, a->x,
                             a->x_stride ? a->x_stride : STRIDE, a->gamma, NULL, a->eps, y,
                             a->y_stride ? a->y_stride : STRIDE, a->stats, NULL, 0);
}

static void fill(void)
{
    for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++) matrix[i] = (float)(i % 13) - 5.0f;
    for (size_t i = 0; i < STRIDE; i++) parameters[i] = 1.0f;
}

TEST(test_arguments)
{
    static float before[sizeof matrix / sizeof *matrix];
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        fill();
        memcpy(before, matrix, sizeof before);
        int status = call(&refused[i]);
        if (status != refused[i].status)
            fail_msg("%s: %d, %s", refused[i].what, status, ulp_status_text(status));
        assert_memory_equal(matrix, before, sizeof before);
    }
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        fill();
        int status = call(&accepted[i]);
        if (status) fail_msg("%s: %s", accepted[i].what, ulp_status_text(status));
        assert_true(accepted[i].y[0] != (float)((accepted[i].y - matrix) % 13) - 5.0f);
    }
}

TEST(test_other_functions_check_too)
{
    fill();
    for (size_t i = 0; i < library_function_count; i++) {
        const struct library_function *f = &library_functions[i];
        struct job j = {.rows = ROWS, .n = N, .x = x_rows, .x_stride = STRIDE, .y_stride = STRIDE};
        assert_int_equal(f->call(&j, workspace, sizeof workspace), ULP_NULL);
        assert_int_equal(f->call_threads(2, &j, workspace, sizeof workspace), ULP_NULL);
        j.y = y_rows;
        assert_int_equal(f->call(&j, workspace, sizeof workspace), ULP_OK);
        assert_int_equal(f->call_threads(2, &j, workspace, sizeof workspace), ULP_OK);
        assert_int_equal(f->call_threads(-1, &j, workspace, sizeof workspace), ULP_THREADS);
        j.y = x_rows + 1;
        assert_int_equal(f->call(&j, workspace, sizeof workspace), ULP_OVERLAP);
        j = (struct job){.rows = 0, .n = N};
        assert_int_equal(f->call(&j, NULL, 0), ULP_OK);
        assert_int_equal(f->call_threads(0, &j, NULL, 0), ULP_OK);
    }
}

/* The smallest workspace that suffices, and one byte less. */
TEST(test_workspace)
{
    static const size_t lengths[] = {ULP_STACK_N + 1, 5000, 100000};
    assert_true(ulp_workspace_bytes(SIZE_MAX / 4) == SIZE_MAX);
    assert_true(ulp_omp_workspace_bytes(1000, SIZE_MAX / 1000) == SIZE_MAX);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        size_t n = lengths[l], bytes = ulp_workspace_bytes(n), refusals = 0;
        float *x = keep(calloc(n, sizeof *x)), *y = keep(calloc(n, sizeof *y));
        char *w = keep(malloc(bytes));
        for (size_t i = 0; i < library_function_count; i++) {
            const struct library_function *f = &library_functions[i];
            struct job j = {.rows = 1, .n = n, .x = x, .x_stride = n, .y = y, .y_stride = n};
            int want = f->needs_workspace ? ULP_WORKSPACE : ULP_OK;
            assert_int_equal(f->call(&j, w, bytes - 1), want);
            assert_int_equal(f->call(&j, NULL, 0), want);
            assert_int_equal(f->call(&j, w, bytes), ULP_OK);
            refusals += f->needs_workspace;
        }
        assert_int_equal(refusals, 18);
    }
}

TEST(test_every_status_has_a_text)
{
    for (int a = ULP_OK; a <= ULP_THREADS; a++)
        for (int b = ULP_OK; b < a; b++)
            assert_string_not_equal(ulp_status_text(a), ulp_status_text(b));
    assert_string_equal(ulp_status_text(-1), ulp_status_text(ULP_THREADS + 1));
    assert_int_equal(strncmp(ulp_version(), "1.1.0 (", 7), 0);
}

/* ---- Special values -------------------------------------------------------------------------- */

#define X(...)                                                                                     \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
/* One row of up to three elements, fp32, and its results as the header has them. A NaN is the one
 * canonical bit pattern. */
static const struct special {
    const char *function;
    size_t n;
    float x[3], want[3];
    size_t results;
} specials[] = {
    {"softmax_f32", 3, X(0, INFINITY, 1), X(NAN, NAN, NAN), 3},
    {"softmax_f32", 3, X(0, -NAN, 1), X(NAN, NAN, NAN), 3},
    {"softmax_f32", 3, X(-INFINITY, -INFINITY, -INFINITY), X(NAN, NAN, NAN), 3},
    {"softmax_f32", 3, X(-INFINITY, 3, -INFINITY), X(0, 1, 0), 3},
    {"log_softmax_f32", 3, X(0, INFINITY, 1), X(NAN, NAN, NAN), 3},
    {"log_softmax_f32", 3, X(-INFINITY, -INFINITY, -INFINITY), X(NAN, NAN, NAN), 3},
    {"log_softmax_f32", 3, X(-INFINITY, 3, 3), X(-INFINITY, -0x1.62e43p-1f, -0x1.62e43p-1f), 3},
    {"logsumexp_f32", 3, X(0, -NAN, INFINITY), X(NAN), 1},
    {"logsumexp_f32", 3, X(0, INFINITY, -INFINITY), X(INFINITY), 1},
    {"logsumexp_f32", 3, X(-INFINITY, -INFINITY, -INFINITY), X(-INFINITY), 1},
    {"logsumexp_f32", 0, X(0), X(-INFINITY), 1},
    {"moments_f32", 3, X(1, -NAN, 2), X(NAN, NAN), 2},
    {"moments_f32", 3, X(1, INFINITY, 2), X(INFINITY, NAN), 2},
    {"moments_f32", 3, X(1, -INFINITY, 2), X(-INFINITY, NAN), 2},
    {"moments_f32", 3, X(-INFINITY, 1, INFINITY), X(NAN, NAN), 2},
    {"moments_f32", 1, X(7), X(7, 0), 2},
    {"moments_f32", 0, X(0), X(NAN, NAN), 2},
    {"layernorm_f32", 3, X(1, INFINITY, 2), X(NAN, NAN, NAN), 3},
    {"layernorm_f32", 3, X(1, -NAN, 2), X(NAN, NAN, NAN), 3},
    {"rmsnorm_f32", 3, X(1, -NAN, 2), X(NAN, NAN, NAN), 3},
    {"rmsnorm_f32", 3, X(-INFINITY, 1, 2), X(NAN, 0, 0), 3},
    {"rmsnorm_f32", 2, X(FLT_MAX, -FLT_MAX), X(1, -1), 2},
    {"rmsnorm_f32", 3, X(0x1p-149f, -0x1p-149f, 0x1p-149f), X(1, -1, 1), 3},
    {"exp_f32", 3, X(-INFINITY, INFINITY, -NAN), X(0, INFINITY, NAN), 3},
    {"exp_f32", 3, X(0, 89, -104), X(1, INFINITY, 0), 3},
    {"exp_f32", 1, X(-0x1.9fe368p+6f), X(0x1p-149f), 1},
    {"log_f32", 3, X(0, -0.0f, -1), X(-INFINITY, -INFINITY, NAN), 3},
    {"log_f32", 3, X(INFINITY, -INFINITY, -NAN), X(INFINITY, NAN, NAN), 3},
    {"log_f32", 2, X(1, 0x1p-149f), X(0, -0x1.9d1dap+6f), 2},
    {"cr_softmax_f32", 3, X(-INFINITY, 3, -INFINITY), X(0, 1, 0), 3},
    {"cr_log_softmax_f32", 3, X(-INFINITY, 3, -INFINITY), X(-INFINITY, 0, -INFINITY), 3},
    {"cr_log_softmax_f32", 2, X(FLT_MAX, -FLT_MAX), X(-0.0f, -INFINITY), 2},
    {"cr_logsumexp_f32", 0, X(0), X(-INFINITY), 1},
    {"cr_moments_f32", 2, X(1, 0x1.000002p0f), X(1, 0x1p-48f), 2},
    {"cr_moments_f32", 2, X(FLT_MAX, -FLT_MAX), X(0, INFINITY), 2},
    {"cr_layernorm_f32", 2, X(FLT_MAX, -FLT_MAX), X(1, -1), 2},
    {"cr_layernorm_f32", 3, X(1, -NAN, 2), X(NAN, NAN, NAN), 3},
    {"cr_rmsnorm_f32", 3, X(-INFINITY, 1, 2), X(NAN, 0, 0), 3},
    {"cr_exp_f32", 3, X(-0x1.9fe368p+6f, INFINITY, -NAN), X(0x1p-149f, INFINITY, NAN), 3},
    {"cr_expm1_f32", 3, X(-0.0f, -INFINITY, 0x1p-149f), X(-0.0f, -1, 0x1p-149f), 3},
    {"cr_log1p_f32", 3, X(-1, -2, -0.0f), X(-INFINITY, NAN, -0.0f), 3},
    {"cr_sigmoid_f32", 3, X(-INFINITY, 0, INFINITY), X(0, 0.5f, 1), 3},
    {"cr_silu_f32", 3, X(-INFINITY, -0.0f, INFINITY), X(-0.0f, -0.0f, INFINITY), 3},
    {"cr_cos_f32", 3, X(INFINITY, 0, 0x1p100f), X(NAN, 1, 0x1.f4eb4p-2f), 3},
    {"cr_rsqrt_f32", 3, X(-0.0f, -1, INFINITY), X(-INFINITY, NAN, 0), 3},
    {"cr_rsqrt_f32", 2, X(0x1.13e07p-39f, 0x1p-149f), X(0x1.5cc0aap+19f, 0x1.6a09e6p+74f), 2},
};

static const struct library_function *find(const char *name)
{
    size_t i = 0;
    while (strcmp(library_functions[i].name, name) != 0) i++;
    return &library_functions[i];
}

static bool same(float a, float want)
{
    uint32_t bits, nan = 0x7fc00000;
    memcpy(&bits, &a, sizeof bits);
    return isnan(want) ? bits == nan : a == want && signbit(a) == signbit(want);
}

TEST(test_special_values)
{
    for (size_t i = 0; i < LIBRARY_ISAS; i++) {
        if (ulp_set_isa(library_isas[i])) continue;
        for (size_t k = 0; k < sizeof specials / sizeof *specials; k++) {
            const struct special *s = &specials[k];
            float y[3] = {5, 5, 5};
            struct job j = {.rows = 1, .n = s->n, .x = s->x, .x_stride = 3, .y = y, .y_stride = 3};
            assert_int_equal(find(s->function)->call(&j, NULL, 0), ULP_OK);
            for (size_t r = 0; r < s->results; r++)
                if (!same(y[r], s->want[r]))
                    fail_msg("%s, %s: row %zu of the table: result %zu is %a", s->function,
                             library_isas[i], k, r, y[r]);
        }
    }
    ulp_set_isa(NULL);
}

/* ---- State ----------------------------------------------------------------------------------- */

TEST(test_state)
{
    enum { FLAGS = 0x3f };
    fill();
    for (size_t i = 0; i < library_function_count; i++) {
        struct job j = {
            .rows = ROWS, .n = N, .x = x_rows, .x_stride = STRIDE, .y = y_rows, .y_stride = STRIDE};
        unsigned before = _mm_getcsr() & ~(unsigned)FLAGS;
        errno = 4711;
        assert_int_equal(library_functions[i].call(&j, NULL, 0), ULP_OK);
        assert_int_equal(errno, 4711);
        assert_int_equal(_mm_getcsr() & ~(unsigned)FLAGS, before);
    }
}

TEST(test_set_isa)
{
    char best[16];
    assert_int_equal(ulp_set_isa(NULL), ULP_OK);
    snprintf(best, sizeof best, "%s", ulp_isa());
    assert_int_equal(ulp_set_isa("nofma"), ULP_OK);
    assert_string_equal(ulp_isa(), "nofma");
    assert_int_equal(ulp_set_isa("sse9"), ULP_ISA);
    assert_int_equal(ulp_set_isa(""), ULP_ISA);
    assert_string_equal(ulp_isa(), "nofma");
    assert_int_equal(ulp_set_isa(NULL), ULP_OK);
    assert_string_equal(ulp_isa(), best);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        assert_true(!strcmp(best, "avx2") || !strcmp(best, "avx512"));
}

/* ---- The cost of a call ---------------------------------------------------------------------- */

/* The least of many averages, in ns: other load on this machine can only add to it. */
static double least_ns(const char *(*f)(void))
{
    enum { CALLS = 20000, TRIES = 200 };
    double least = INFINITY;
    for (int t = 0; t < TRIES; t++) {
        double begin = monotonic_s();
        for (int i = 0; i < CALLS; i++) __asm__ volatile("" : : "r"(f()));
        double ns = (monotonic_s() - begin) / CALLS * 1e9;
        if (ns < least) least = ns;
    }
    return least;
}

/* ulp_isa() costs the dispatch and a table look-up. */
TEST(test_dispatch_is_cheap)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip();
#endif
    double ns = least_ns(ulp_isa);
    print_message("dispatch: %.2f ns a call\n", ns);
    assert_true(ns < 5);
}
