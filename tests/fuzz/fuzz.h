// SPDX-License-Identifier: MIT
/* Declarations that `make fuzz` and tests/test_fuzz.c share. A target takes any bytes, and ends the
 * process if the lab breaks a promise. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* ---- Targets (targets.c, parsers.c, reports.c) ----------------------------------------------- */

enum fuzz_kind {
    FUZZ_BYTES,   /* bytes are mutated */
    FUZZ_RECORDS, /* JSON: values are mutated, too */
};
struct fuzz_target {
    const char *name, *input; /* the part of the lab that takes the input, for a table */
    void (*run)(const uint8_t *data, size_t size);
    enum fuzz_kind kind;
    size_t longest; /* longest input that libFuzzer makes: with shorter ones, more are tried */
    bool slow;      /* the target writes reports: milliseconds per input, not microseconds */
};
extern const struct fuzz_target fuzz_targets[]; /* ends with a NULL name */
const struct fuzz_target *fuzz_find(const char *name);

void fuzz_npy(const uint8_t *data, size_t size);
void fuzz_record(const uint8_t *data, size_t size);
void fuzz_line(const uint8_t *data, size_t size);
void fuzz_machine(const uint8_t *data, size_t size);
void fuzz_filter(const uint8_t *data, size_t size);
void fuzz_param(const uint8_t *data, size_t size);
void fuzz_shapes(const uint8_t *data, size_t size);
void fuzz_threshold(const uint8_t *data, size_t size);
void fuzz_options(const uint8_t *data, size_t size);
void fuzz_load(const uint8_t *data, size_t size);
void fuzz_policy(const uint8_t *data, size_t size);
void fuzz_compare(const uint8_t *data, size_t size);
void fuzz_compare_axis(const uint8_t *data, size_t size);
void fuzz_report_md(const uint8_t *data, size_t size);
void fuzz_report_html(const uint8_t *data, size_t size);
void fuzz_export_csv(const uint8_t *data, size_t size);
void fuzz_export_jsonl(const uint8_t *data, size_t size);
void fuzz_performance(const uint8_t *data, size_t size);
void fuzz_cpus(const uint8_t *data, size_t size);

/* ---- Inputs as the lab takes them (inputs.c) ------------------------------------------------- */

/* Returns the path of a file with these bytes, in memory where possible; valid until the next call.
 */
const char *fuzz_file(const uint8_t *data, size_t size);
/* Returns the bytes as a string with a 0 at its end, which the caller frees. */
char *fuzz_text(const uint8_t *data, size_t size);
/* Returns a folder in memory made from a text: each line "== NAME" begins the contents of file
 * NAME. Names that no folder of results has are left out. */
const char *fuzz_folder(const uint8_t *data, size_t size);
/* Returns a second folder, made from the seed of all folders (seeds/folder.txt). */
const char *fuzz_other_folder(void);
/* Removes the folders. */
void fuzz_folders_remove(void);

/* Ends the process unless the failure is one of the lab's: an exit code of the contract, and a
 * message of one line that says what is wrong and what to do. */
void fuzz_expect_told(int code, const struct error *e);

/* ---- Seeds and mutations (seeds.c, mutate.c) ------------------------------------------------- */

/* Calls `take` with each seed of a target. */
void fuzz_each_seed(const struct fuzz_target *target,
                    void (*take)(void *context, const uint8_t *data, size_t size), void *context);

/* Changes one or a few bytes. Returns the new size, at most `room`. */
size_t fuzz_mutate_bytes(uint8_t *data, size_t size, size_t room, uint64_t *state);
/* Changes a value, a key or a line of JSON Lines; lines need not be valid JSON. */
size_t fuzz_mutate_records(uint8_t *data, size_t size, size_t room, uint64_t *state);

#endif
