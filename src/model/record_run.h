// SPDX-License-Identifier: MIT
/* The run that a record belongs to. machine.json names its run ("run") and says whether the records
 * do so, too ("stamped"): each record of the files that a run writes anew then has "run_id".
 * Folders of earlier versions have neither, and are read as they are. Records of two runs are never
 * mixed. */
#ifndef ULPLAB_RECORD_RUN_H
#define ULPLAB_RECORD_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { RUN_ID_SIZE = 20 };

/* Returns whether a run writes the file anew: codegen, accuracy, diverge, samples, timing,
 * cases. */
bool record_run_writes(const char *name);
extern const char *const record_run_files[]; /* ends with NULL */
/* Returns the identity that the records have: "" if machine.json (or NULL) does not say that they
 * have one. */
const char *record_run_of(const json_t *machine);

/* Returns whether the run was cut short. */
bool record_run_is_cut(const json_t *machine);

/* Makes the identity the last field of the record; "" leaves the record as it is. */
void record_run_stamp(json_t *record, const char *run);
void record_run_stamp_all(json_t *records, const char *run);
/* Removes the identity from each record, for the readers. EXIT_BAD_INPUT if one belongs to another
 * run; run NULL: any run is right. path: the file's name in the message. */
int record_run_check(const char *run, const char *path, json_t *records, struct error *e);

/* Removes the identity from a file's text, so that runs with the same results have the same text.
 * If a line does not end as the lab writes it, the text stays as it is. */
int record_run_unstamp_text(const char *run, const char *path, char *text, size_t *size,
                            struct error *e);
/* Returns the text with the identity added to each record that has none; the caller frees. */
char *record_run_stamp_text(const char *run, const char *text, size_t size, size_t *stamped);

#endif
