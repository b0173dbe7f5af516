// SPDX-License-Identifier: MIT
/* Sums of exponentials, in one order for all ISAs, compilers and policies:
 *
 *   - register: 16 lanes, one element each
 *   - quad: 4 registers, (e0 + e1) + (e2 + e3), lane by lane
 *   - octet: the sum of 2 quads; with LOGARITHM_TERMS a chain, one register after the other
 *   - group: the sum of 2 octets, the last sum in fp32
 *   - block: 4096 elements; its groups are widened to double and added one by one, then its lanes
 *     by a tree
 *   - row: the sum of its blocks, one by one
 *
 * A numerator goes through 4 additions in fp32, in the last group up to 7. A chain's error grows
 * with its length if terms are equal, quantised, or small beside an earlier one. Chains are still
 * good enough for terms: the relative error of a sum is the absolute error of its logarithm, and
 * the ulp of a logarithm in [4, 8) is 8 u. */
#ifndef EXP_SUM_H
#define EXP_SUM_H

#include "exp_core.h"

/* Instructions per vector of a sum (include/kernel.h: ops). A numerator takes z, k, two for r, two
 * for q, r^2, and the product with p; p takes half an or (vpternlog has three operands), a
 * permutation, a shift and an addition. A tree of additions follows, and for each group two
 * conversions and two additions in double. A term takes z, k, one for r, an addition and two FMAs
 * for its cubic, and an FMA that multiplies and adds. */
enum { TERM_FMA = 5, NUMERATOR_FMA = 6, NUMERATOR_MUL = 1, GROUP_REGISTERS = GROUP / LANES };
#define TERM_ADD (2 + (1 + 2) / (double)GROUP_REGISTERS)
#define NUMERATOR_ADD (1 + (GROUP_REGISTERS - 1 + 2) / (double)GROUP_REGISTERS)
#define EXP_OTHER 3.5
#define EXP_PERMUTE 1
#define SUM_OTHER (EXP_OTHER + 2 / (double)GROUP_REGISTERS)

/* Compiler barrier: keeps gcc from interleaving the instructions before it with those after it,
 * which the processor does better. */
static inline void scheduling_barrier(void) { __asm__ volatile("" : : : "memory"); }

/* ---- Virtual registers ----------------------------------------------------------------------- */

ALWAYS_INLINE void set_register(vf a[PARTS], const vf b[PARTS])
{
    for (size_t p = 0; p < PARTS; p++) a[p] = b[p];
}
ALWAYS_INLINE void add_register(vf a[PARTS], const vf b[PARTS])
{
    for (size_t p = 0; p < PARTS; p++) a[p] = i_add(a[p], b[p]);
}

/* Returns x, or where elements are clamped a copy of its n <= OCTET elements with none below
 * s->lowest. Most rows hold no such element and skip the copy. */
ALWAYS_INLINE const float *clamp_elements(const struct exp_scale *s, const float *x, size_t n)
{
    if (!s->clamped) return x;
    float *clamped = s->clamped;
    for (size_t i = 0; i < n; i += VL) v_store(clamped + i, i_max(s->lowest, v_load(x + i)));
    __asm__(
        ""
        : "+r"(clamped)
        :
        : "memory"); /* forces the copy to memory: gcc would run out of registers and spill it */
    return clamped;
}

/* Computes `count` vectors, each from the next virtual register; STORED ones also go to y. */
ALWAYS_INLINE void exp_vectors(vf *e, const float *x, float *y, size_t count, enum summand kind,
                               const struct exp_scale *s, vi *range_bits)
{
    for (size_t k = 0; k < count; k++) e[k] = v_load(x + k * LANES);
    exp_interleaved(e, e, count, kind, s, range_bits);
    for (size_t k = 0; kind == STORED && k < count; k++) v_store(y + k * LANES, e[k]);
}
/* Returns the sum of the exponentials of two vectors. */
ALWAYS_INLINE vf exp_pair(const float *x, float *y, enum summand kind, const struct exp_scale *s,
                          vi *range_bits)
{
    enum { AT_ONCE = INTERLEAVED < 2 ? INTERLEAVED : 2 };
    vf e[2];
    for (size_t k = 0; k < 2; k += AT_ONCE)
        exp_vectors(e + k, x + k * LANES, y + k * LANES, AT_ONCE, kind, s, range_bits);
    return i_add(e[0], e[1]);
}
/* Computes the exponentials of a virtual register's first n < LANES elements; elements from n on
 * count as 0. */
