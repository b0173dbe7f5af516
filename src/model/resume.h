// SPDX-License-Identifier: MIT
/* The records of an interrupted measurement. A record is identified by the name of what was
 * measured (its id, or if it has none its name), by its family of inputs, and by one number: the
 * length of rows, or the process. */
#ifndef ULPLAB_RESUME_H
#define ULPLAB_RESUME_H

#include <jansson.h>
#include <stdbool.h>

/* Returns the keys of the records, for resume_has(). `number` names the field of that number; NULL:
 * they have none. NULL records: no keys. The caller drops the reference. */
json_t *resume_keys(const json_t *records, const char *number);
/* Returns whether the record exists. family: "" for a record without. */
bool resume_has(const json_t *keys, const char *name, const char *family, long long number);

#endif
