/* Two timed cells: how much longer one takes than the other. */
#ifndef ULPLAB_PAIRS_H
#define ULPLAB_PAIRS_H

#include "publish/load/results.h"

/* Were both timed side by side, in the rounds of one block? Both are of one folder. */
bool pair_is_side_by_side(const struct timing_result *a, const struct timing_result *b);

/* Time of b over time of a. Side by side: over processes (measure/ratio.h). Else of their medians,
 * with an interval from the ends of theirs, and without a p. */
struct ratio pair_ratio(const struct timing_result *a, const struct timing_result *b);
/* "two-modes": it is the ratio of some of their processes alone, or of times that are; "unsteady":
 * of times that are; else "". */
const char *pair_flag(const struct timing_result *a, const struct timing_result *b);

#endif
