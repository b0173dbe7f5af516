/* One bit pattern from every ISA, compiler and policy: what all kernels of this folder stand on.
 * README.md has the four rules; reference.h computes the same bits by plain loops.
 * tests/test_invariant.c proves the equality, `ulplab diverge` shows one class. */
#ifndef INVARIANT_H
#define INVARIANT_H

#include "dispatch.h"
#include "exact_ops.h"
#include "lanes.h"
#include "memory.h"

#ifndef ALGORITHM /* <op>_best.c names itself */
#define ALGORITHM "invariant"
#endif

#endif
