// SPDX-License-Identifier: MIT
/* The distance between two results of the same operation, bit for bit: there is no oracle, and
 * neither counts as right. */
#ifndef ULPLAB_DISTANCE_H
#define ULPLAB_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dtype;

struct distance {
    uint64_t elements;
    uint64_t mismatched; /* differ in bits: +0 and -0 do, NaNs of other payloads too */
    uint64_t bf16,
        fp16;         /* still differ after rounding to nearest even; of doubles, by way of fp32 */
    uint64_t nan;     /* a NaN against a number: no distance, counted here */
    uint64_t max_ulp; /* of the other elements: the largest number of steps between the two */
};

/* a, b: [count], values of the type, as doubles where it is f64, else as floats. Neighbours are one
 * step apart: in a type of 16 bits a step is thousands of fp32's. Uses OpenMP; the result does not
 * depend on the threads. */
struct distance distance_between(const void *a, const void *b, size_t count, const struct dtype *);
/* Returns whether all of them are values of the type. */
bool distance_all_of(const float *a, size_t count, const struct dtype *);
void distance_add(struct distance *d, const struct distance *more);
/* Returns the share of elements that differ; 0 if there are none. */
double distance_share(const struct distance *d, uint64_t count);

/* Rounded to nearest even, NaN to a NaN. */
uint16_t distance_to_bf16(uint32_t bits);
uint16_t distance_to_fp16(uint32_t bits);

#endif
