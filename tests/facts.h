// SPDX-License-Identifier: MIT
/* Facts of JSON: conditions with blanks between them, as in "rows.0.status=ok rows=#4
 * max_ulp<=0.5".
 *
 *   PATH=VALUE   a text, true, false, null, a number, or #COUNT: a list or an object of that size;
 *                PATH!=VALUE
 *   PATH<NUMBER  also <=, > and >=
 *   PATH~TEXT    a text that contains this, or a list of texts that has it; PATH!~TEXT
 *   PATH^TEXT    a text that begins so; PATH!^TEXT
 *   PATH, !PATH  there is such a value, or none
 *
 * A PATH is names and places with dots between them. A condition in quotes may have blanks. */
#ifndef ULPLAB_TEST_FACTS_H
#define ULPLAB_TEST_FACTS_H

#include <jansson.h>
#include <stdbool.h>

/* Cuts the next word off a line, in quotes of either sort or up to a blank; NULL at its end. */
char *next_word(char **line);

/* Returns the value at a path; NULL: there is none. */
json_t *fact_at(const json_t *from, const char *path);
/* Returns whether a value fulfils one condition; numbers are equal within this relative tolerance.
 */
bool fact_holds(const json_t *value, const char *condition, double tolerance);
/* Fails the test, with the value, unless it fulfils all conditions; equal numbers are exactly so.
 */
#define assert_facts(value, ...) assert_facts_at(__FILE__, __LINE__, value, __VA_ARGS__)
/* Returns the first element of a list that fulfils all conditions. Fails the test if none does. */
#define fact_find(list, ...) fact_find_at(__FILE__, __LINE__, list, __VA_ARGS__)
/* Fails the test unless a list has at least `least` elements, and each fulfils all conditions. */
#define assert_every(list, least, ...) assert_every_at(__FILE__, __LINE__, list, least, __VA_ARGS__)
/* Returns how many elements of a list fulfil all conditions. */
size_t fact_count(const json_t *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void assert_facts_at(const char *file, int line, const json_t *value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void assert_every_at(const char *file, int line, const json_t *list, size_t least,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
json_t *fact_find_at(const char *file, int line, const json_t *list, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
