/* logsumexp and moments with threads. */
#include "lib/omp.h"
#include "ulp_omp.h"

DECLARE_KERNELS(logsumexp, f32);
DECLARE_KERNELS(logsumexp, bf16);
DECLARE_KERNELS(logsumexp, f16);
DECLARE_KERNELS(moments, f32);
DECLARE_KERNELS(moments, bf16);
DECLARE_KERNELS(moments, f16);

/* Rows of floats need no room to be widened, and moments none at all: what a kernel does not use is
 * not asked for. */
enum need { NEEDED, OPTIONAL };

static int reduce(int threads, const struct kernels *k, struct job j, size_t columns,
                  struct workspace workspace, enum need need)
{
    struct omp_call c = {.kernels = k,
                         .job = j,
                         .columns = columns,
                         .workspace = workspace,
                         .is_optional = need == OPTIONAL};
    return ulp_omp_run(threads, &c);
}

int ulp_omp_logsumexp_f32(int threads, size_t rows, size_t n, const float *x, size_t x_stride,
                          float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    return reduce(threads, &ulp_kernels_logsumexp_f32, ulp_job(rows, n, x, x_stride, y, y_stride),
                  1, (struct workspace){workspace, workspace_bytes}, OPTIONAL);
}
int ulp_omp_logsumexp_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                           float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    return reduce(threads, &ulp_kernels_logsumexp_bf16, ulp_job(rows, n, x, x_stride, y, y_stride),
                  1, (struct workspace){workspace, workspace_bytes}, NEEDED);
}
int ulp_omp_logsumexp_f16(int threads, size_t rows, size_t n, const ulp_f16 *x, size_t x_stride,
                          float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    return reduce(threads, &ulp_kernels_logsumexp_f16, ulp_job(rows, n, x, x_stride, y, y_stride),
                  1, (struct workspace){workspace, workspace_bytes}, NEEDED);
}

int ulp_omp_moments_f32(int threads, size_t rows, size_t n, const float *x, size_t x_stride,
                        float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    return reduce(threads, &ulp_kernels_moments_f32, ulp_job(rows, n, x, x_stride, y, y_stride), 2,
                  (struct workspace){workspace, workspace_bytes}, OPTIONAL);
}
int ulp_omp_moments_bf16(int threads, size_t rows, size_t n, const ulp_bf16 *x, size_t x_stride,
                         float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    return reduce(threads, &ulp_kernels_moments_bf16, ulp_job(rows, n, x, x_stride, y, y_stride), 2,
                  (struct workspace){workspace, workspace_bytes}, OPTIONAL);
}
int ulp_omp_moments_f16(int threads, size_t rows, size_t n, const ulp_f16 *x, size_t x_stride,
                        float *y, size_t y_stride, void *workspace, size_t workspace_bytes)
{
    return reduce(threads, &ulp_kernels_moments_f16, ulp_job(rows, n, x, x_stride, y, y_stride), 2,
                  (struct workspace){workspace, workspace_bytes}, OPTIONAL);
}
