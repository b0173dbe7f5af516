// SPDX-License-Identifier: MIT
/* Why rows have no figures: the statuses and reasons below a table, each once, with how many rows
 * have it. */
#ifndef ULPLAB_REASONS_H
#define ULPLAB_REASONS_H

#include <jansson.h>

#include "model/registry.h"
#include "publish/render/table.h"

/* rows: records with `id`, `status` and `reason`, where there is one. Prints those whose status is
 * not ok, and those with a reason. */
void print_reasons(const json_t *rows, struct terminal);

/* The variants that cannot run here, of which a command has no rows: of one operation, or of all
 * (NULL). */
void print_left_out(const struct registry *, const char *op, struct terminal);

#endif
