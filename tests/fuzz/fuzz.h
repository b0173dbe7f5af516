// SPDX-License-Identifier: MIT
/* Inputs that nobody wrote: what `make fuzz` and tests/test_fuzz.c share. A target takes any bytes;
 * it ends the process where the lab breaks a promise. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* ---- Targets (targets.c, parsers.c, reports.c) ----------------------------------------------- */

enum fuzz_kind {
    FUZZ_BYTES,   /* mutated byte by byte */
    FUZZ_RECORDS, /* JSON, mutated value by value too */
};
struct fuzz_target {
    const char *name, *input; /* what of the lab takes it, for a table */
    void (*run)(const uint8_t *data, size_t size);
    enum fuzz_kind kind;
    size_t longest; /* input that libFuzzer makes: the shorter, the more of them */
    bool slow;      /* a report: milliseconds, not microseconds */
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

/* The bytes as a file, where possible in memory, good until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);
/* The bytes as a text with a 0 behind it, which the caller frees. */
char *fuzz_text(const uint8_t *data, size_t size);
/* A text of lines "== NAME" and, below each, what the file of that name of a folder of results
 * holds, as a folder in memory. Names that no folder of results has are left out. */
const char *fuzz_folder(const uint8_t *data, size_t size);
/* The seed of all folders (seeds/folder.txt) as another folder. */
const char *fuzz_other_folder(void);
/* Removes the folders. */
void fuzz_folders_remove(void);

/* Ends the process unless this is how the lab fails: a code of the contract, and one line that says
 * what and what to do. */
void fuzz_expect_told(int code, const struct error *e);

/* ---- Seeds and mutations (seeds.c, mutate.c) ------------------------------------------------- */

/* Calls `take` with each seed of a target. */
void fuzz_each_seed(const struct fuzz_target *target,
                    void (*take)(void *context, const uint8_t *data, size_t size), void *context);

/* Changes a byte or a few. Returns the new size, at most `room`. */
size_t fuzz_mutate_bytes(uint8_t *data, size_t size, size_t room, uint64_t *state);
/* Changes a value, a key or a line of JSON Lines, which may have lines that are no JSON. */
size_t fuzz_mutate_records(uint8_t *data, size_t size, size_t room, uint64_t *state);

#endif
