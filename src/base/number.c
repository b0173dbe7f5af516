// SPDX-License-Identifier: MIT
#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The size from which on the plain form is too long to read. */
static const double long_from = 1e9;

struct number_text number_decimals(double value, int decimals)
{
    struct number_text t = {"-"};
    double size = fabs(value), least = pow(10, -decimals);
    const char *form = size >= long_from ? "%.2e" : size > 0 && size < least ? "%.2g" : NULL;
    if (isnan(value)) return t;
    if (form)
        snprintf(t.text, sizeof t.text, form, value);
    else
        snprintf(t.text, sizeof t.text, "%.*f", decimals, value);
    return t;
}

struct number_text number_digits(double value, int digits)
{
    struct number_text t = {"-"};
    if (!isnan(value)) snprintf(t.text, sizeof t.text, "%.*g", digits, value);
    return t;
}

struct number_text number_count(uint64_t value)
{
    struct number_text t = {""};
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    char *to = t.text;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return t;
}

struct number_text number_marked(struct number_text text, double value, double promise)
{
    const double lines[] = {0.5, 1, promise}, shown = strtod(text.text, NULL);
    struct number_text marked;
    char mark = 0;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (value > lines[i] && shown <= lines[i]) mark = '>';
        if (value < lines[i] && shown >= lines[i]) mark = '<';
    }
    if (!mark || isnan(value)) return text;
    snprintf(marked.text, sizeof marked.text, "%c%.30s", mark, text.text);
    return marked;
}

struct number_text number_error(double value, double promise)
{
    return number_marked(number_digits(value, 3), value, promise);
}

bool interval_parse(const char *text, float *low, float *high)
{
    char *end = NULL;
    *low = strtof(text, &end);
    if (end == text || *end != ',') return false;
    const char *second = end + 1;
    *high = strtof(second, &end);
    return end != second && *end == '\0';
}
