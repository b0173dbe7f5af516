// SPDX-License-Identifier: MIT
/* A folder below /tmp for a test program, removed when the program ends. */
#ifndef ULPLAB_SCRATCH_H
#define ULPLAB_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

extern char scratch[]; /* its path */

/* CMocka's set-up and tear-down of a group. */
int scratch_open(void **state);
int scratch_close(void **state);

/* The path of file `name` in the folder; valid until the third next call. */
const char *scratch_path(const char *name);
/* Returns the file's text, which is kept; fails the test if there is none. */
char *scratch_read(const char *name);
/* Write the file. */
void scratch_write(const char *name, const char *text);
void scratch_put(const char *name, const void *bytes, size_t size);
/* Asserts whether the file says a text. */
void assert_scratch_says(const char *name, bool said, const char *text);

#endif
