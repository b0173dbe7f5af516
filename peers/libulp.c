// SPDX-License-Identifier: MIT
/* libulp (make install-lib): the lab's own kernels as they are shipped, called like by any
 * application. The lab sets ULP_PEER_ISA, the ISA, before it loads this object. */
#include <stdio.h>
#include <stdlib.h>

#include <ulp.h>

#include "peer.h"

static void check(int status)
{
    if (status == ULP_OK) return;
    fprintf(stderr, "libulp: %s\n", ulp_status_text(status));
    abort();
}

/* Sets the ISA before the first call: once, when the object is loaded. */
__attribute__((constructor)) static void choose_isa(void)
{
    check(ulp_set_isa(getenv("ULP_PEER_ISA")));
}

/* The workspace of a thread, kept between calls as in an application. */
struct room {
    void *data;
    size_t bytes;
};
static struct room room_for(size_t n)
{
    static _Thread_local struct room room;
    size_t bytes = ulp_workspace_bytes(n);
    if (bytes > room.bytes) {
        free(room.data);
        room = (struct room){malloc(bytes), bytes};
        if (!room.data) abort();
    }
    return room;
}

static void softmax(const struct job *j)
{
    struct room w = room_for(j->n);
    check((j->log_output ? ulp_log_softmax_f32 : ulp_softmax_f32)(
        j->rows, j->n, j->x, j->x_stride, j->y, j->y_stride, w.data, w.bytes));
}
static void logsumexp(const struct job *j)
{
    check(ulp_logsumexp_f32(j->rows, j->n, j->x, j->x_stride, j->y, j->y_stride, NULL, 0));
}
static void moments(const struct job *j)
{
    check(ulp_moments_f32(j->rows, j->n, j->x, j->x_stride, j->y, j->y_stride));
}
static void layernorm(const struct job *j)
{
    struct room w = room_for(j->n);
    check(ulp_layernorm_f32(j->rows, j->n, j->x, j->x_stride, j->gamma, j->beta, j->eps, j->y,
                            j->y_stride, j->stats, w.data, w.bytes));
}

static void rmsnorm(const struct job *j)
{
    struct room w = room_for(j->n);
    check(ulp_rmsnorm_f32(j->rows, j->n, j->x, j->x_stride, j->gamma, j->eps, j->y, j->y_stride,
                          j->stats, w.data, w.bytes));
}

static const char *version(void)
{
    static char text[64];
    snprintf(text, sizeof text, "libulp %s", ulp_version());
    return text;
}

static const struct peer_kernel kernels[] = {
    {"softmax", softmax},          {"log_softmax", softmax},
    {"logsumexp", logsumexp},      {"moments", moments},
    {"layernorm", layernorm},      {"rmsnorm", rmsnorm},
    {"layernorm_bare", layernorm}, {NULL, NULL}};

const struct peer_library ulplab_peer = {PEER_ABI, PEER_JOB, version, kernels};
