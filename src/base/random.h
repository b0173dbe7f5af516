// SPDX-License-Identifier: MIT
/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014): the
 * same numbers on every machine, and every state is a good one. */
#ifndef ULPLAB_RANDOM_H
#define ULPLAB_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The increment of a state with each draw: 2^64 over the golden ratio, odd. */
#define RANDOM_STEP 0x9e3779b97f4a7c15u

/* Mixes z: each bit of the result depends on every bit of z, and no two z have the same result. */
static inline uint64_t random_mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline uint64_t random_next(uint64_t *state)
{
    return random_mix(*state += RANDOM_STEP);
}

/* Draws uniformly from [0, count), count at most 2^32. */
static inline size_t random_below(uint64_t *state, size_t count)
{
    return (size_t)((random_next(state) >> 32) * (uint64_t)count >> 32);
}

/* Draws from 1 to `most`, small numbers as often as large ones: uniformly below a power of two that
 * is drawn first. */
static inline size_t random_log_uniform(uint64_t *state, size_t most)
{
    unsigned bits = 1;
    while (most >> bits) bits++;
    size_t power = (size_t)1 << random_below(state, bits);
    size_t count = power + random_below(state, power);
    return count < most ? count : most;
}

/* Draws uniformly from [0, 1), a multiple of 2^-53. */
static inline double random_unit(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

#endif
