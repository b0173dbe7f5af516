/* The recommended policy as a piece of a build. */
#ifndef ULPLAB_POLICY_EMIT_H
#define ULPLAB_POLICY_EMIT_H

#include <stdio.h>

#include "publish/policy/policy_types.h"

/* What to paste into a build: "make", "cmake", "meson" or "json". EXIT_USAGE for another format,
 * EXIT_GATE where nothing is recommended. */
int policies_emit(const struct policies *p, const char *format, FILE *out, struct error *e);

#endif
