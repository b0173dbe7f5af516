// SPDX-License-Identifier: MIT
/* Flags of a compiler as a piece of somebody's build. */
#ifndef ULPLAB_PASTE_H
#define ULPLAB_PASTE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

struct paste {
    const char *cc, *optimise; /* "-O3" */
    const char *flags;         /* words with one space between them; "" for none */
    const char *file;          /* they are for this file alone; NULL: for the whole build */
    bool cxx;                  /* of C++ */
};
/* Returns EXIT_USAGE unless a format is "make", "cmake", "meson", "bazel" or "json". */
int paste_check(const char *format, struct error *e);
/* Writes in a format other than json. */
void paste_write(const struct paste *p, const char *format, FILE *out);

/* The sets among the records of flags.jsonl, each for its kernel's file; also "json". EXIT_GATE
 * where there is none. */
int flags_emit(const json_t *records, const char *format, FILE *out, struct error *e);

#endif
