/* litmus/dot.c as the compilers made it under several flags, loaded. Not a case. */
#ifndef ULPLAB_CASE_DOT_H
#define ULPLAB_CASE_DOT_H

#include "cases/case.h"

enum { DOT_ROWS = 256, DOT_N = 1000 };

struct dot {
    struct code_counts counts;
    float lanes[DOT_ROWS], plain[DOT_ROWS]; /* of the two functions in it */
};

/* flags: gnu11, c11, znver3. False where there is no such object, or this CPU has no AVX2. */
bool dot_load(const struct case_context *, const char *cc, const char *flags, struct dot *);
/* The same sums with two roundings each, by the lab's own strict code. */
void dot_strictly(const struct case_context *, struct dot *);
/* Share of rows that differ in bits. */
double dot_differing(const float *a, const float *b);

#endif
