#include "publish/site/columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number in as few digits, from `least` on, as show the same in `format`: most of the file. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static json_t *rounded(double value, int least, const char *format)
{
    char shown[64], again[64], digits[64];
    double near = value;
    if (!isfinite(value)) return json_null();
    snprintf(shown, sizeof shown, format, value);
    for (int count = least; count < 9; count++) {
        snprintf(digits, sizeof digits, "%.*g", count, value);
        near = strtod(digits, NULL);
        snprintf(again, sizeof again, format, near);
        if (!strcmp(shown, again)) break;
    }
    return json_real(near);
}
#pragma GCC diagnostic pop

json_t *rounded_time(double ns)
{
    return rounded(ns, 4, "%.3f");
}
json_t *rounded_error(double error)
{
    return rounded(error, 3, error < 1e4 ? "%.3g" : "%.1e");
}
json_t *rounded_percent(double percent)
{
    return rounded(percent, 3, "%.0f");
}

void column_put(json_t *table, const char *column, json_t *value)
{
    json_t *values = json_object_get(table, column);
    if (!values) json_object_set_new(table, column, values = json_array());
    json_array_append_new(values, value);
}
