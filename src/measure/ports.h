// SPDX-License-Identifier: MIT
/* The kinds of vector instruction that a port bound distinguishes.
 *
 * A set of kinds starts no faster than the best mix of them that was measured, and a kernel takes
 * no less time than its slowest set: by Hall's theorem no assignment of its instructions to ports
 * could do better. `other` represents instructions that start wherever any vector instruction does;
 * integer additions are measured. Instructions that are slower than that, such as shifts, make the
 * bound lower than the truth, never higher.
 *
 * Permutations are measured beside multiplications, because on some cores one of them occupies the
 * pipes of the multiplications. A kernel takes no less time than its permutations do in a mix in
 * which each is accompanied by no more multiplications than the kernel has.
 *
 * The time of a loop with just a kernel's mix would be closer to the truth and no bound: it depends
 * on the order of the instructions (docs/tuning-log.md). */
#ifndef ULPLAB_PORTS_H
#define ULPLAB_PORTS_H

#include <stddef.h>

enum port_kind {
    PORT_MUL = 1,
    PORT_ADD = 2,
    PORT_MAX = 4,
    PORT_OTHER = 8,
    PORT_MIX5 = 16, /* permutations, each beside five multiplications */
    PORT_MIX6 = 32, /* beside six */
    PORT_MIX9 = 64, /* beside nine */
};
enum { PORT_SETS = 11 };     /* 1 .. 7: of the first three; all four; the mixes */
unsigned port_set(size_t i); /* i < PORT_SETS */
/* Returns how many multiplications accompany a permutation in a mix; 0: the set is no mix. */
unsigned port_mix(unsigned set);
/* "mul+add"; "6mul+permute"; "any" where every kind counts. */
void port_set_name(unsigned set, char *text, size_t size);

#endif
