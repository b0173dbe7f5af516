// SPDX-License-Identifier: MIT
/* Floats of a box [low, high], drawn at random. */
#ifndef ULPLAB_BOX_H
#define ULPLAB_BOX_H

#include <stdint.h>

struct box {
    float low, high; /* finite, low < high */
};

/* Returns a float drawn uniformly between two. */
float float_between(uint64_t *random, float low, float high);

double box_width(const struct box *);
/* Returns the value of the box that is nearest to x; `low` for NaN. */
float box_clamp(const struct box *, float x);
/* Returns the float `ranks` places above x in the order of floats (below, where negative), clamped.
 * x is in the box. */
float box_step(const struct box *, float x, int64_t ranks);

/* Draws a number, each as likely as any other: most have the largest exponents. */
float box_uniform(const struct box *, uint64_t *random);
/* Draws a float, each as likely as any other: exponents are uniform. */
float box_any_float(const struct box *, uint64_t *random);
/* Draws a float, mostly uniformly; else any float, one with few bits, an edge, or one near a power
 * of two, where a rounding weighs most. */
float box_notable_float(const struct box *, uint64_t *random);

#endif
