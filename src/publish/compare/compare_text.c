#include "publish/compare/compare_text.h"

#include <math.h>
#include <stdio.h>

#include "base/number.h"

void compare_bits_text(const struct compare_accuracy *a, char *text, size_t size)
{
    if (!a || !a->cells)
        snprintf(text, size, "-");
    else if (a->equal == a->cells)
        snprintf(text, size, "=");
    else
        snprintf(text, size, "%zu/%zu", a->equal, a->cells);
}

void compare_interval_text(double ratio, double low, double high, char *text, size_t size)
{
    if (isnan(ratio))
        snprintf(text, size, "-");
    else if (isnan(low))
        snprintf(text, size, "%.3f [-]", ratio);
    else
        snprintf(text, size, "%.3f [%.3f, %.3f]", ratio, low, high);
}

void compare_lost_text(const struct compare_accuracy *a, char *text, size_t size)
{
    if (!a || !a->counted)
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%zu %zu", a->lost[0], a->lost[1]);
}

void compare_pair_text(const double values[2], char *text, size_t n)
{
    snprintf(text, n, "%s %s", number_error(values[0], NAN).text,
             number_error(values[1], NAN).text);
}
