/* The tokens of JSON, of the kind that ulplab writes: whatever is unusual is refused, for a parser
 * to judge (model/record_scan.h). */
#ifndef ULPLAB_RECORD_TOKENS_H
#define ULPLAB_RECORD_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

/* A part of a text that somebody else keeps. */
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
bool slice_same(struct slice a, struct slice b);

struct cursor {
    const char *at, *end;
    int depth;
};

/* The next character behind spaces; 0 at the end. */
char token_peek(struct cursor *c);
/* Takes the character if it comes next. */
bool token_take(struct cursor *c, char wanted);
/* The text between quotes, at the first of them; *plain: without escapes. */
bool token_string(struct cursor *c, struct slice *text, bool *plain);
/* A number so short that it is surely finite, and an integer one of 64 bits. */
bool token_number(struct cursor *c, bool *is_integer);
bool token_word(struct cursor *c, const char *word);

#endif
