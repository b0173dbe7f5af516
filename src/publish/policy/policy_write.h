/* The policies for people and for programs. */
#ifndef ULPLAB_POLICY_WRITE_H
#define ULPLAB_POLICY_WRITE_H

#include <stdio.h>

#include "publish/policy/policy_types.h"
#include "publish/render/table.h"

void policies_write(const struct policies *p, FILE *out, struct terminal terminal, bool brief);
/* A table of a Markdown report. */
void policies_write_markdown(const struct policies *p, FILE *out);
/* The contract's document. */
json_t *policies_document(const struct policies *p);

#endif
