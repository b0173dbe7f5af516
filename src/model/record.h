// SPDX-License-Identifier: MIT
/* Records: one JSON object each. Everything that publishes reads files of them (JSON Lines).
 * Numbers that do not exist are null; exact values are %a strings. */
#ifndef ULPLAB_RECORD_H
#define ULPLAB_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/file.h"

/* The schema of documents and of machine.json: readers refuse newer schemas. */
enum { RECORD_SCHEMA = 1 };

/* Returns a number; null if it is not finite. */
json_t *record_real(double value);
/* Returns "0x1.8p+1", "inf", "nan". */
json_t *record_hex(double value);
/* record_hex(), and of a NaN its bits, too: nan(0x7fc00001). */
json_t *record_float(float value);
/* Like record_float(), for a double; a NaN has 16 digits. */
json_t *record_double(double value);

/* Return the value of `key` in a record. record_text(): "" if it is no text; record_number(): NAN
 * if it is no number; record_count(): 0 if it is no number from 0 to 10^15. */
const char *record_text(const json_t *record, const char *key);
double record_number(const json_t *record, const char *key);
/* Puts a figure that may be infinite. JSON has no infinity: the value is null then, and its key
 * stands in the record's array "infinite". */
void record_put_figure(json_t *record, const char *key, double value);
/* Returns record_number(), or INFINITY if the record says so. */
double record_figure(const json_t *record, const char *key);
/* Returns whether the record's `flags` contain the name. */
bool record_has_flag(const json_t *record, const char *name);
size_t record_count(const json_t *record, const char *key);

/* Receives rows as they are measured. It takes over the reference. Returns 0, or an exit code with
 * its message in e: the measurement then stops and returns the same. */
struct record_sink {
    int (*put)(void *context, json_t *record, struct error *e);
    void *context;
};

/* The format of records: nine digits show any difference that matters and keep diffs readable. */
#define RECORD_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(9))
/* Writes one line of a JSON Lines file. Returns 0, or -1 if it could not. */
int record_write(FILE *out, const json_t *record);

/* Writes a JSON Lines file as a whole: a reader finds the old one or the new one. */
int record_write_file(const char *path, const json_t *records, struct error *e);

/* Returns the records in the order of `compare`, which like qsort's gets pointers to const json_t
 * pointers: a new array. */
json_t *records_sort(const json_t *records, int (*compare)(const void *, const void *));

/* Returns whether two records have the same values, or texts where one has none, of all keys, which
 * end with NULL. */
bool records_agree(const json_t *a, const json_t *b, const char *const *keys);
/* Returns the old records but those that agree with a new one, and then the new ones: a new
 * array. */
json_t *records_replaced(const json_t *old, const json_t *records, const char *const *keys);

/* Returns a sink that appends to a JSON array. */
struct record_sink record_sink_array(json_t *array);

/* Returns a document of the contract: {"schema", "tool", "machine"}; takes over `machine`. */
json_t *record_document(json_t *machine);
/* Prints a document on stdout and takes over the reference. */
int record_print(json_t *document, struct error *e);

/* ---- Runs ------------------------------------------------------------------------------------ */

/* The run that a record belongs to. machine.json names its run ("run") and says whether the records
 * do so, too ("stamped"): each record of the files that a run writes anew then has "run_id".
 * Folders of earlier versions have neither, and are read as they are. Records of two runs are never
 * mixed. */

enum { RUN_ID_SIZE = 20 };

/* The files of records in a folder of results. */
struct result_file {
    const char *name;
    bool of_run;   /* a run writes it anew */
    bool outlives; /* it outlives runs: each of its records names its build */
    bool packed;   /* it is in the folder's archive (model/record_archive.h) */
};
extern const struct result_file result_files[]; /* sorted by name; ends with a NULL name */
/* Returns NULL for another file. */
const struct result_file *result_file_find(const char *name);
/* Returns whether a run writes the file anew. */
bool record_run_writes(const char *name);
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

/* ---- Files ----------------------------------------------------------------------------------- */

/* A JSON Lines file. Each record is one write(), so that the file may be cut at any byte. */
struct record_file {
    int fd;
    char path[1024];
    char run[RUN_ID_SIZE]; /* that each record is stamped with; "" after record_open(): none */
};
/* Opens a file to append after its last whole line; a cut record after it is removed. truncate: the
 * file starts empty. */
int record_open(struct record_file *f, const char *path, bool truncate, struct error *e);
int record_append(struct record_file *f, json_t *record,
                  struct error *e); /* takes over the reference */
int record_close(struct record_file *f, struct error *e);
struct record_sink record_sink_file(struct record_file *f);

/* Folds rows that differ only in their id into one record with the first id, and the other ids as
 * "also". Returns a new array in the order of first appearance. */
json_t *records_fold(const json_t *records);
/* Reads every line of a file of at most 1 GiB into an array (model/record_scan.h has the other
 * limits; duplicate keys are refused). EXIT_BAD_INPUT with file:line for anything malformed.
 * optional: a missing file is an empty array. */
int record_read(const char *path, bool optional, json_t **records, struct error *e);
/* Reads a file of a folder of results: the raw file, or the folder's archive
 * (model/record_archive.h says which), or, if the folder is PLACE.db:SELECTOR (model/lab_db.h), of
 * a run of an archive. Everything that reads records of a folder uses this. EXIT_BAD_INPUT if they
 * belong to another run than machine.json's (Runs, above). */
int record_read_from(const char *folder, const char *name, bool optional, json_t **records,
                     struct error *e);
/* Reads machine.json of a folder, or of a run of an archive. EXIT_BAD_INPUT if it describes no
 * machine, is of a newer schema, or longer than 1 MiB. */
int record_read_machine(const char *folder, json_t **machine, struct error *e);
/* Parses the text of a machine.json, which is changed; NULL: there is none. */
int record_parse_machine(const char *path, char *text, size_t size, json_t **machine,
                         struct error *e);
/* Returns whether the word names results: a folder that has a machine.json, or
 * PLACE.db:SELECTOR. */
bool record_is_folder(const char *word);

/* ---- Files that outlive runs ----------------------------------------------------------------- */

/* Returns whether it is a file that outlives runs, or their folder adversarial/. */
bool record_outlives(const char *name);
/* Copies all of these files, raw or packed, from one folder into another; each is copied completely
 * or not at all. */
int record_outliving_copy(const char *from, const char *to, struct error *e);
/* Notes in a record the build that made it: "commit". */
void record_built(json_t *record);

/* ---- A measurement that was interrupted ------------------------------------------------------ */

/* The records of an interrupted measurement. A record is identified by the name of what was
 * measured (its id, or if it has none its name), by its family of inputs, and by one number: the
 * length of rows, or the process. */

/* Returns the records by their keys, for resume_record(). `number` names the field of that number;
 * NULL: they have none. NULL records: no keys. The caller drops the reference. */
json_t *resume_keys(const json_t *records, const char *number);
/* Returns the last such record, borrowed, or NULL. family: "" for a record without. */
const json_t *resume_record(const json_t *keys, const char *name, const char *family,
                            long long number);
bool resume_has(const json_t *keys, const char *name, const char *family, long long number);

/* Dates as records have them, "2026-11-21T06:00:00Z", in UTC. The order of their texts is the order
 * of time, also for their beginnings. */

enum { DATE_SIZE = 32 };
/* Writes the date of now. */
void date_now(char date[DATE_SIZE]);

/* EXIT_USAGE unless the text is a date or a whole part of its beginning: a year, a month, a day, a
 * minute, a second. what: the option or selector, for the message. */
int date_check(const char *what, const char *text, struct error *e);

#endif
