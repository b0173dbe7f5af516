/* The peer contract: what a shared object in peers/ exports. A peer is a library that people
 * already run, behind the lab's own job; it is loaded with dlopen, in a process of its own, only
 * when it is asked for. */
#ifndef ULPLAB_PEER_H
#define ULPLAB_PEER_H

#include "kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A shim built for another contract must not be called. */
enum { PEER_ABI = 1 };
#define PEER_JOB (sizeof(struct job) * 1000 + offsetof(struct job, x_padded))

/* `run` keeps include/kernel.h's promises as far as the library does, is called from several
 * threads at once, and makes and keeps on its first call for a shape whatever the library wants
 * prepared (primitives, operators, tensors): a person would, and time begins behind it. It works
 * in the calling thread alone. What the library refuses ends the process (abort). */
struct peer_kernel {
    const char *op;
    void (*run)(const struct job *);
};

struct peer_library {
    unsigned abi;      /* PEER_ABI */
    size_t job_layout; /* PEER_JOB */
    const char *(*version)(void);
    const struct peer_kernel *kernels; /* ends with op NULL */
};

/* The one symbol. */
#define PEER_SYMBOL "ulplab_peer"
extern const struct peer_library ulplab_peer;

#ifdef __cplusplus
}
#endif

#endif
