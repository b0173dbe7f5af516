// SPDX-License-Identifier: MIT
/* A list of values, each once, so that what recurs in a JSON document is a number: its place. */
#ifndef ULPLAB_PLACES_H
#define ULPLAB_PLACES_H

#include <jansson.h>

struct places {
    json_t *list, *by_key;
};

struct places places_make(void);
/* The place of what `key` names, as a JSON integer; `value` is appended where it is new, else
 * released. */
json_t *places_put(struct places *p, const char *key, json_t *value);
/* Frees all but the list, which the caller owns from then on. */
json_t *places_end(struct places *p);

/* A JSON string; "?" for a name that was cut inside a character. */
json_t *json_text(const char *text);

#endif
