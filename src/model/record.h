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
#include "model/record_run.h"

/* The schema of documents and of machine.json: whoever reads one of a newer schema refuses it. */
enum { RECORD_SCHEMA = 1 };

/* Returns a number; null if it is not finite. */
json_t *record_real(double value);
/* Returns "0x1.8p+1", "inf", "nan". */
json_t *record_hex(double value);
/* record_hex(), and of a NaN its bits, too: nan(0x7fc00001). */
json_t *record_float(float value);
/* Returns what record_float() does of a float; a NaN has 16 digits. */
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
 * pointers: a new array, or NULL if memory is short. */
json_t *records_sort(const json_t *records, int (*compare)(const void *, const void *));

/* Returns a sink that appends to a JSON array. */
struct record_sink record_sink_array(json_t *array);

/* Returns a document of the contract: {"schema", "tool", "machine"}; takes over `machine`. */
json_t *record_document(json_t *machine);
/* Prints a document on stdout and takes over the reference. */
int record_print(json_t *document, struct error *e);

/* A JSON Lines file. Each record is one write(), so that the file may be cut at any byte. */
struct record_file {
    int fd;
    char path[1024];
    char run[RUN_ID_SIZE]; /* the run that each record is stamped with; "", as after record_open():
                              none */
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
 * belong to another run than machine.json's (model/record_run.h). */
int record_read_from(const char *folder, const char *name, bool optional, json_t **records,
                     struct error *e);
/* Reads machine.json of a folder, or of a run of an archive. EXIT_BAD_INPUT if it describes no
 * machine, is of a newer schema, or longer than 1 MiB. */
int record_read_machine(const char *folder, json_t **machine, struct error *e);
/* Parses the text of a machine.json, which is changed; NULL: there is none, and `why` says why. */
int record_parse_machine(const char *path, char *text, size_t size, const char *why,
                         json_t **machine, struct error *e);
/* Returns whether the word names results: a folder that has a machine.json, or
 * PLACE.db:SELECTOR. */
bool record_is_folder(const char *word);

/* The doubts that a measurement raises about itself, in words. */

/* Returns the flags of a timing record, "outliers, two-modes (85.9 ns x4, 452 ns x2)", or "": a
 * row's times and how many processes took each. The caller frees. */
char *record_flags_text(const json_t *record);
/* Returns "85.9 ns x4, 452 ns x2", or "". The caller frees. */
char *record_modes_text(const json_t *record);

#endif