ALWAYS_INLINE void exp_partial_register(vf e[PARTS], const float *x, float *y, enum summand kind,
                                        size_t n, const struct exp_scale *s, vi *range_bits)
{
    for (size_t p = 0; p < PARTS; p++) {
        size_t left = lanes_before(p * VL, n);
        if (!left) { /* nothing to compute */
            e[p] = i_set1(0.0f);
            continue;
        }
        vf a = i_max(s->lowest, v_load_part(x + p * VL, left, MINUS_INFINITY));
        e[p] = exp_vector(a, kind, s, range_bits);
        if (kind == STORED) v_store_part(y + p * VL, e[p], left);
    }
}

/* ---- Quads and octets ------------------------------------------------------------------------ */

/* Sums four registers. Their instructions alternate where there are registers for that; with 16
 * registers each part is computed after the other, and each vector is added as soon as possible. */
ALWAYS_INLINE void exp_quad(vf sum[PARTS], const float *x, float *y, enum summand kind,
                            const struct exp_scale *s, vi *range_bits)
{
    vf e[4];
    if (INTERLEAVED == 4) {
        exp_vectors(e, x, y, 4, kind, s, range_bits);
        sum[0] = i_add(i_add(e[0], e[1]), i_add(e[2], e[3]));
        return;
    }
    for (size_t p = 0; p < PARTS; p++) {
        const float *a = x + p * VL;
        float *b = y + p * VL;
        vf first = exp_pair(a, b, kind, s, range_bits);
        sum[p] = i_add(first, exp_pair(a + 2 * LANES, b + 2 * LANES, kind, s, range_bits));
    }
}

/* Returns x in a register of its own: Intel's processors split an instruction whose address has an
 * index into two. */
static inline const float *without_index(const float *x)
{
    __asm__("" : "+r"(x));
    return x;
}

/* Sums eight registers. A chain of terms prefetches one line before each register, which is faster
 * than eight lines at once. */
ALWAYS_INLINE void exp_octet(vf sum[PARTS], const float *row, float *y, enum summand kind,
                             int prefetch, const struct exp_scale *s, vi *range_bits)
{
    const float *x = clamp_elements(s, row, OCTET);
    vf second[PARTS];
    if (kind == LOGARITHM_TERMS) {
        x = without_index(x);
        for (size_t p = 0; p < PARTS; p++) sum[p] = i_set1(0.0f);
#pragma GCC unroll 8
        for (size_t i = 0; i < OCTET; i += LANES) {
            if (prefetch) prefetch_ahead(row + i, LANES);
            scheduling_barrier();
            add_terms(sum, x + i, s, range_bits);
        }
        return;
    }
    if (prefetch) prefetch_ahead(row, OCTET);
    exp_quad(sum, x, y, kind, s, range_bits);
    scheduling_barrier();
    exp_quad(second, x + QUAD, y + QUAD, kind, s, range_bits);
    add_register(sum, second);
}

/* ---- Groups and blocks ----------------------------------------------------------------------- */

/* The sum of a row or block so far. */
struct exp_sum {
    struct wide groups;
    vf group[PARTS]; /* not yet added to groups */
};
ALWAYS_INLINE void clear_group(struct exp_sum *sum)
{
    for (size_t p = 0; p < PARTS; p++) sum->group[p] = i_set1(0.0f);
}
/* Adds the octet that starts at element i. A group is widened once the first octet of the next
 * group is there: at the group's own end, conversions and additions would wait for its last octet
 * and fill the schedulers. */
