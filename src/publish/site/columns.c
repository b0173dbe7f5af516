#include "publish/site/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

typedef struct number_text shown(double value);

/* A number in as few digits, from `least` on, as are shown as the same text: most of the file. */
static json_t *rounded(double value, int least, shown *show)
{
    if (isnan(value)) return json_null();
    if (isinf(value)) return json_string("inf"); /* JSON has no infinity; page.js makes it one */
    const struct number_text text = show(value);
    double near = value;
    for (int count = least; count < 17; count++) {
        near = strtod(number_digits(value, count).text, NULL);
        if (!strcmp(text.text, show(near).text)) break;
    }
    return json_real(near);
}

static struct number_text as_time(double ns)
{
    return number_decimals(ns, 3);
}
static struct number_text as_error(double error)
{
    return number_error(error, NAN);
}
static struct number_text as_percent(double percent)
{
    return number_decimals(percent, 0);
}

json_t *rounded_time(double ns)
{
    return rounded(ns, 4, as_time);
}
json_t *rounded_error(double error)
{
    return rounded(error, 3, as_error);
}
json_t *rounded_percent(double percent)
{
    return rounded(percent, 3, as_percent);
}

void column_put(json_t *table, const char *column, json_t *value)
{
    json_t *values = json_object_get(table, column);
    if (!values) json_object_set_new(table, column, values = json_array());
    json_array_append_new(values, value);
}
