// SPDX-License-Identifier: MIT
/* The storage vocabulary of simd/vocabulary/storage/<type>/storage.h as tables that a test can
 * walk: stored.c is compiled once per ISA and type, under the strict policy. */
#ifndef ULPLAB_TEST_STORED_H
#define ULPLAB_TEST_STORED_H

#include <stddef.h>
#include <stdint.h>

struct storage {
    const char *isa, *type;
    size_t lanes;
    /* One vector each: `result` and `a` have `lanes` floats. */
    void (*load)(const uint16_t *p, float *result);
    void (*load_part)(const uint16_t *p, size_t n, float fill, float *result);
    void (*store)(uint16_t *p, const float *a);
    void (*store_part)(uint16_t *p, const float *a, size_t n);
    float (*at)(const uint16_t *p);
};

extern const struct storage storage_scalar_bf16, storage_avx2_bf16, storage_avx512_bf16;
extern const struct storage storage_scalar_f16, storage_avx2_f16, storage_avx512_f16;

#endif