ALWAYS_INLINE void add_octet(struct exp_sum *sum, size_t i, const vf octet[PARTS])
{
    if (i % GROUP) {
        add_register(sum->group, octet);
    } else {
        if (i) sum->groups = wide_add(sum->groups, sum->group);
        set_register(sum->group, octet);
    }
}
/* Ends the octets of a block or row at element i. */
ALWAYS_INLINE void end_octets(struct exp_sum *sum, size_t i)
{
    if (i % GROUP == 0 && i) {
        sum->groups = wide_add(sum->groups, sum->group);
        clear_group(sum);
    }
}

/* Adds n < OCTET elements, as a quad, a pair of registers, a register, and a part of one. is_first:
 * sum is empty, and nothing is added to zero; every caller passes a constant. */
ALWAYS_INLINE void add_rest(struct exp_sum *sum, const float *row, float *y, enum summand kind,
                            size_t n, int is_first, const struct exp_scale *s, vi *range_bits)
{
    const float *x = clamp_elements(s, row, n / LANES * LANES);
    vf a[PARTS];
    size_t i = 0;
    if (i + QUAD <= n) {
        exp_quad(a, x + i, y + i, kind, s, range_bits);
        if (is_first)
            set_register(sum->group, a);
        else
            add_register(sum->group, a);
        i += QUAD;
    }
    if (i + 2 * LANES <= n) {
        for (size_t p = 0; p < PARTS; p++)
            a[p] = exp_pair(x + i + p * VL, y + i + p * VL, kind, s, range_bits);
        if (is_first && n < QUAD)
            set_register(sum->group, a);
        else
            add_register(sum->group, a);
        i += 2 * LANES;
    }
    if (i + LANES <= n) {
        for (size_t p = 0; p < PARTS; p++)
            exp_vectors(a + p, x + i + p * VL, y + i + p * VL, 1, kind, s, range_bits);
        add_register(sum->group, a);
        i += LANES;
    }
    if (i < n) {
        exp_partial_register(a, row + i, y + i, kind, n - i, s, range_bits);
        add_register(sum->group, a);
    }
}

/* Adds elements [i, n), where i is a multiple of an octet. STORED numerators go to y; `prefetch`
 * also prefetches what follows x + n. */
ALWAYS_INLINE void add_elements(struct exp_sum *sum, const float *x, float *y, enum summand kind,
                                int prefetch, size_t i, size_t n, const struct exp_scale *s,
                                vi *range_bits)
{
    /* One group per iteration, so that the loop does not test which octet it is at. */
    for (; kind == LOGARITHM_TERMS && PARTS == 2 && i + GROUP <= n; i += GROUP) {
        vf a[PARTS], b[PARTS];
        exp_octet(a, x + i, y + i, kind, prefetch, s, range_bits);
        add_octet(sum, i, a);
        exp_octet(b, x + i + OCTET, y + i + OCTET, kind, prefetch, s, range_bits);
        add_octet(sum, i + OCTET, b);
    }
    for (; i + OCTET <= n; i += OCTET) {
        vf a[PARTS];
        exp_octet(a, x + i, y + i, kind, prefetch, s, range_bits);
        add_octet(sum, i, a);
    }
    if (prefetch) prefetch_ahead(x + i, n - i);
    end_octets(sum, i);
    if (i < n) add_rest(sum, x + i, y + i, kind, n - i, 0, s, range_bits);
}

/* Returns the sum over the first n elements, all of which were added. */
ALWAYS_INLINE struct wide groups_of(const struct exp_sum *sum, size_t n)
{
    return n % GROUP ? wide_add(sum->groups, sum->group) : sum->groups;
}

/* Returns the total of a block; infinity if an element was out of range. */
static inline double block_total(const struct exp_sum *sum, size_t n, vi range_bits)
{
    double total = wide_sum(groups_of(sum, n));
    return out_of_range(range_bits) ? d_from_bits(0x7ff0000000000000u) : total;
}

#endif
