// SPDX-License-Identifier: MIT
/* Lists as texts: words with one separator between them, such as "avx2,avx512". */
#ifndef ULPLAB_LIST_H
#define ULPLAB_LIST_H

#include <stdbool.h>
#include <string.h>

/* Returns whether the list has the word, of which `length` bytes count. */
static inline bool list_has_part(const char *list, char separator, const char *word, size_t length)
{
    for (const char *end; *list; list = end + (*end == separator)) {
        end = strchrnul(list, separator);
        if ((size_t)(end - list) == length && !memcmp(list, word, length)) return true;
    }
    return false;
}

static inline bool list_has(const char *list, char separator, const char *word)
{
    return list_has_part(list, separator, word, strlen(word));
}

#endif
