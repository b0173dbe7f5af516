// SPDX-License-Identifier: MIT
/* The vocabularies of 16-bit arithmetic (simd/studies/rounded.h) as tables that a test can walk:
 * rounded.c is compiled once per ISA and format, under the strict policy. Elements are bits of the
 * format. */
#ifndef ULPLAB_TEST_ROUNDED_H
#define ULPLAB_TEST_ROUNDED_H

#include <stddef.h>
#include <stdint.h>

enum { ROUNDED_LANES = 32 };

struct rounded_vocabulary {
    const char *isa;
    /* Arrays of 32 lanes. Folds write the value that every lane holds. */
    void (*add)(const uint16_t *a, const uint16_t *b, uint16_t *y);
    void (*sub)(const uint16_t *a, const uint16_t *b, uint16_t *y);
    void (*max)(const uint16_t *a, const uint16_t *b, uint16_t *y);
    void (*overflow)(const uint16_t *a, const uint16_t *limit, uint16_t *y);
    void (*exp)(const uint16_t *a, uint16_t *y);
    void (*log)(const uint16_t *a, uint16_t *y);
    void (*sum)(const uint16_t *a, uint16_t *y);
    void (*hmax)(const uint16_t *a, uint16_t *y);
    void (*all)(const uint16_t *a, uint16_t *y);
    int (*any_nan)(const uint16_t *a);
    float (*value)(const uint16_t *a);
    /* Loads and stores that touch n <= 32 elements. */
    void (*load_part)(const uint16_t *p, size_t n, float fill, uint16_t *y);
    void (*store_part)(uint16_t *p, const uint16_t *a, size_t n);
};

/* emulated_fp16 is simd/vocabulary/avx512fp16/fp16.h over emulated instructions, on AVX-512
 * (tests/vocabulary/avx512fp16.h). */
extern const struct rounded_vocabulary rounded_avx2_fp16, rounded_avx512_fp16,
    rounded_emulated_fp16, rounded_avx2_bf16, rounded_avx512_bf16;

struct kernel;
/* The kernels of 16-bit arithmetic, compiled over the emulated instructions. */
extern const struct kernel emulated_logsumexp_halfnaive, emulated_logsumexp_halfshifted,
    emulated_logsumexp_halfsix, emulated_logsumexp_halfsequential, emulated_softplus_halflimit;

#endif
