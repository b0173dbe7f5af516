// SPDX-License-Identifier: MIT
/* JSON Schema (draft 2020-12) of documents, files and records, from schemas.txt. */
#ifndef ULPLAB_EXPORT_SCHEMA_H
#define ULPLAB_EXPORT_SCHEMA_H

#include <jansson.h>
#include <stdio.h>

/* Writes the names of all schemas, a line each, with what they describe behind a tab. */
void schema_list(FILE *out);
/* Returns the schema of that name, which the caller owns; NULL where there is none. It needs no
 * other file: parts that it refers to are its $defs. */
json_t *schema_of(const char *name);

#endif
