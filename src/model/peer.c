// SPDX-License-Identifier: MIT
#include "model/peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CAPS_MAX = 2 };

/* The peers. A new one takes its shim in peers/, its line in scripts/peers, and its row here. */
static const struct library {
    const char *name, *package;
    const char *ops[PEER_OPS_MAX];
    struct {
        const char *isa, *variable, *value;
    } caps[CAPS_MAX];
} libraries[] = {
    {"onednn",
     "libdnnl-dev",
     {"softmax", "log_softmax", "moments", "layernorm", "layernorm_bare"},
     {{"avx2", "ONEDNN_MAX_CPU_ISA", "AVX2"}, {"avx512", "ONEDNN_MAX_CPU_ISA", "ALL"}}},
    {"xnnpack", "libxnnpack-dev", {"softmax"}, {{"auto", "", ""}}},
    {"pytorch",
     "libtorch-dev",
     {"softmax", "log_softmax", "logsumexp", "moments", "layernorm", "layernorm_bare"},
     {{"avx2", "ATEN_CPU_CAPABILITY", "avx2"}, {"avx512", "ATEN_CPU_CAPABILITY", "avx512"}}},
    {"pytorchnorm",
     "libtorch-dev",
     {"moments"},
     {{"avx2", "ATEN_CPU_CAPABILITY", "avx2"}, {"avx512", "ATEN_CPU_CAPABILITY", "avx512"}}},
    {"ggml",
     "@node-llama-cpp/linux-x64 from the npm registry",
     {"softmax", "layernorm", "layernorm_bare", "rmsnorm", "silu"},
     {{"avx2", "GGML_PEER_ISA", "avx2"}, {"avx512", "GGML_PEER_ISA", "avx512"}}},
    {"onnxruntime",
     "onnxruntime-node from the npm registry",
     {"softmax", "log_softmax", "logsumexp", "layernorm", "layernorm_bare", "rmsnorm"},
     {{"auto", "", ""}}},
    {"libulp",
     "what 'make install-lib' installed",
     {"softmax", "log_softmax", "logsumexp", "moments", "layernorm", "layernorm_bare", "rmsnorm"},
     {{"avx2", "ULP_PEER_ISA", "avx2"}, {"avx512", "ULP_PEER_ISA", "avx512"}}},
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

static void object_path(const char *library, char path[PEER_PATH_MAX])
{
    const char *named = getenv("ULPLAB_PEERS");
    char program[PEER_PATH_MAX] = "";
    if (!named) {
        ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
        char *slash = n > 0 ? strrchr(program, '/') : NULL;
        if (slash) *slash = '\0';
    }
    int n = snprintf(path, PEER_PATH_MAX, "%s%s/%s.so", named ? named : program,
                     named ? "" : "/peers", library);
    if (n >= PEER_PATH_MAX) path[0] = '\0';
}

static void peer_fill(struct peer *p, const struct library *l, size_t cap)
{
    *p = (struct peer){.library = l->name,
                       .isa = l->caps[cap].isa,
                       .build = {.source = "",
                                 .isa = l->caps[cap].isa,
                                 .cc = "lib",
                                 .policy = "lib",
                                 .command = "",
                                 .witnessed = "",
                                 .object = "",
                                 .build_error = ""}};
    object_path(l->name, p->order.path);
    snprintf(p->order.variable, sizeof p->order.variable, "%s", l->caps[cap].variable);
    snprintf(p->order.value, sizeof p->order.value, "%s", l->caps[cap].value);
    snprintf(p->algorithm, sizeof p->algorithm, "peer-%s", l->name);
    for (size_t i = 0; i < PEER_OPS_MAX && l->ops[i]; i++) {
        const char *op = p->ops[i] = l->ops[i];
        const bool reduces = !strcmp(op, "logsumexp") || !strcmp(op, "moments");
        /* bytes: x is read once, y is written once. */
        p->kernels[i] = (struct kernel){.op = op,
                                        .algorithm = p->algorithm,
                                        .dtype = "f32",
                                        .arithmetic = ARITHMETIC_LIBRARY,
                                        .log_output = !strcmp(op, "log_softmax"),
                                        .bytes = reduces ? 4 : 8};
    }
}

struct peer *peers_all(size_t *count)
{
    struct peer *peers = calloc(LIBRARIES * CAPS_MAX, sizeof *peers);
    *count = 0;
    for (size_t l = 0; peers && l < LIBRARIES; l++)
        for (size_t c = 0; c < CAPS_MAX && libraries[l].caps[c].isa; c++)
            peer_fill(&peers[(*count)++], &libraries[l], c);
    return peers;
}

bool peer_is_built(const struct peer *p, char *reason, size_t reason_size)
{
    if (p->order.path[0] && access(p->order.path, R_OK) == 0) return true;
    const struct library *l = libraries;
    while (strcmp(l->name, p->library) != 0) l++;
    snprintf(reason, reason_size, "%s is not built; 'make peers' %s %s and builds it", p->library,
             strchr(l->package, ' ') ? "takes" : "installs", l->package);
    return false;
}
