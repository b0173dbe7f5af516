// SPDX-License-Identifier: MIT
/* The files of a folder of results that outlive its runs: scan.jsonl, search.jsonl,
 * certificate.jsonl, adversarial/. Each of their records names its build. */
#ifndef ULPLAB_RECORD_FILE_H
#define ULPLAB_RECORD_FILE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

/* Returns whether the name is one of these. */
bool record_outlives(const char *name);
/* Copies all of them, raw or packed, from one folder into another; each file whole or not at
 * all. */
int record_outliving_copy(const char *from, const char *to, struct error *e);
/* Notes in a record the build that made it: "commit". */
void record_built(json_t *record);

#endif
