// SPDX-License-Identifier: MIT
/* ggml, the CPU kernels of llama.cpp: soft_max, norm, rms_norm, and silu, from the shared libraries
 * in the npm package @node-llama-cpp/linux-x64, one for each type of CPU. They are called as a
 * thread of ggml's pool calls them, alone and without a graph. The lab sets GGML_PEER_ISA before it
 * loads this object, and thereby chooses the library: avx2 is the one for Haswell; of those with
 * AVX-512, it is the one that ggml itself rates highest on this CPU.
 *
 * The package has no header. The declarations below follow ggml.h and ggml-cpu-impl.h of its
 * version; the place of the data pointer in a tensor is found out at run time. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beside.h"
#include "peer.h"

/* ---- ggml's interface ------------------------------------------------------------------------ */

struct tensor; /* opaque; this file sets only its data pointer */
struct context;
struct init_params {
    size_t bytes;
    void *buffer;
    bool no_alloc;
};
/* The parameters of a call: thread `ith` of `nth`. `reserved` stands for the members that later
 * versions have added, as zeros. */
struct compute_params {
    int ith, nth;
    size_t work_bytes;
    void *work;
    void *pool;
    void *reserved[4];
};
enum { TYPE_F32 = 0 };

static struct {
    struct context *(*init)(struct init_params);
    void (*free)(struct context *);
    struct tensor *(*new_tensor_1d)(struct context *, int type, int64_t n);
    struct tensor *(*new_tensor_2d)(struct context *, int type, int64_t n, int64_t rows);
    void *(*get_data)(const struct tensor *);
    size_t (*tensor_overhead)(void);
    struct tensor *(*soft_max)(struct context *, struct tensor *x);
    struct tensor *(*norm)(struct context *, struct tensor *x, float eps);
    struct tensor *(*rms_norm)(struct context *, struct tensor *x, float eps);
    struct tensor *(*mul)(struct context *, struct tensor *a, struct tensor *b);
    struct tensor *(*add)(struct context *, struct tensor *a, struct tensor *b);
    const char *(*version)(void);
    const char *(*commit)(void);
    /* The functions of the CPU's library. */
    void (*cpu_init)(void);
    void (*compute_soft_max)(const struct compute_params *, struct tensor *);
    void (*compute_norm)(const struct compute_params *, struct tensor *);
    void (*compute_rms_norm)(const struct compute_params *, struct tensor *);
    void (*compute_rms_norm_mul)(const struct compute_params *, struct tensor *norm,
                                 struct tensor *mul);
    void (*compute_mul)(const struct compute_params *, struct tensor *);
    void (*compute_add)(const struct compute_params *, struct tensor *);
    void (*silu)(int n, float *y, const float *x);
    size_t data_at; /* byte offset of a tensor's data pointer */
    char cpu[24];   /* "haswell" */
} ggml;

__attribute__((noreturn)) static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "ggml: %s: %s\n", what, why);
    abort();
}

/* ---- Loading --------------------------------------------------------------------------------- */

static void find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    if (!found) give_up(name, "this version has no such function");
    memcpy(function, &found, sizeof found);
}

/* Returns ggml's own rating of a library on this CPU; 0: it cannot run here. */
static int score_of(void *library)
{
    int (*score)(void);
    find(library, "ggml_backend_score", (void *)&score);
    return score();
}

static void *open_best_avx512(void)
{
    static const char *const types[] = {"skylakex", "cannonlake", "cascadelake",   "cooperlake",
                                        "icelake",  "zen4",       "sapphirerapids"};
    void *best = NULL;
    int most = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char name[64];
        snprintf(name, sizeof name, "ggml/libggml-cpu-%s.so", types[i]);
        void *library = open_beside(name, RTLD_LOCAL);
        int score = score_of(library);
        if (score <= most) {
            dlclose(library);
            continue;
        }
        if (best) dlclose(best);
        best = library;
        most = score;
        snprintf(ggml.cpu, sizeof ggml.cpu, "%s", types[i]);
    }
    if (!best) give_up("AVX-512", "no library runs on this CPU");
    return best;
}

