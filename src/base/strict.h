// SPDX-License-Identifier: MIT
/* Guards the lab's own arithmetic: the command line includes this header in every file of src/ and
 * tests/, none of which is ever compiled under a policy. FMA_AS_WRITTEN is defined by a file that
 * writes every FMA out; nothing else fuses there either (-ffp-contract=off). */
#if defined(__FAST_MATH__) || defined(__FMA__) && !defined(FMA_AS_WRITTEN) ||                      \
    defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "src/ and tests/ are built strictly: no -ffast-math, no FMA"
#endif
#ifndef __STDC_IEC_559__
#error "src/ and tests/ need IEC 60559 arithmetic"
#endif
