// SPDX-License-Identifier: MIT
#include "measure/verdict.h"

#include <math.h>
#include <stdbool.h>

/* The largest q (false discovery rate) at which cells are said to differ. */
static const double significance = 0.05;

const char *verdict_name(enum verdict v)
{
    static const char *const names[VERDICTS] = {"faster", "slower", "same", "unknown"};
    return names[v];
}

enum verdict verdict_of(struct ratio r, double q, double noise, double margin)
{
    double far = 1 + margin;
    /* A difference that identical code shows as well says nothing about code. */
    bool tells = q <= significance && fabs(r.value - 1) >= noise;
    if (tells && r.value > far) return VERDICT_SLOWER;
    if (tells && r.value < 1 / far) return VERDICT_FASTER;
    if (r.low >= 1 / far && r.high <= far) return VERDICT_SAME;
    return VERDICT_UNKNOWN;
}
