// SPDX-License-Identifier: MIT
/* Accuracy: every variant of a registry against the oracle, on blocks of inputs that are made, and
 * whose exact values are computed, once for all variants of an operation. */
#ifndef ULPLAB_ACCURACY_H
#define ULPLAB_ACCURACY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernel.h"
#include "measure/score.h"
#include "model/npy.h"
#include "model/record.h"
#include "model/registry.h"
#include "oracle/inputs.h"
#include "oracle/oracle.h"

/* ---- Finds ----------------------------------------------------------------------------------- */

/* The worst inputs that `search` found, as files: DIR/adversarial/OP-HASH.npy, HASH over the shape
 * and the bits. Read once, they are the input family `adversarial` of accuracy: rows of one
 * operation and one length are one block, in the order of the files' names. */
#define ADVERSARIAL "adversarial"
enum { ADVERSARIAL_NAME = 64 };

/* Writes rows [rows, n] for an operation, where they are not there yet. `name` receives the file's,
 * without its folder. */
int adversarial_keep(const char *results, const char *op, const struct npy *rows,
                     char name[ADVERSARIAL_NAME], struct error *e);

struct adversarial_block {
    char op[24];
    size_t rows, n;
    float *x;      /* [rows, n] */
    char hash[20]; /* a hash of the names of its files, which have hashes of the files' rows */
};

struct adversarial {
    struct adversarial_block *blocks; /* by op, then n */
    size_t count;
    json_t *names; /* array, sorted */
};

/* Reads the folder; a missing folder counts as empty. EXIT_BAD_INPUT if a file is malformed, or
 * does not match its name. If it returns 0, the caller closes. */
int adversarial_open(const char *results, struct adversarial *a, struct error *e);
void adversarial_close(struct adversarial *a);

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* The choice of inputs. Without n, families, elements and input it is the default grid, whose
 * version is in every row. Otherwise it is every given family at every given n (if one is not
 * given, all families, or the grid's n). */
struct accuracy_request {
    uint64_t seed;
    int threads; /* 0: one per core of the cpuset; no result depends on it */
    const size_t *n;
    size_t n_count;
    const enum family *families;
    size_t family_count;
    bool first;         /* only the grid's first line: family normal */
    size_t elements;    /* input elements per block (at least two rows); 0: the grid's */
    const float *input; /* [input_rows, input_n]: these rows instead of the families, or NULL */
    const double *input_f64; /* the same as they were given, if that was in double; or NULL */
    size_t input_rows, input_n;
    /* The family `adversarial`, in addition to others or alone; NULL: without it. */
    const struct adversarial *adversarial;
    bool adversarial_alone;
    const char *
        beside; /* faults are counted, compared with the variant with this id; NULL: they are not */
    struct parameters parameters;
    struct caches caches; /* this machine's; no result depends on it */
    const json_t *done;   /* array of rows of a run that was cut: not measured again; or NULL */
    double silence_s;     /* a variant that takes longer on one block is taken to hang */
    bool quiet;           /* no progress line */
};
struct accuracy_request accuracy_default(void);

/* The number of row lengths for which rows of family normal have every possible tail after their
 * last whole vector: 16 .. 31; and 1001, for which rows also begin at every place within a vector.
 */
enum { TAIL_LENGTHS = 17 };
extern const size_t tail_lengths[TAIL_LENGTHS];
/* Returns the number of rows of such a length: fewer elements than for other lengths, but for 1001
 * a chunk at each place of a shifted stage. */
size_t tail_rows(size_t n);

struct input_block {
    enum family family; /* FAMILY_COUNT: its rows are given, by the plan or by `adversarial` */
    size_t rows, n;
    const struct adversarial_block *adversarial; /* or NULL: the block belongs to every operation */
};

struct input_blocks {
    struct input_block *items;
    size_t count;
    int grid; /* the version of the families' inputs; 0: of no family */
};

/* The default grid: {"version", "elements", "cells": [{"family", "n": [..]}, ..]}. Adversarial
 * inputs are no part of it, since every folder has its own; their rows keep the hash of theirs,
 * "inputs". */
json_t *accuracy_grid_record(void);

/* The plan's blocks; the caller frees items. EXIT_USAGE where a row is too long. */
int input_blocks_of(const struct accuracy_request *plan, struct input_blocks *blocks,
                    struct error *e);

/* The family as records name it: also "adversarial" and "input". */
const char *input_block_family(const struct input_block *);

/* ---- The run --------------------------------------------------------------------------------- */

/* Puts one record ("record": "accuracy") per variant and block, in a fixed order: two runs on one
 * machine are byte-identical. A variant that is skipped, unbuilt, or of an operation without an
 * oracle has one row without family and n; one that dies has its status in the row where it died,
 * and in the rest of its rows. The process must not have used OpenMP before.
 * The tally is of rows. 0; EXIT_GATE where a promise fell; EXIT_PARTIAL where a variant died; or
 * what went wrong. */
int accuracy_run(const struct accuracy_request *, const struct registry *, struct record_sink,
                 struct tally *, struct error *);

/* Returns a row's verdict on the promises that the variant's file makes (include/kernel.h), with
 * the reason if one is broken, or if none bounds the errors. A hazard, and a policy that promises
 * nothing, break none; leaving modes changed breaks the contract whatever the file promises. */
enum row_verdict row_verdict(const struct variant *, const struct oracle *, enum family, size_t n,
                             const struct score *, char *reason, size_t size);

#endif
