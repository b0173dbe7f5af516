// SPDX-License-Identifier: MIT
/* The tokens of JSON as ulplab writes it: anything unusual is refused and left to a parser
 * (model/record_scan.h). */
#ifndef ULPLAB_RECORD_TOKENS_H
#define ULPLAB_RECORD_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A part of a text that the caller owns. */
struct slice {
    const char *at;
    size_t size;
};
#define SLICE(text)                                                                                \
    (struct slice)                                                                                 \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }
bool slice_is(struct slice s, const char *text);
bool slice_begins(struct slice s, const char *text);
static inline bool slice_same(struct slice a, struct slice b)
{
    return a.size == b.size && !memcmp(a.at, b.at, a.size);
}

struct cursor {
    const char *at, *end;
    int depth;
};

/* Returns the next character after spaces; 0 at the end. */
char token_peek(struct cursor *c);
/* Takes the character if it comes next. */
bool token_take(struct cursor *c, char wanted);
/* Takes the text between quotes, from the first quote on; *plain: it has no escapes. */
bool token_string(struct cursor *c, struct slice *text, bool *plain);
/* Takes a number, if it is short enough to be surely finite and, as an integer, to have at most 64
 * bits. */
bool token_number(struct cursor *c, bool *is_integer);
bool token_word(struct cursor *c, const char *word);

#endif
