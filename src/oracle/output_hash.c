// SPDX-License-Identifier: MIT
#include "oracle/output_hash.h"

#include <immintrin.h>
#include <string.h>

#include "base/random.h"

/* The hash: in each stripe of 16 results, each of 8 lanes adds its two results and the product of
 * both with a key of their place XORed in. Between tiles the lanes are mixed, so that the order of
 * tiles counts, too. (The outline is XXH3's, by Yann Collet; 64-bit products of 32-bit numbers are
 * what AVX2 has.) */
enum { STRIPE = 16, TILE = 256 };

struct state {
    __m256i lanes[2], keys[2];
};

static __m256i every_lane(uint64_t value)
{
    return _mm256_set1_epi64x((long long)value);
}

static struct state output_hash_begin(uint64_t seed)
{
    __m256i ramp = _mm256_setr_epi64x(0x3c6ef372fe94f82b, 0x510e527fade682d1, 0x1f83d9abfb41bd6b,
                                      0x5be0cd19137e2179);
    __m256i seeded = _mm256_xor_si256(ramp, every_lane(seed));
    return (struct state){
        .lanes = {seeded, _mm256_shuffle_epi32(seeded, 0x4e)},
        .keys = {ramp, _mm256_add_epi64(ramp, every_lane(0x9e3779b97f4a7c15))},
    };
}

static inline void add_half_stripe(__m256i *lanes, __m256i *keys, const float *y, bool nans)
{
    __m256 results = _mm256_loadu_ps(y);
    if (nans) results = _mm256_or_ps(results, _mm256_cmp_ps(results, results, _CMP_UNORD_Q));
    __m256i bits = _mm256_castps_si256(results);
    __m256i keyed = _mm256_xor_si256(bits, *keys);
    __m256i product = _mm256_mul_epu32(keyed, _mm256_srli_epi64(keyed, 32));
    *lanes = _mm256_add_epi64(*lanes, _mm256_add_epi64(product, bits));
    *keys = _mm256_add_epi64(*keys, every_lane(0xc2b2ae3d27d4eb4f));
}

/* Returns (a ^ a >> 47) times an odd number of 32 bits. */
static __m256i output_hash_mixed(__m256i a)
{
    __m256i factor = every_lane(0x9e3779b1);
    a = _mm256_xor_si256(a, _mm256_srli_epi64(a, 47));
    __m256i high = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), factor);
    return _mm256_add_epi64(_mm256_mul_epu32(a, factor), _mm256_slli_epi64(high, 32));
}

/* Adds a tile, in local variables, which stay in registers. */
static inline __attribute__((always_inline)) void add_tile(struct state *s, const float *y,
                                                           bool nans)
{
    __m256i lanes[2] = {s->lanes[0], s->lanes[1]}, keys[2] = {s->keys[0], s->keys[1]};
    for (size_t i = 0; i < TILE; i += STRIPE)
        for (size_t half = 0; half < 2; half++)
            add_half_stripe(&lanes[half], &keys[half], y + i + half * (STRIPE / 2), nans);
    for (size_t half = 0; half < 2; half++) {
        s->lanes[half] = output_hash_mixed(lanes[half]);
        s->keys[half] = keys[half];
    }
}

static inline __attribute__((always_inline)) uint64_t output_hash_of(const float *y, size_t count,
                                                                     uint64_t first, bool nans)
{
    uint64_t lanes[8], hash = random_mix(first) + count;
    struct state s = output_hash_begin(hash);
    size_t whole = count / TILE * TILE;
    for (size_t i = 0; i < whole; i += TILE) add_tile(&s, y + i, nans);
    if (whole < count) {
        float rest[TILE] = {0};
        memcpy(rest, y + whole, (count - whole) * sizeof *y);
        add_tile(&s, rest, nans);
    }
    memcpy(lanes, s.lanes, sizeof lanes);
    for (size_t i = 0; i < 8; i++) hash = random_mix(hash ^ lanes[i]);
    return hash;
}

/* There are two copies of the loop, so that it does not test `nans`. */
uint64_t output_hash(const float *y, size_t count, uint64_t first, bool nans)
{
    return nans ? output_hash_of(y, count, first, true) : output_hash_of(y, count, first, false);
}
