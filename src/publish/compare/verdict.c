// SPDX-License-Identifier: MIT
#include "publish/compare/verdict.h"

#include <math.h>
#include <stdbool.h>

const double verdict_significance = 0.05;

const char *verdict_name(enum verdict v)
{
    static const char *const names[VERDICTS] = {"faster", "slower", "same", "unknown"};
    return names[v];
}

enum verdict verdict_of(struct ratio r, double q, double noise, double margin)
{
    double far = 1 + margin;
    /* A difference that identical code shows as well says nothing about code. */
    bool tells = q <= verdict_significance && fabs(r.value - 1) >= noise;
    if (tells && r.value > far) return VERDICT_SLOWER;
    if (tells && r.value < 1 / far) return VERDICT_FASTER;
    if (r.low >= 1 / far && r.high <= far) return VERDICT_SAME;
    return VERDICT_UNKNOWN;
}
