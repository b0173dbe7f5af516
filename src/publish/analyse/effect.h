/* What one axis is worth: rows that differ in nothing else, paired. */
#ifndef ULPLAB_EFFECT_H
#define ULPLAB_EFFECT_H

#include "publish/load/results.h"

/* Which pairs count; a NULL field takes all. */
struct effect_of {
    const char *axis, *from, *to; /* "policy", "off", "fast" */
    const char *op, *cc;          /* op: a group (struct axes); NULL: all of f32 */
    bool (*takes)(const void *context, const struct axes *a);
    const void *context;
};

/* Of time(from) / time(to): above 1, `to` is faster; NAN without pairs. low, high: the 95% interval
 * of the geometric mean, where the pairs were timed side by side. left_out: pairs whose ratio is
 * tied, which are not among them. */
struct effect {
    size_t pairs, left_out;
    double geomean, low, high, p5, p95;
};
/* Over cells timed under both values of the axis: same kernel, shape, threads and family. */
struct effect effect_on_time(const struct results *r, struct effect_of of);

/* " [1.130, 1.141]", or "". */
struct effect_text {
    char text[64];
};
struct effect_text effect_interval(const struct effect *e);

/* ", 2 with two modes left out", or "". */
struct effect_text effect_left_out(const struct effect *e);

#endif
