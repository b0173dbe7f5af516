/* What outlives the runs of a folder of results: scan.jsonl, search.jsonl, certificate.jsonl,
 * adversarial/. Each of its records says which build it is of. */
#ifndef ULPLAB_RECORD_OUTLIVING_H
#define ULPLAB_RECORD_OUTLIVING_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

/* Is it one of these names? */
bool record_outlives(const char *name);
/* Copies all of it, raw or packed, from one folder into another; each file whole or not at all. */
int record_outliving_copy(const char *from, const char *to, struct error *e);
/* Notes in a record that this build made it: "commit". */
void record_built(json_t *record);

#endif
