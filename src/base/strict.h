/* Included in every file of src/ and tests/ by the command line: the lab's own arithmetic is
 * never compiled under a policy. FMA_AS_WRITTEN: a file that writes every FMA out; nothing else
 * fuses there either (-ffp-contract=off). */
#if defined(__FAST_MATH__) || defined(__FMA__) && !defined(FMA_AS_WRITTEN) ||                      \
    defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "src/ and tests/ are built strictly: no -ffast-math, no FMA"
#endif
#ifndef __STDC_IEC_559__
#error "src/ and tests/ need IEC 60559 arithmetic"
#endif
