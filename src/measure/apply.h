// SPDX-License-Identifier: MIT
/* Applies one kernel to the user's data, in a child: the kernel's crash is not the lab's. */
#ifndef ULPLAB_APPLY_H
#define ULPLAB_APPLY_H

#include "base/error.h"
#include "model/npy.h"
#include "model/registry.h"
#include "oracle/oracle.h"

struct apply_plan {
    const struct variant *variant; /* one that can run here */
    const struct npy *x;
    struct parameters parameters; /* gamma and beta: of x's columns */
    struct caches caches;         /* this machine's; 0: unknown */
    bool stats;                   /* layernorm: (mean, rstd) of each row instead */
    unsigned threads;             /* 0 counts as 1 */
    double timeout_s;
};

struct apply_result {
    /* fp32; double where the kernel computes in it; half where the kernel stores its results so (a
     * bf16 result is exact as fp32, for which .npy has no type). softmax, layernorm, unary: x's
     * shape; logsumexp: [rows]; moments and stats: [rows, 2]. Its data lies in a mapping of its
     * own: apply_free, not npy_free. */
    struct npy y;
    double seconds; /* the time of the single call, cold */
};

/* EXIT_PARTIAL where the kernel crashed, hung or left modes changed; 130 or 143 when
 * interrupted. */
int apply_run(const struct apply_plan *plan, struct apply_result *result, struct error *e);
void apply_free(struct apply_result *result);

#endif
