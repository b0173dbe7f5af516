// SPDX-License-Identifier: MIT
/* Scans of every input, which say something of a function; those of a range do not. */
#ifndef ULPLAB_WHOLE_SCAN_H
#define ULPLAB_WHOLE_SCAN_H

#include <stdbool.h>
#include <string.h>

#include "model/record.h"

/* Returns whether the record is of a whole scan, with figures. */
static inline bool scan_is_whole(const json_t *record)
{
    return !strcmp(record_text(record, "range"), "all") && json_object_get(record, "max_ulp");
}

#endif
