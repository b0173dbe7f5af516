/* Records: one JSON object each; a file of them (JSON Lines) is what everything that publishes
 * reads. Numbers that do not exist are null; exact values are %a strings. */
#ifndef ULPLAB_RECORD_H
#define ULPLAB_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "model/record_run.h"

/* A number, or null where it is not finite. */
json_t *record_real(double value);
/* "0x1.8p+1", "inf", "nan". */
json_t *record_hex(double value);

/* The value of `key` in a record: "" where it is no text; NAN where it is no number; as a count 0
 * where it is none from 0 to 10^15. */
const char *record_text(const json_t *record, const char *key);
double record_number(const json_t *record, const char *key);
/* A figure may be infinite, which JSON has not: it is null, and its key stands in the record's
 * array "infinite". */
void record_put_figure(json_t *record, const char *key, double value);
/* record_number(), or INFINITY where the record says so. */
double record_figure(const json_t *record, const char *key);
/* Is it among the strings of the record's `flags`? */
bool record_has_flag(const json_t *record, const char *name);
size_t record_count(const json_t *record, const char *key);

/* Receives rows as they are measured. Takes over the reference. Returns 0, or an exit code with
 * its message in e: the measurement then stops and returns the same. */
struct record_sink {
    int (*put)(void *context, json_t *record, struct error *e);
    void *context;
};

/* How a record is written. Nine digits are enough to see a difference and few enough to read a
 * diff. */
#define RECORD_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(9))
/* One line of a JSON Lines file. Returns 0, or -1 where it could not be written. */
int record_write(FILE *out, const json_t *record);

/* Writes a JSON Lines file as a whole: a reader finds the old one or the new one. */
int record_write_file(const char *path, const json_t *records, struct error *e);

/* The records in the order of `compare`, which gets pointers to const json_t pointers, as qsort
 * does. A new array; NULL where memory is short. */
json_t *records_sort(const json_t *records, int (*compare)(const void *, const void *));

/* A sink that appends to a JSON array. */
struct record_sink record_sink_array(json_t *array);

/* A document of the contract: {"schema", "tool", "machine"}; takes over `machine`. */
json_t *record_document(json_t *machine);
/* Prints it on stdout, takes over the reference. */
int record_print(json_t *document, struct error *e);

/* A JSON Lines file: each record is one write(), so that it can be cut at any byte. */
struct record_file {
    int fd;
    char path[1024];
    char run[RUN_ID_SIZE]; /* the run that each record is stamped with; "" as it is opened: none */
};
/* Appends after the last whole line; a cut record after it is removed. truncate: the file starts
 * empty. */
int record_open(struct record_file *f, const char *path, bool truncate, struct error *e);
int record_append(struct record_file *f, json_t *record,
                  struct error *e); /* takes over the reference */
int record_close(struct record_file *f, struct error *e);
struct record_sink record_sink_file(struct record_file *f);

/* Rows that differ only in their id become one record with the first id, and the other ids as
 * "also". Returns a new array in the order of first appearance. */
json_t *records_fold(const json_t *records);
/* Reads every line of a file of at most 1 GiB (model/record_lines.h has the other limits; duplicate
 * keys are refused) into an array. EXIT_BAD_INPUT with file:line for anything malformed. optional:
 * a missing file is an empty array. */
int record_read(const char *path, bool optional, json_t **records, struct error *e);
/* The same of a file of a folder of results: the raw file, or the folder's archive
 * (model/record_archive.h says which), or of a run of an archive where
 * the folder is PLACE.db:SELECTOR (model/lab_db.h). Everything that reads records of a folder goes
 * through here. EXIT_BAD_INPUT where they are of another run than machine.json's
 * (model/record_run.h). */
int record_read_from(const char *folder, const char *name, bool optional, json_t **records,
                     struct error *e);
/* machine.json of a folder, or of a run of an archive. EXIT_BAD_INPUT where it describes no
 * machine, or is longer than 1 MiB. */
int record_read_machine(const char *folder, json_t **machine, struct error *e);
/* Parses the text of a machine.json, which is changed; NULL: there is none, and `why` says so. */
int record_parse_machine(const char *path, char *text, size_t size, const char *why,
                         json_t **machine, struct error *e);
/* Does the word name results: a folder that has a machine.json, or PLACE.db:SELECTOR? */
bool record_is_folder(const char *word);

#endif
