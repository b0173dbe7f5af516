/* softmax as one would ship it: every way of softmax_invariant.c, each shape by the one that its table of
 * questions (invariant.h) names, to the same bits. Built as it would be shipped, under `off` alone: what
 * other policies make of it, `invariant` shows. */
// build: isas=avx2,avx512 policies=off
#define ALGORITHM "best"
#include "softmax_invariant.c"
