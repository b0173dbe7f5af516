// SPDX-License-Identifier: MIT
/* Workers of a worker: one for each peer under each of its caps. */
#ifndef ULPLAB_WORKER_HELPERS_H
#define ULPLAB_WORKER_HELPERS_H

#include <sys/types.h>

#include "measure/work.h"

struct helper {
    struct peer_order peer;
    pid_t pid;
    int orders, results;
};
enum { HELPERS_MAX = 16 };
struct helpers {
    struct helper all[HELPERS_MAX];
    size_t count;
};

/* Lets its helper visit the order's peer; the helper is started if there is none. If the helper
 * dies, this process ends in the same way, which its parent interprets. */
struct visit_result helpers_visit(struct helpers *h, const struct work_header *work,
                                  const struct work_order *o, const struct visit *visit);
void helpers_end(struct helpers *h);

#endif
