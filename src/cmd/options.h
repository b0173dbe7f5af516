// SPDX-License-Identifier: MIT
/* The options of a command line. cmd/options_table.h says which options there are; cmd/help.h and
 * cmd/manual.h print them. */
#ifndef ULPLAB_OPTIONS_H
#define ULPLAB_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { LIST_MAX = 1024 }; /* an archive of 500 machines is added to in one call */

struct strings {
    const char *items[LIST_MAX];
    size_t count;
};
struct sizes {
    size_t items[LIST_MAX];
    size_t count;
};

struct real {
    bool given;
    double value;
};

/* The options that were given. The others are zero, NULL or empty: the command then uses its
 * default. */
struct options {
    struct strings given; /* names of the options that were given */
    struct strings filters, positional;
    const char *out;
    uint64_t seed;
    int threads;
    const char *hide_isa;
    bool quiet, json, csv, help;
    bool quick, full, lacking, resume, force, peers, stats;
    struct sizes n, rows;
    struct strings families, shapes, params, pair;
    size_t last, suite, samples, processes, timeout, seconds, evaluations;
    const char *input, *variant, *beside, *in, *got, *stat, *range, *format, *box;
    const char *shape, *by, *record, *emit, *to, *nodes_by, *machine, *since, *page;
    struct strings ccs, policies, allow, own_flags;
    const char *base, *all;
    struct real step, threshold, detect, max_ulp, precision, kept_gain;
    struct strings require, gate, maps;
    bool no_broken_cases, no_limits, cases, update;
    const char *junit, *markdown;
    const char *op, *call, *flags, *compdb, *keep, *keep_row, *before, *ref, *ref_call, *scale,
        *isa, *function;
    struct strings also, link, inputs;
    size_t columns, steps, aligned, multiple;
};

bool option_given(const struct options *, const char *name);

struct command {
    const char *name, *arguments, *summary, *example;
    int (*run)(const struct options *, struct error *);
    enum { READS, COMPUTES } what; /* COMPUTES: calls kernels or the oracle */
};
extern const struct command commands[]; /* ends with a NULL name (src/main.c) */

#endif
