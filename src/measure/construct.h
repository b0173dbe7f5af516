// SPDX-License-Identifier: MIT
/* Static constructors of kernels' objects. */
#ifndef ULPLAB_CONSTRUCT_H
#define ULPLAB_CONSTRUCT_H

#include "kernel.h"

/* Runs the constructors of the kernel's object, unless this process has. To be called where the
 * kernel is called, before that, from any thread; never in the lab's own process, which outlives
 * what a constructor does. `k` is a file's kernel or the registry's copy of it. */
void kernel_construct(const struct kernel *k);
/* MXCSR for the kernel's calls: what its object's constructors, which have run, left there
 * (crtfastmath.o, which -ffast-math adds to a link line, is one that flushes subnormals), or
 * MXCSR_DEFAULT. */
unsigned kernel_modes(const struct kernel *k);

#endif
