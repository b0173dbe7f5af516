/* Which run a record is of. machine.json names its run ("run") and says that the records do so, too
 * ("stamped"); each record of the files that a run writes anew then has "run_id". Folders of
 * earlier versions have neither, and are read as they are. Records of two runs are never read as
 * one's. */
#ifndef ULPLAB_RECORD_RUN_H
#define ULPLAB_RECORD_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { RUN_ID_SIZE = 20 };

/* Is it a file that a run writes anew: codegen, accuracy, diverge, samples, timing, cases? */
bool record_run_writes(const char *name);
extern const char *const record_run_files[]; /* ends with NULL */
/* The identity that the records have: "" where machine.json (or NULL) does not say that they do. */
const char *record_run_of(const json_t *machine);

/* Did the run not end? */
bool record_run_is_cut(const json_t *machine);

/* Makes the identity the last field of the record; "": leaves the record as it is. */
void record_run_stamp(json_t *record, const char *run);
void record_run_stamp_all(json_t *records, const char *run);
/* Takes the identity off each record, for those who read on. EXIT_BAD_INPUT where one is not of
 * this run; NULL: of whatever run. path: what the message calls the file. */
int record_run_check(const char *run, const char *path, json_t *records, struct error *e);

/* Takes the identity out of a file's text: runs that found the same then have the same text. Where
 * a line does not end as the lab writes it, the text stays as it is. */
int record_run_unstamp_text(const char *run, const char *path, char *text, size_t *size,
                            struct error *e);
/* The text with the identity in each record that has none; the caller frees. */
char *record_run_stamp_text(const char *run, const char *text, size_t size, size_t *stamped);

#endif
