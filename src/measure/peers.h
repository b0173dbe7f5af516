// SPDX-License-Identifier: MIT
/* Preparations before a kernel is called: loading the library of a peer (model/peer.h), and running
 * the static constructors of the kernel's object. */
#ifndef ULPLAB_PEERS_H
#define ULPLAB_PEERS_H

#include "base/error.h"
#include "model/registry.h"

/* In a process that loads no other peer: sets the cap, loads the library, finds the operation;
 * repeated calls are cheap. Returns NULL and *e, EXIT_PARTIAL, if the object is not one of `make
 * peers`. */
void (*peer_load(const struct peer_order *order, const char *op,
                 struct error *e))(const struct job *);

/* Returns a variant's kernel, ready to run in this process: a peer's is loaded, and a failure of
 * that ends the process (abort). */
struct kernel variant_kernel(const struct variant *v);

/* Tries every peer of the registry in a child: a peer that cannot be loaded becomes `skipped` with
 * the reason, others get their version. */
void peers_probe(struct registry *r);

/* ---- Static constructors --------------------------------------------------------------------- */

/* Runs the constructors of the kernel's object, unless this process has. To be called where the
 * kernel is called, before that, from any thread; never in the lab's own process, which outlives
 * what a constructor does. `k` is a file's kernel or the registry's copy of it. */
void kernel_construct(const struct kernel *k);
/* MXCSR for the kernel's calls: what its object's constructors, which have run, left there
 * (crtfastmath.o, which -ffast-math adds to a link line, is one that flushes subnormals), or
 * MXCSR_DEFAULT. */
unsigned kernel_modes(const struct kernel *k);

#endif
