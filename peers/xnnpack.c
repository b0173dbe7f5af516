// SPDX-License-Identifier: MIT
/* XNNPACK (libxnnpack-dev): the softmax operator. Debian's library does not export its microkernels
 * and has no cap on the ISA: it uses the widest vectors that it has code for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xnnpack.h>

#include "peer.h"

/* The operator for a shape. Each thread has its own, because setting it up writes into it. */
struct plan {
    size_t n, x_stride, y_stride;
    xnn_operator_t softmax;
    struct plan *next;
};

static void check(enum xnn_status status, const char *what)
{
    if (status == xnn_status_success) return;
    fprintf(stderr, "XNNPACK: %s: status %d\n", what, (int)status);
    abort();
}

static struct plan *plan_of(const struct job *j)
{
    static _Thread_local struct plan *plans;
    struct plan *p = plans;
    while (p && (p->n != j->n || p->x_stride != j->x_stride || p->y_stride != j->y_stride))
        p = p->next;
    if (p) return p;
    p = malloc(sizeof *p);
    if (!p) abort();
    *p = (struct plan){.n = j->n, .x_stride = j->x_stride, .y_stride = j->y_stride, .next = plans};
    check(xnn_initialize(NULL), "initialize");
    check(xnn_create_softmax_nc_f32(j->n, j->x_stride, j->y_stride, 0, &p->softmax), "create");
    return plans = p;
}

static void run(const struct job *j, size_t rows, const float *x, float *y)
{
    struct plan *p = plan_of(j);
    check(xnn_setup_softmax_nc_f32(p->softmax, rows, x, y, NULL), "set up");
    check(xnn_run_operator(p->softmax, NULL), "run");
}

/* Computes softmax. XNNPACK reads up to XNN_EXTRA_BYTES after a row: where x has no such padding,
 * the rows that end that close to the end of x are copied to the scratch, which is long enough. */
static void softmax(const struct job *j)
{
    enum { EXTRA = XNN_EXTRA_BYTES / sizeof(float) };
    if (!j->rows || !j->n) return;
    size_t last = j->x_padded ? 0 : (EXTRA + j->x_stride - 1) / j->x_stride;
    size_t whole = j->rows > last ? j->rows - last : 0;
    if (whole) run(j, whole, j->x, j->y);
    for (size_t r = whole; r < j->rows; r++) {
        memcpy(j->scratch, (const float *)j->x + r * j->x_stride, j->n * sizeof(float));
        run(j, 1, j->scratch, (float *)j->y + r * j->y_stride);
    }
}

/* Returns the version of the package, because the library does not tell its own. */
static const char *version(void)
{
    return "XNNPACK " PACKAGE_VERSION;
}

static const struct peer_kernel kernels[] = {{"softmax", softmax}, {NULL, NULL}};

const struct peer_library ulplab_peer = {PEER_ABI, PEER_JOB, version, kernels};
