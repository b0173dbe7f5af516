// SPDX-License-Identifier: MIT
/* The common header of this folder's kernels, which give one bit pattern from every ISA, compiler
 * and policy. README.md has the four rules; reference.h computes the same bits by plain loops;
 * tests/test_invariant.c compares both, and `ulplab diverge` shows one class of results. */
#ifndef INVARIANT_H
#define INVARIANT_H

#include "dispatch.h"
#include "exact_ops.h"
#include "lanes.h"
#include "memory.h"

#ifndef ALGORITHM /* <op>_best.c sets its own name */
#define ALGORITHM "invariant"
#endif

#endif
