// SPDX-License-Identifier: MIT
// PyTorch (libtorch-dev 1.13), through its C++ operators on tensors over the job's own memory:
// softmax_out, logsumexp_out, var_mean_out, and the kernel that native_layer_norm calls (its _out
// form allocates and copies). Moments are var_mean's; the object pytorchnorm.so takes layernorm's
// own statistics instead, which are faster. The lab sets ATEN_CPU_CAPABILITY, which caps the ISA,
// before it loads this object.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
// The dispatcher's table is not exported, but the kernels in it are; these macros declare them.
#define HAVE_AVX2_CPU_DEFINITION
#define HAVE_AVX512_CPU_DEFINITION
#include <ATen/native/layer_norm.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/api/include/torch/version.h>

#include "peer.h"
#include "rows.h"

#ifndef MOMENTS
#define MOMENTS var_mean
#endif

namespace
{

// Tensors over one job's memory. An application has its tensors before the call, and so does the
// lab while the same job is repeated.
struct tensors {
    job made_for;
    at::Tensor x, y, mean, second;
    at::Tensor gamma, beta; // undefined: the job has none
};

at::Tensor tensor_over(const void *p, at::IntArrayRef sizes, at::IntArrayRef strides)
{
    return at::from_blob(const_cast<void *>(p), sizes, strides, at::kFloat);
}

bool same_buffers(const job &a, const job &b)
{
    return a.rows == b.rows && a.n == b.n && a.x == b.x && a.y == b.y && a.x_stride == b.x_stride &&
           a.y_stride == b.y_stride && a.gamma == b.gamma && a.beta == b.beta && a.stats == b.stats;
}

// The content of y, and whether the statistics are in it.
enum shape { ROWS_OF_N, ONE_PER_ROW, PAIR_PER_ROW };

tensors make_tensors(const job *j, shape s)
{
    auto rows = int64_t(j->rows), n = int64_t(j->n), step = int64_t(j->y_stride);
    auto *y = static_cast<float *>(j->y);
    tensors t{*j, tensor_over(j->x, {rows, n}, {int64_t(j->x_stride), 1}), {}, {}, {}, {}, {}};
    if (s == ROWS_OF_N) t.y = tensor_over(y, {rows, n}, {step, 1});
    if (s == ONE_PER_ROW) t.y = tensor_over(y, {rows}, {step});
    if (s == PAIR_PER_ROW) {
        t.mean = tensor_over(y, {rows}, {step});
        t.second = tensor_over(y + 1, {rows}, {step});
    } else { // layer normalization always writes them, dense
        t.mean = at::empty({rows});
        t.second = at::empty({rows});
    }
    if (j->gamma) t.gamma = tensor_over(j->gamma, {n}, {1});
    if (j->beta) t.beta = tensor_over(j->beta, {n}, {1});
    return t;
}

template <shape S> tensors &tensors_of(const job *j)
{
    thread_local tensors last{};
    if (!last.x.defined() || !same_buffers(last.made_for, *j)) last = make_tensors(j, S);
    return last;
}

template <typename Body> void run_inference(Body body)
{
    try {
        c10::InferenceMode guard;
        thread_local bool single_threaded = (at::set_num_threads(1), true);
        (void)single_threaded;
        body();
    } catch (const std::exception &e) {
        std::fprintf(stderr, "PyTorch: %s\n", e.what());
        std::abort();
    }
}

// Calls rows_of(job) with dense rows only; others go one by one.
template <typename Rows> void by_dense_rows(const job *j, Rows rows_of)
{
    if (j->x_stride == j->n && j->y_stride == j->n) return rows_of(j);
    one_by_one(j, rows_of);
}

void softmax_rows(const job *j)
{
    auto &t = tensors_of<ROWS_OF_N>(j);
    if (j->log_output)
        at::_log_softmax_out(t.y, t.x, 1, false);
    else
        at::_softmax_out(t.y, t.x, 1, false);
}

// Computes softmax on dense rows: PyTorch 1.13 writes rows densely, whatever the strides of the
// tensor.
void softmax(const job *j)
{
    run_inference([&] { by_dense_rows(j, softmax_rows); });
}

void logsumexp(const job *j)
{
    run_inference([&] {
        auto &t = tensors_of<ONE_PER_ROW>(j);
        at::logsumexp_out(t.y, t.x, 1);
    });
}

[[maybe_unused]] void var_mean(const job *j)
{
    run_inference([&] {
        auto &t = tensors_of<PAIR_PER_ROW>(j);
        at::var_mean_out(t.second, t.mean, t.x, {1}, 0, false);
    });
}

// Returns the kernel that the dispatcher would choose under the cap: 1.13 has one for AVX-512, 2.11
// has none.
at::native::forward_fn layernorm_kernel()
{
    using stub = std::remove_reference_t<decltype(at::native::LayerNormKernel)>;
    const char *cap = std::getenv("ATEN_CPU_CAPABILITY");
    bool widest = cap && !std::strcmp(cap, "avx512") && stub::AVX512;
    return widest ? stub::AVX512 : stub::AVX2;
}

void layernorm_rows(const job *j)
{
    auto &t = tensors_of<ROWS_OF_N>(j);
    static const auto kernel = layernorm_kernel();
    kernel(t.x, t.gamma, t.beta, int64_t(j->rows), int64_t(j->n), double(j->eps), &t.y, &t.mean,
           &t.second);
    for (size_t r = 0; j->stats && r < j->rows; r++) {
        j->stats[2 * r] = t.mean.data_ptr<float>()[r];
        j->stats[2 * r + 1] = t.second.data_ptr<float>()[r];
    }
}

// Computes layernorm on dense rows, the only ones that the kernel takes.
void layernorm(const job *j)
{
    if (!j->rows || !j->n) return;
    run_inference([&] { by_dense_rows(j, layernorm_rows); });
}

// Computes moments by layernorm, whose other results are discarded. It returns 1 / sqrt(variance +
// eps), from which the variance follows.
[[maybe_unused]] void layernorm_statistics(const job *j)
{
    thread_local std::vector<float> discarded, statistics;
    discarded.resize(j->rows * j->n);
    statistics.resize(2 * j->rows);
    job whole = *j;
    whole.y = discarded.data();
    whole.y_stride = j->n;
    whole.gamma = whole.beta = nullptr;
    whole.eps = 0;
    whole.stats = statistics.data();
    layernorm(&whole);
    for (size_t r = 0; r < j->rows; r++) {
        auto *y = static_cast<float *>(j->y) + r * j->y_stride;
        float rstd = statistics[2 * r + 1];
        y[0] = statistics[2 * r];
        y[1] = 1 / (rstd * rstd);
    }
}

const char *version()
{
    return "PyTorch " TORCH_VERSION;
}

const peer_kernel kernels[] = {{"softmax", softmax},     {"log_softmax", softmax},
                               {"logsumexp", logsumexp}, {"moments", MOMENTS},
                               {"layernorm", layernorm}, {"layernorm_bare", layernorm},
                               {nullptr, nullptr}};

} // namespace

const peer_library ulplab_peer = {PEER_ABI, PEER_JOB, version, kernels};
