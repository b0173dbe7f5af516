// SPDX-License-Identifier: MIT
/* Another program of this lab: which variants it has. */
#ifndef ULPLAB_OTHER_PROGRAM_H
#define ULPLAB_OTHER_PROGRAM_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "model/peer.h"

struct other_program {
    char path[PEER_PATH_MAX];
    json_t *ids; /* {id: true} of the variants that can run here */
    char commit[64];
};

/* Asks it (`list --json`). EXIT_USAGE where it is no program of this lab, or measures by another
 * protocol (measure/work.h). other_close() in any case. */
int other_open(struct other_program *o, const char *path, struct error *e);
void other_close(struct other_program *o);
/* context: a struct other_program. */
bool other_has(const void *context, const char *id);

#endif
