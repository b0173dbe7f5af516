// SPDX-License-Identifier: MIT
/* Peers: libraries that people already run, as variants among the lab's own. A table lists all
 * possible ones, so that a missing peer has its rows and its reason. Those that exist are shared
 * objects that `make peers` put beside the program (include/peer.h). Nothing is loaded here:
 * measure/peers.h does that, in processes of their own. */
#ifndef ULPLAB_PEER_REGIME_H
#define ULPLAB_PEER_REGIME_H

#include <stdbool.h>
#include <stddef.h>

#include "build.h"
#include "kernel.h"

enum { PEER_OPS_MAX = 8, PEER_PATH_MAX = 512 };

/* The task of a process of its own. For a library: its object, and the environment variable that
 * caps it to an ISA. A process holds at most one, since a library reads its cap once. */
struct peer_order {
    char program[PEER_PATH_MAX];  /* "": this program; otherwise another ulplab, whose kernels are
                                     called by id */
    char path[PEER_PATH_MAX];     /* "": none */
    char variable[32], value[32]; /* "": no cap */
};

/* Of every library: a cell is flagged `call-bound`, and enters no mean, if a call of one element
 * takes more than this share of its time. */
#define PEER_CALL_SHARE 0.2

/* One library under one cap, with its operations. */
struct peer {
    const char *library; /* "onednn" */
    const char *isa;     /* avx2, avx512; auto: it cannot be capped */
    struct peer_order order;
    char version[64];                    /* "oneDNN 2.6.3", once it was loaded */
    const char *ops[PEER_OPS_MAX];       /* up to NULL */
    char algorithm[40];                  /* "peer-onednn" */
    struct kernel kernels[PEER_OPS_MAX]; /* without `run`, which exists only in the process that
                                            loads the library */
    struct build_record build;
};

/* Returns every library of the table under each of its caps, *count of them, to be freed with
 * free(); NULL if memory is short. Objects are searched in the folder ULPLAB_PEERS, or in peers/
 * beside the program. */
struct peer *peers_all(size_t *count);
/* Returns whether there is an object. If not, `reason` says what is missing and what to do. */
bool peer_is_built(const struct peer *p, char *reason, size_t reason_size);

#endif
