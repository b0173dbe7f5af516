/* Operations on one hardware register that round once, with the same text for every ISA. An ISA's
 * invariant_isa.h includes this file after it has named dr      a register of doubles, SUFFIX  "s"
 * or "p", scalar or packed, as in vmaxss and vmaxps. Assembly stands where -ffast-math rewrites
 * what C and intrinsics say. */
#ifndef REGISTERS_H
#define REGISTERS_H

/* No compiler sees through this, whatever it was promised about arithmetic. Unlike v_barrier it is
 * not volatile: what does not change may leave a loop, and instructions may still be ordered. */
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

/* sum + a b, in sum's register: clang would add in a factor's and keep sums in memory. */
static inline vf i_fma_onto(vf sum, vf a, vf b)
{
    __asm__("vfmadd231" SUFFIX "s %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
}
/* b if either is NaN: -ffast-math swaps the operands of an intrinsic. */
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

/* Once per row or block; exact_ops.h has the rest for scalars. */
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
