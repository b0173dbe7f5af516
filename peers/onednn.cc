// oneDNN (libdnnl-dev 2.6): softmax, log_softmax, layer normalization with its own statistics.
// Capped by ONEDNN_MAX_CPU_ISA, which the lab sets before this is loaded.
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

namespace {

using dnnl::memory;

struct state {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    state() { omp_set_num_threads(1); } // the lab shares the rows out itself
};

state &mine() {
    thread_local state s;
    return s;
}

memory::desc matrix(size_t rows, size_t n, size_t stride) {
    return {{memory::dim(rows), memory::dim(n)},
            memory::data_type::f32,
            {memory::dim(stride), 1}};
}

// One row after the other in memory: what oneDNN's own tag says, and its fast paths ask for.
memory::desc desc_of(size_t rows, size_t n, size_t stride) {
    return matrix(rows, n, rows == 1 ? n : stride);
}

// A primitive with its memory objects, whose handles follow the job's pointers.
struct plan {
    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
    std::vector<float> mean, variance;
};

// Setting a handle costs; callers mostly come back with the same buffers.
void point(memory &m, const void *p) {
    if (m.get_data_handle() != p) m.set_data_handle(const_cast<void *>(p));
}

// rows, n, strides, eps, flags: what a primitive is made for.
using key = std::tuple<size_t, size_t, size_t, size_t, float, unsigned>;

template <typename Make>
plan &cached(const key &k, Make make) {
    thread_local std::map<key, plan> plans;
    thread_local key last;
    thread_local plan *found = nullptr;
    if (found && last == k) return *found;
    auto at = plans.find(k);
    if (at == plans.end()) at = plans.emplace(k, make()).first;
    last = k;
    return *(found = &at->second);
}

memory nowhere(const memory::desc &d) { return {d, mine().engine, DNNL_MEMORY_NONE}; }

plan make_softmax(const job *j) {
    auto x = desc_of(j->rows, j->n, j->x_stride), y = desc_of(j->rows, j->n, j->y_stride);
    using namespace dnnl;
    auto algorithm = j->log_output ? algorithm::softmax_log : algorithm::softmax_accurate;
    softmax_v2_forward::desc d(prop_kind::forward_inference, algorithm, x, y, 1);
    plan p;
    p.primitive = softmax_v2_forward({d, mine().engine});
    p.arguments = {{DNNL_ARG_SRC, nowhere(x)}, {DNNL_ARG_DST, nowhere(y)}};
    return p;
}

plan make_layernorm(const job *j) {
    using namespace dnnl;
    auto x = desc_of(j->rows, j->n, j->x_stride), y = desc_of(j->rows, j->n, j->y_stride);
    auto flags = normalization_flags::none;
    if (j->gamma) flags = flags | normalization_flags::use_scale;
    if (j->beta) flags = flags | normalization_flags::use_shift;
    // 2.6 writes where it reads: one description for both.
    auto kind = j->stats ? prop_kind::forward_training : prop_kind::forward_inference;
    layer_normalization_forward::desc d(kind, x, j->eps, flags);
    layer_normalization_forward::primitive_desc pd(d, mine().engine);
    plan p;
    p.primitive = layer_normalization_forward(pd);
    p.arguments = {{DNNL_ARG_SRC, nowhere(x)}, {DNNL_ARG_DST, nowhere(y)}};
    memory::desc vector({memory::dim(j->n)}, memory::data_type::f32, memory::format_tag::a);
    if (j->gamma) p.arguments[DNNL_ARG_SCALE] = nowhere(vector);
    if (j->beta) p.arguments[DNNL_ARG_SHIFT] = nowhere(vector);
    if (j->stats) {
        p.mean.resize(j->rows);
        p.variance.resize(j->rows);
        p.arguments[DNNL_ARG_MEAN] = memory(pd.mean_desc(), mine().engine, p.mean.data());
        p.arguments[DNNL_ARG_VARIANCE] = memory(pd.variance_desc(), mine().engine,
                                                p.variance.data());
    }
    return p;
}

template <typename Body>
void or_abort(Body body) {
    try {
        body();
    } catch (const std::exception &e) {
        std::fprintf(stderr, "oneDNN: %s\n", e.what());
        std::abort();
    }
}

void execute(plan &p, const job *j) {
    point(p.arguments[DNNL_ARG_SRC], j->x);
    point(p.arguments[DNNL_ARG_DST], j->y);
    p.primitive.execute(mine().stream, p.arguments);
}

void softmax(const job *j) {
    if (!j->rows || !j->n) return;
    or_abort([&] {
        key k(j->rows, j->n, j->x_stride, j->y_stride, 0, j->log_output);
        execute(cached(k, [&] { return make_softmax(j); }), j);
    });
}

// oneDNN 2.6 has one description for input and output: other strides go row by row.
void layernorm_rows(const job *j) {
    or_abort([&] {
        unsigned flags = 1u << 1 | (j->gamma != nullptr) << 2 | (j->beta != nullptr) << 3 |
                         (j->stats != nullptr) << 4;
        key k(j->rows, j->n, j->x_stride, j->y_stride, j->eps, flags);
        plan &p = cached(k, [&] { return make_layernorm(j); });
        if (j->gamma) point(p.arguments[DNNL_ARG_SCALE], j->gamma);
        if (j->beta) point(p.arguments[DNNL_ARG_SHIFT], j->beta);
        execute(p, j);
        for (size_t r = 0; j->stats && r < j->rows; r++) {
            j->stats[2 * r] = p.mean[r];
            j->stats[2 * r + 1] = 1 / std::sqrt(p.variance[r] + j->eps);
        }
    });
}

void layernorm(const job *j) {
    if (!j->rows || !j->n) return;
    if (j->x_stride == j->y_stride) return layernorm_rows(j);
    for (size_t r = 0; r < j->rows; r++) {
        job one = *j;
        one.rows = 1;
        one.x = static_cast<const float *>(j->x) + r * j->x_stride;
        one.y = static_cast<float *>(j->y) + r * j->y_stride;
        one.x_stride = one.y_stride = j->n;
        if (j->stats) one.stats = j->stats + 2 * r;
        layernorm_rows(&one);
    }
}

const char *version() {
    static char text[40];
    const dnnl_version_t *v = dnnl_version();
    std::snprintf(text, sizeof text, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
    return text;
}

const peer_kernel kernels[] = {
    {"softmax", softmax}, {"layernorm", layernorm}, {nullptr, nullptr}};

} // namespace

const peer_library ulplab_peer = {PEER_ABI, PEER_JOB, version, kernels};
