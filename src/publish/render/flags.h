// SPDX-License-Identifier: MIT
/* The doubts that a measurement raises about itself, in words. */
#ifndef ULPLAB_FLAGS_H
#define ULPLAB_FLAGS_H

#include <jansson.h>

enum { FLAGS_TEXT_MAX = 256 };
struct flags_text {
    char text[FLAGS_TEXT_MAX];
};
/* The flags of a timing record, "outliers, two-modes (85.9 ns x4, 452 ns x2)", or "": a row's times
 * and how many processes took each. */
struct flags_text flags_text(const json_t *record);
/* "85.9 ns x4, 452 ns x2", or "". */
struct flags_text flags_modes(const json_t *record);

#endif
