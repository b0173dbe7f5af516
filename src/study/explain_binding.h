// SPDX-License-Identifier: MIT
/* The resource that binds a variant, from the model's times. */
#ifndef ULPLAB_EXPLAIN_BINDING_H
#define ULPLAB_EXPLAIN_BINDING_H

#include "study/explain_types.h"

const char *binding_name(enum binding b); /* "ports", ... */
/* Returns the resource without which the code would save most time. */
enum binding binding_of(const struct binding_facts *f);

#endif
