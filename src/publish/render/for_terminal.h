// SPDX-License-Identifier: MIT
/* Markdown as render/query.h writes it, for people at a terminal: prose is wrapped, tables are
 * aligned, marks are gone. */
#ifndef ULPLAB_FOR_TERMINAL_H
#define ULPLAB_FOR_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

#include "publish/render/table.h"

/* Prints at most `lines` lines; the last one says so where there were more. */
void write_for_terminal(FILE *out, struct terminal terminal, size_t lines, const char *markdown);

#endif
