// SPDX-License-Identifier: MIT
/* Memory for texts and JSON values that are made piece by piece. A caller could not check each
 * piece, and a record or a report that lacks one would look whole. If memory runs out, the program
 * ends instead, with one message: files on the disk are whole at any time. */
#ifndef ULPLAB_MEMORY_H
#define ULPLAB_MEMORY_H

#include <stdarg.h>
#include <stdio.h>

/* Sets the function that is called where memory runs out, for JSON values and the functions below.
 * `end` reports it and does not return; without one the process is aborted. */
void memory_guard(void (*end)(void));

/* open_memstream() that does not fail: the original loses what it has no room for, and does not
 * always report it. */
FILE *memory_text(char **text, size_t *size);
/* Closes the stream: *text is then whole, and the caller frees it. */
void memory_text_close(FILE *out);

/* malloc() and calloc() that do not fail. */
void *memory_new(size_t size);
void *memory_zeroed(size_t count, size_t size);
/* realloc() that does not fail. */
void *memory_grow(void *old, size_t size);
/* Returns a copy of the string; the caller frees it. */
char *memory_copy(const char *text);
char *memory_copy_of(const char *text, size_t length);
/* Returns a formatted text; the caller frees it. */
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *memory_format_list(const char *format, va_list values) __attribute__((format(printf, 1, 0)));

#endif
