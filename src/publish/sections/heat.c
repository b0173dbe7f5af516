#include "publish/sections/heat.h"

#include <math.h>

const char *heat_of(double ratio)
{
    static const double steps[] = {0.01, 0.05, 0.15};
    static const char *const classes[] = {"heat h-3", "heat h-2", "heat h-1", "heat h0",
                                          "heat h1",  "heat h2",  "heat h3"};
    int level = 0;
    while (level < 3 && fabs(log(ratio)) > steps[level]) level++;
    return classes[3 + (ratio < 1 ? -level : level)];
}
