/* A finished comparison for people and for programs. */
#ifndef ULPLAB_COMPARE_WRITE_H
#define ULPLAB_COMPARE_WRITE_H

#include <stdio.h>

#include "publish/compare/compare_types.h"
#include "publish/render/table.h"

/* For people. brief: no legend and no notes. */
void compare_write(const struct comparison *c, FILE *out, struct terminal terminal, bool brief);
/* Its rows as a table: those that changed most, where a screen has no room for all. */
void compare_write_rows(const struct comparison *c, FILE *out, struct terminal terminal);
/* The contract's document. */
json_t *compare_document(const struct comparison *c);

#endif
