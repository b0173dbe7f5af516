// SPDX-License-Identifier: MIT
#include "model/nearest.h"

#include <stdio.h>
#include <string.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t nearest_distance(const char *a, const char *b)
{
    size_t row[ID_MAX], rows = strnlen(a, ID_MAX - 1), columns = strnlen(b, ID_MAX - 1);
    for (size_t j = 0; j <= columns; j++) row[j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t above = row[j];
            row[j] = smaller(smaller(above, row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[columns];
}

/* Returns the distance of `words` to an id, or if that has more words to its beginning of as
 * many. */
static size_t distance_to(const char *words, const char *id)
{
    char beginning[ID_MAX];
    size_t slashes = 1, length = 0;
    for (const char *c = words; *c; c++) slashes += *c == '/';
    while (id[length] && (id[length] != '/' || --slashes)) length++;
    snprintf(beginning, sizeof beginning, "%.*s", (int)length, id);
    return nearest_distance(words, beginning);
}

size_t nearest_variants(const struct registry *r, const char *id, const struct variant **found,
                        size_t count)
{
    size_t distances[8], held = 0;
    count = smaller(count, sizeof distances / sizeof *distances);
    for (size_t i = 0; i < r->count && count; i++) {
        size_t distance = distance_to(id, r->variants[i].id);
        if (held == count && distance >= distances[held - 1]) continue;
        size_t at = held < count ? held++ : held - 1;
        for (; at > 0 && distances[at - 1] > distance; at--) {
            distances[at] = distances[at - 1];
            found[at] = found[at - 1];
        }
        distances[at] = distance;
        found[at] = &r->variants[i];
    }
    return held;
}
