/* Timings of the lab that a section is about, in the order of its table. */
#ifndef ULPLAB_CHOSEN_H
#define ULPLAB_CHOSEN_H

#include "publish/sections/report.h"

typedef bool timing_test(const struct report *, const struct timing_result *);

/* Those that pass, by operation, ISA, size, threads and time; the caller frees. NULL: no memory. */
const struct timing_result **timings_chosen(const struct report *r, timing_test *passes,
                                            size_t *count);
size_t timings_count(const struct report *r, timing_test *passes);

/* Do both compete for one row: the same operation, ISA, shape and threads? */
bool timings_share_row(const struct timing_result *a, const struct timing_result *b);

/* Its variant is advised, and it is on family `normal`. */
bool timing_is_sound(const struct report *r, const struct timing_result *t);

#endif
