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
    return (struct ratio){.value = b->ns_per_element / a->ns_per_element,
                          .low = b->low / a->high,
                          .high = b->high / a->low,
                          .p = NAN};
}
