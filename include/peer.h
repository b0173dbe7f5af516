// SPDX-License-Identifier: MIT
/* The peer contract: what a shared object in peers/ exports. A peer is a library that people
 * already use, called through the lab's `struct job`. It is loaded with dlopen, in a process of its
 * own, and only on request. */
#ifndef ULPLAB_PEER_H
#define ULPLAB_PEER_H

#include "kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* PEER_ABI and PEER_JOB are compared before a call: a shared object built for another contract is
 * not called. */
enum { PEER_ABI = 1 };
#define PEER_JOB (sizeof(struct job) * 1000 + offsetof(struct job, x_padded))

/* One operation of a peer. `run` obeys include/kernel.h as far as the library does. Several threads
 * call it at once; each call works in its own thread alone. The first call for a shape prepares and
 * keeps what the library needs for it (primitives, operators, tensors), as an application would;
 * timing starts after that call. If the library refuses a job, `run` calls abort(); statistics that
 * it does not return stay unwritten, and are counted as NaN. */
struct peer_kernel {
    const char *op;
    void (*run)(const struct job *);
};

struct peer_library {
    unsigned abi;      /* PEER_ABI */
    size_t job_layout; /* PEER_JOB */
    const char *(*version)(void);
    const struct peer_kernel *kernels; /* the last has op NULL */
};

/* The only symbol that a peer exports. */
#define PEER_SYMBOL "ulplab_peer"
extern const struct peer_library ulplab_peer;

#ifdef __cplusplus
}
#endif

#endif
