// SPDX-License-Identifier: MIT
/* The output of `ulplab flags`: the report's two sections, of records that are in memory. */
#ifndef ULPLAB_FLAG_TABLES_H
#define ULPLAB_FLAG_TABLES_H

#include <jansson.h>

#include "base/error.h"
#include "publish/render/table.h"

/* document: the head of a document (schema, tool, machine). */
int flag_tables_print(const json_t *document, const json_t *records, FILE *out,
                      struct terminal terminal, struct error *e);

#endif