static void find_functions(void *base, void *cpu)
{
    const struct {
        void *library;
        const char *name;
        void *function;
    } all[] = {
        {base, "ggml_init", &ggml.init},
        {base, "ggml_free", &ggml.free},
        {base, "ggml_new_tensor_1d", &ggml.new_tensor_1d},
        {base, "ggml_new_tensor_2d", &ggml.new_tensor_2d},
        {base, "ggml_get_data", &ggml.get_data},
        {base, "ggml_tensor_overhead", &ggml.tensor_overhead},
        {base, "ggml_soft_max", &ggml.soft_max},
        {base, "ggml_norm", &ggml.norm},
        {base, "ggml_rms_norm", &ggml.rms_norm},
        {base, "ggml_mul", &ggml.mul},
        {base, "ggml_add", &ggml.add},
        {base, "ggml_version", &ggml.version},
        {base, "ggml_commit", &ggml.commit},
        {cpu, "ggml_cpu_init", &ggml.cpu_init},
        {cpu, "ggml_compute_forward_soft_max", &ggml.compute_soft_max},
        {cpu, "ggml_compute_forward_norm", &ggml.compute_norm},
        {cpu, "ggml_compute_forward_rms_norm", &ggml.compute_rms_norm},
        {cpu, "ggml_compute_forward_rms_norm_mul_fused", &ggml.compute_rms_norm_mul},
        {cpu, "ggml_compute_forward_mul", &ggml.compute_mul},
        {cpu, "ggml_compute_forward_add", &ggml.compute_add},
        {cpu, "ggml_vec_silu_f32", &ggml.silu},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        find(all[i].library, all[i].name, all[i].function);
}

/* Returns the offset of a tensor's data pointer: of a tensor with memory of its own ggml returns
 * the data's address, which is then searched for in the tensor. */
static size_t find_data_pointer(void)
{
    char *memory = malloc(4096);
    struct context *c = memory ? ggml.init((struct init_params){4096, memory, false}) : NULL;
    struct tensor *t = c ? ggml.new_tensor_1d(c, TYPE_F32, 4) : NULL;
    if (!t) give_up("ggml_new_tensor_1d", "no tensor");
    const void *data = ggml.get_data(t);
    for (size_t at = 0; at < ggml.tensor_overhead(); at += sizeof data)
        if (!memcmp((const char *)t + at, &data, sizeof data)) {
            ggml.free(c);
            free(memory);
            return at;
        }
    give_up("ggml_get_data", "a tensor does not hold its data pointer");
}

__attribute__((constructor)) static void load(void)
{
    const char *isa = getenv("GGML_PEER_ISA");
    void *base = open_beside("ggml/libggml-base.so", RTLD_GLOBAL), *cpu;
    if (isa && !strcmp(isa, "avx512")) {
        cpu = open_best_avx512();
    } else {
        snprintf(ggml.cpu, sizeof ggml.cpu, "haswell");
        cpu = open_beside("ggml/libggml-cpu-haswell.so", RTLD_LOCAL);
    }
    find_functions(base, cpu);
    ggml.cpu_init();
    ggml.data_at = find_data_pointer();
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* The tensors of one operation on one shape: x, its result, and with gamma and beta, a product and
 * a sum, as llama.cpp builds them. All results lie in y, since each is the next one's input. Each
 * thread has tensors of its own. */
enum op { SOFT_MAX, NORM, RMS_NORM };
struct plan {
    enum op op;
    size_t rows, n;
    float eps;
    bool gamma, beta;
    struct tensor *x, *result, *weight, *product, *bias, *sum;
    struct plan *next;
};

static void point(struct tensor *t, const void *data)
{
    if (t) memcpy((char *)t + ggml.data_at, &data, sizeof data);
}

static struct tensor *result_of(struct context *c, const struct plan *p)
{
    switch (p->op) {
    case SOFT_MAX:
        return ggml.soft_max(c, p->x);
    case NORM:
        return ggml.norm(c, p->x, p->eps);
    case RMS_NORM:
        return ggml.rms_norm(c, p->x, p->eps);
    }
    return NULL;
}

static struct plan *make_plan(const struct plan *like)
{
    size_t bytes = 16 * ggml.tensor_overhead();
    struct plan *p = malloc(sizeof *p);
    void *memory = malloc(bytes);
    struct context *c = p && memory ? ggml.init((struct init_params){bytes, memory, true}) : NULL;
    if (!c) give_up("ggml_init", "no memory");
    *p = *like;
    p->x = ggml.new_tensor_2d(c, TYPE_F32, (int64_t)p->n, (int64_t)p->rows);
    p->result = result_of(c, p);
    if (p->gamma) {
        p->weight = ggml.new_tensor_1d(c, TYPE_F32, (int64_t)p->n);
        p->product = ggml.mul(c, p->result, p->weight);
    }
    if (p->beta) {
        p->bias = ggml.new_tensor_1d(c, TYPE_F32, (int64_t)p->n);
        p->sum = ggml.add(c, p->gamma ? p->product : p->result, p->bias);
    }
    return p;
}

static struct plan *plan_of(enum op op, const struct job *j)
{
    static _Thread_local struct plan *plans;
    const struct plan like = {.op = op,
                              .rows = j->rows,
                              .n = j->n,
                              .eps = j->eps,
                              .gamma = j->gamma && op != SOFT_MAX,
                              .beta = j->beta && op == NORM,
                              .next = plans};
    for (struct plan *p = plans; p; p = p->next)
        if (p->op == like.op && p->rows == like.rows && p->n == like.n && p->eps == like.eps &&
            p->gamma == like.gamma && p->beta == like.beta)
            return p;
    return plans = make_plan(&like);
}

/* Returns the parameters of a single thread, with room for a row and a line of floats. */
static struct compute_params alone(size_t n)
{
    static _Thread_local void *work;
    static _Thread_local size_t room;
    size_t bytes = (n + 64) * sizeof(float);
    if (bytes > room) {
        free(work);
        work = aligned_alloc(64, (bytes + 63) / 64 * 64);
        if (!work) give_up("work", "no memory");
        room = bytes;
    }
    return (struct compute_params){.nth = 1, .work_bytes = room, .work = work};
}

static void compute(enum op op, const struct job *j)
{
    struct plan *p = plan_of(op, j);
    struct compute_params alone_here = alone(j->n);
    point(p->x, j->x);
    point(p->result, j->y);
    point(p->weight, j->gamma);
    point(p->product, j->y);
    point(p->bias, j->beta);
    point(p->sum, j->y);
    if (op == SOFT_MAX) ggml.compute_soft_max(&alone_here, p->result);
    if (op == NORM) ggml.compute_norm(&alone_here, p->result);
    if (op == RMS_NORM && p->gamma)
        return ggml.compute_rms_norm_mul(&alone_here, p->result, p->product);
    if (op == RMS_NORM) ggml.compute_rms_norm(&alone_here, p->result);
    if (p->gamma) ggml.compute_mul(&alone_here, p->product);
    if (p->beta) ggml.compute_add(&alone_here, p->sum);
}

/* Calls run for the rows, one by one if they are not dense, because ggml's rows are. Its norms
 * return no statistics. */
static void by_rows(const struct job *j, void (*run)(const struct job *))
{
    if (!j->rows || !j->n) return;
    if (j->rows == 1 || (j->x_stride == j->n && j->y_stride == j->n)) return run(j);
    struct job one = *j;
    one.rows = 1;
    for (size_t r = 0; r < j->rows; r++) {
        one.x = (const float *)j->x + r * j->x_stride;
        one.y = (float *)j->y + r * j->y_stride;
        run(&one);
    }
}

static void soft_max_dense(const struct job *j)
{
    compute(SOFT_MAX, j);
}
static void norm_dense(const struct job *j)
{
    compute(NORM, j);
}
static void rms_norm_dense(const struct job *j)
{
    compute(RMS_NORM, j);
}
static void silu_dense(const struct job *j)
{
    ggml.silu((int)(j->rows * j->n), j->y, j->x);
}

static void softmax(const struct job *j)
{
    by_rows(j, soft_max_dense);
}
static void layernorm(const struct job *j)
{
    by_rows(j, norm_dense);
}
static void rmsnorm(const struct job *j)
{
    by_rows(j, rms_norm_dense);
}
static void silu(const struct job *j)
{
    by_rows(j, silu_dense);
}

static const char *version(void)
{
    static char text[64];
    snprintf(text, sizeof text, "ggml %s (%.12s), %s", ggml.version(), ggml.commit(), ggml.cpu);
    return text;
}

static const struct peer_kernel kernels[] = {
    {"softmax", softmax}, {"layernorm", layernorm}, {"layernorm_bare", layernorm},
    {"rmsnorm", rmsnorm}, {"silu", silu},           {NULL, NULL}};

const struct peer_library ulplab_peer = {PEER_ABI, PEER_JOB, version, kernels};
