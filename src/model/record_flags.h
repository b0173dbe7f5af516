// SPDX-License-Identifier: MIT
/* The doubts that a measurement raises about itself, in words. */
#ifndef ULPLAB_RECORD_FLAGS_H
#define ULPLAB_RECORD_FLAGS_H

#include <jansson.h>

/* Returns the flags of a timing record, "outliers, two-modes (85.9 ns x4, 452 ns x2)", or "": a
 * row's times and how many processes took each. The caller frees. */
char *record_flags_text(const json_t *record);
/* Returns "85.9 ns x4, 452 ns x2", or "". The caller frees. */
char *record_modes_text(const json_t *record);

#endif
