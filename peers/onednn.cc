// SPDX-License-Identifier: MIT
// oneDNN (libdnnl-dev 2.6): softmax, log_softmax and layer normalization with its own statistics.
// For these statistics alone it has no primitive: moments runs the whole normalization. The lab
// sets ONEDNN_MAX_CPU_ISA, which caps the ISA, before it loads this object.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <omp.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "peer.h"
#include "rows.h"

namespace
{

using dnnl::memory;

struct state {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    state() { omp_set_num_threads(1); } // the lab itself divides the rows among threads
};

state &thread_state()
{
    thread_local state s;
    return s;
}

memory::desc matrix(size_t rows, size_t n, size_t stride)
{
    return {{memory::dim(rows), memory::dim(n)}, memory::data_type::f32, {memory::dim(stride), 1}};
}

// A single row gets stride n, whatever the job's stride: oneDNN's fast paths need the dense layout.
memory::desc desc_of(size_t rows, size_t n, size_t stride)
{
    return matrix(rows, n, rows == 1 ? n : stride);
}

// A primitive with its memory objects, which are pointed at the data of each job.
struct plan {
    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
    std::vector<float> mean, variance, discarded;
};

// Setting a handle takes time, and most calls have the same buffers as the one before.
void set_data(memory &m, const void *p)
{
    if (m.get_data_handle() != p) m.set_data_handle(const_cast<void *>(p));
}

// The key of a primitive: rows, n, strides, eps, flags.
using key = std::tuple<size_t, size_t, size_t, size_t, float, unsigned>;

template <typename Make> plan &cached(const key &k, Make make)
{
    thread_local std::map<key, plan> plans;
    thread_local key last;
    thread_local plan *found = nullptr;
    if (found && last == k) return *found;
    auto at = plans.find(k);
    if (at == plans.end()) at = plans.emplace(k, make()).first;
    last = k;
    return *(found = &at->second);
}

memory without_data(const memory::desc &d)
{
    return {d, thread_state().engine, DNNL_MEMORY_NONE};
}

plan make_softmax(const job *j)
{
    auto x = desc_of(j->rows, j->n, j->x_stride), y = desc_of(j->rows, j->n, j->y_stride);
    using namespace dnnl;
    auto algorithm = j->log_output ? algorithm::softmax_log : algorithm::softmax_accurate;
    softmax_v2_forward::desc d(prop_kind::forward_inference, algorithm, x, y, 1);
    plan p;
    p.primitive = softmax_v2_forward({d, thread_state().engine});
    p.arguments = {{DNNL_ARG_SRC, without_data(x)}, {DNNL_ARG_DST, without_data(y)}};
    return p;
}

plan make_layernorm(const job *j, bool statistics)
{
    using namespace dnnl;
    auto x = desc_of(j->rows, j->n, j->x_stride), y = desc_of(j->rows, j->n, j->y_stride);
    auto flags = normalization_flags::none;
    if (j->gamma) flags = flags | normalization_flags::use_scale;
    if (j->beta) flags = flags | normalization_flags::use_shift;
    // oneDNN 2.6 has one memory description for input and output.
    auto kind = statistics ? prop_kind::forward_training : prop_kind::forward_inference;
    layer_normalization_forward::desc d(kind, x, j->eps, flags);
    layer_normalization_forward::primitive_desc pd(d, thread_state().engine);
    plan p;
    p.primitive = layer_normalization_forward(pd);
    p.arguments = {{DNNL_ARG_SRC, without_data(x)}, {DNNL_ARG_DST, without_data(y)}};
    memory::desc vector({memory::dim(j->n)}, memory::data_type::f32, memory::format_tag::a);
    if (j->gamma) p.arguments[DNNL_ARG_SCALE] = without_data(vector);
    if (j->beta) p.arguments[DNNL_ARG_SHIFT] = without_data(vector);
    if (statistics) {
        p.mean.resize(j->rows);
        p.variance.resize(j->rows);
        p.arguments[DNNL_ARG_MEAN] = memory(pd.mean_desc(), thread_state().engine, p.mean.data());
        p.arguments[DNNL_ARG_VARIANCE] =
            memory(pd.variance_desc(), thread_state().engine, p.variance.data());
    }
    return p;
}

template <typename Body> void abort_on_error(Body body)
{
    try {
        body();
    } catch (const std::exception &e) {
        std::fprintf(stderr, "oneDNN: %s\n", e.what());
        std::abort();
    }
}

void execute(plan &p, const job *j)
{
    set_data(p.arguments[DNNL_ARG_SRC], j->x);
    set_data(p.arguments[DNNL_ARG_DST], j->y);
    p.primitive.execute(thread_state().stream, p.arguments);
}

void softmax(const job *j)
{
    if (!j->rows || !j->n) return;
    abort_on_error([&] {
        key k(j->rows, j->n, j->x_stride, j->y_stride, 0, j->log_output);
        execute(cached(k, [&] { return make_softmax(j); }), j);
    });
}

// Computes rows whose strides are the same for x and y, because oneDNN 2.6 has one memory
// description for input and output.
void layernorm_rows(const job *j)
{
    abort_on_error([&] {
        unsigned flags = 1u << 1 | (j->gamma != nullptr) << 2 | (j->beta != nullptr) << 3 |
                         (j->stats != nullptr) << 4;
        key k(j->rows, j->n, j->x_stride, j->y_stride, j->eps, flags);
        plan &p = cached(k, [&] { return make_layernorm(j, j->stats != nullptr); });
        if (j->gamma) set_data(p.arguments[DNNL_ARG_SCALE], j->gamma);
        if (j->beta) set_data(p.arguments[DNNL_ARG_SHIFT], j->beta);
        execute(p, j);
        for (size_t r = 0; j->stats && r < j->rows; r++) {
            j->stats[2 * r] = p.mean[r];
            j->stats[2 * r + 1] = 1 / std::sqrt(p.variance[r] + j->eps);
        }
    });
}

// Computes layernorm; rows whose strides differ go one by one.
void layernorm(const job *j)
{
    if (!j->rows || !j->n) return;
    if (j->x_stride == j->y_stride) return layernorm_rows(j);
    one_by_one(j, layernorm_rows);
}

// Computes moments by layernorm; its results beside the statistics are discarded. Rows are dense or
// go one by one.
void moments(const job *j)
{
    if (!j->n) std::abort(); // it does not define an empty row
    abort_on_error([&] {
        size_t rows = j->x_stride == j->n ? j->rows : 1;
        for (size_t first = 0; first < j->rows; first += rows) {
            job part = *j;
            part.rows = rows;
            part.x = static_cast<const float *>(j->x) + first * j->x_stride;
            part.x_stride = part.y_stride = j->n;
            part.gamma = part.beta = nullptr;
            key k(rows, j->n, j->n, j->n, 0, 1u << 5);
            plan &p = cached(k, [&] { return make_layernorm(&part, true); });
            p.discarded.resize(rows * j->n);
            part.y = p.discarded.data();
            execute(p, &part);
            for (size_t r = 0; r < rows; r++) {
                auto *y = static_cast<float *>(j->y) + (first + r) * j->y_stride;
                y[0] = p.mean[r];
                y[1] = p.variance[r];
            }
        }
    });
}

const char *version()
{
    static char text[40];
    const dnnl_version_t *v = dnnl_version();
    std::snprintf(text, sizeof text, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
    return text;
}

const peer_kernel kernels[] = {{"softmax", softmax},          {"log_softmax", softmax},
                               {"moments", moments},          {"layernorm", layernorm},
                               {"layernorm_bare", layernorm}, {nullptr, nullptr}};

} // namespace

const peer_library ulplab_peer = {PEER_ABI, PEER_JOB, version, kernels};
