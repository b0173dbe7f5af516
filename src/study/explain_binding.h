// SPDX-License-Identifier: MIT
/* What binds, from the model's times. */
#ifndef ULPLAB_EXPLAIN_BINDING_H
#define ULPLAB_EXPLAIN_BINDING_H

#include "study/explain_types.h"

const char *binding_name(enum binding b); /* "ports", ... */
/* What, taken away, would save most. */
enum binding binding_of(const struct binding_facts *f);

#endif
