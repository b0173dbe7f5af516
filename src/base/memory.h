/* What is made piece by piece (a JSON value, a text in memory) cannot say at each piece that memory
 * has run out, and a record or a report that lacks a piece would look whole. The program ends
 * instead, with one message: files on the disk are whole at any time. */
#ifndef ULPLAB_MEMORY_H
#define ULPLAB_MEMORY_H

#include <stdio.h>

/* JSON values, and what is below, end the process through `end` where memory runs out: it says so
 * and does not return. Without one the process is aborted. */
void memory_guard(void (*end)(void));

/* As open_memstream(), but it does not fail: that one loses what it has no room for and does not
 * always say so. */
FILE *memory_text(char **text, size_t *size);
/* Closes it: *text is whole then, and the caller frees it. */
void memory_text_close(FILE *out);

/* malloc() and calloc() that do not fail. */
void *memory_new(size_t size);
void *memory_zeroed(size_t count, size_t size);
/* realloc() that does not fail. */
void *memory_grow(void *old, size_t size);
/* A copy of the string; the caller frees it. */
char *memory_copy(const char *text);
char *memory_copy_of(const char *text, size_t length);

#endif
