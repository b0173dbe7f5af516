#include "publish/analyse/pairs.h"

#include <math.h>
#include <string.h>

bool pair_is_side_by_side(const struct timing_result *a, const struct timing_result *b)
{
    return a->processes.count && b->processes.count && !strcmp(a->block, b->block);
}

struct ratio pair_ratio(const struct timing_result *a, const struct timing_result *b)
{
    if (pair_is_side_by_side(a, b)) return ratio_of_times(a->processes, b->processes);
    if (a->tied || b->tied) return (struct ratio){NAN, NAN, NAN, NAN, 0, .off = 1};
    return (struct ratio){.value = b->ns_per_element / a->ns_per_element,
                          .low = b->low / a->high,
                          .high = b->high / a->low,
                          .p = NAN};
}

const char *pair_flag(const struct timing_result *a, const struct timing_result *b)
{
    if (a->two_modes || b->two_modes || pair_ratio(a, b).off) return "two-modes";
    return a->unsteady || b->unsteady ? "unsteady" : "";
}
