// SPDX-License-Identifier: MIT
#include "base/interval.h"

#include <stdlib.h>

bool interval_parse(const char *text, float *low, float *high)
{
    char *end = NULL;
    *low = strtof(text, &end);
    if (end == text || *end != ',') return false;
    const char *second = end + 1;
    *high = strtof(second, &end);
    return end != second && *end == '\0';
}
