/* Peers: libraries that people already run, as variants among the lab's own. A table lists those
 * that there can be, so that a peer which is missing has its rows and its reason; those that there
 * are, are shared objects that `make peers` put beside the program (include/peer.h). Nothing is
 * loaded here: measure/peers.h does that, in processes of their own. */
#ifndef ULPLAB_PEER_REGIME_H
#define ULPLAB_PEER_REGIME_H

#include <stdbool.h>
#include <stddef.h>

#include "build.h"
#include "kernel.h"

enum { PEER_OPS_MAX = 8, PEER_PATH_MAX = 512 };

/* What a process of its own runs. A library: its object, and the environment variable that caps it
 * to an ISA. A process holds one of these at most, since a library reads its cap once. */
struct peer_order {
    char program[PEER_PATH_MAX];  /* "": this one; else another ulplab, whose kernels are called by
                                     id */
    char path[PEER_PATH_MAX];     /* "": none */
    char variable[32], value[32]; /* "": no cap */
    double call_share;            /* cells of which a call of one element takes more than this share
                                     of the time are skipped; 0: none are */
};

/* One library under one cap, with its operations. */
struct peer {
    const char *library; /* "onednn" */
    const char *isa;     /* avx2, avx512; auto: it cannot be capped */
    struct peer_order order;
    char version[64];                    /* "oneDNN 2.6.3", once it was loaded */
    const char *ops[PEER_OPS_MAX];       /* up to NULL */
    char algorithm[PEER_OPS_MAX][40];    /* "peer-onednn" */
    struct kernel kernels[PEER_OPS_MAX]; /* without `run`, which exists in the process that loads
                                            the library alone */
    struct build_record builds[PEER_OPS_MAX];
};

/* Every library of the table under each of its caps. *count of them, to be freed with free(); NULL
 * where memory is short. Objects are looked for in the folder ULPLAB_PEERS, else in peers/ beside
 * the program. */
struct peer *peers_all(size_t *count);
/* Is there an object? Else `reason` says what is missing and what to do. */
bool peer_is_built(const struct peer *p, char *reason, size_t reason_size);

#endif
