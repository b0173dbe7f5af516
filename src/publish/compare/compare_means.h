/* Geometric means over the cells of a comparison. */
#ifndef ULPLAB_COMPARE_MEANS_H
#define ULPLAB_COMPARE_MEANS_H

#include "publish/compare/compare_types.h"

/* The mean over the rows of a side, an operation and a residency ("" for all), from a finished
 * comparison. verdicts sum to 0 where there is no such row; the ratio is then NAN. */
struct compare_mean compare_mean_of(const struct comparison *c, size_t to, const char *op,
                                    const char *residency);

#endif
