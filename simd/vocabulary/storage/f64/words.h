// SPDX-License-Identifier: MIT
/* The words of fp32 that mean double in a kernel compiled with these vectors, so that one text is a
 * kernel of either type: the files of simd/ write `float` where they mean the type of a lane, and
 * constants (0.5f) that are exact in both. What struct job declares as float keeps its layout: eps
 * and scale are floats, while gamma, beta, stats and scratch point to doubles: a kernel casts them
 * to `float *`. */
#ifndef WORDS_H
#define WORDS_H

#define float double
#define expf exp
#define exp2f exp2
#define expm1f expm1
#define logf log
#define log2f log2
#define log1pf log1p
#define sinf sin
#define cosf cos
#define tanhf tanh
#define erff erf
#define sqrtf sqrt
#define fabsf fabs

#endif
