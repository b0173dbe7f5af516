// SPDX-License-Identifier: MIT
/* Operations on one hardware register that round once, with the same text for every ISA. An ISA's
 * invariant_isa.h includes this file after it has defined
 *
 *   dr      a register of doubles
 *   SUFFIX  "s" or "p", scalar or packed, as in vmaxss and vmaxps
 *
 * Operations are in assembly where -ffast-math would rewrite C and intrinsics. */
#ifndef REGISTERS_H
#define REGISTERS_H

/* Returns a unchanged; no compiler sees through it, whatever its flags let it assume about
 * arithmetic. Unlike v_barrier it is not volatile: loop invariants may leave a loop, and
 * instructions may be reordered. */
static inline vf keep(vf a)
{
    __asm__("" : "+v"(a));
    return a;
}
static inline dr keep_dr(dr a)
{
    __asm__("" : "+v"(a));
    return a;
}

/* Returns sum + a b in the register of sum: clang would use a factor's register and keep sums in
 * memory. */
static inline vf i_fma_onto(vf sum, vf a, vf b)
{
    __asm__("vfmadd231" SUFFIX "s %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
}
/* Returns the maximum; b if either is NaN. -ffast-math would swap the operands of an intrinsic. */
static inline vf i_max(vf a, vf b)
{
    vf r;
    __asm__("vmax" SUFFIX "s %2, %1, %0" : "=v"(r) : "v"(a), "v"(b));
    return r;
}

static inline dr dr_add(dr a, dr b) { return keep_dr(a + b); }
static inline dr dr_sub(dr a, dr b) { return keep_dr(a - b); }
static inline dr dr_mul(dr a, dr b) { return keep_dr(a * b); }
static inline dr dr_div(dr a, dr b)
{
    dr r;
    __asm__("vdiv" SUFFIX "d %2, %1, %0" : "=v"(r) : "v"(a), "v"(b));
    return r;
}
static inline dr dr_max(dr a, dr b) /* b if either is NaN */
{
    dr r;
    __asm__("vmax" SUFFIX "d %2, %1, %0" : "=v"(r) : "v"(a), "v"(b));
    return r;
}

/* Division and square root of scalars, for once per row or block; exact_ops.h has the other
 * operations. */
static inline double d_div(double a, double b)
{
    double r;
    __asm__("vdivsd %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
    return r;
}
static inline double d_sqrt(double a)
{
    double r;
    __asm__("vsqrtsd %1, %1, %0" : "=x"(r) : "x"(a));
    return r;
}

#endif
