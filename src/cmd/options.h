// SPDX-License-Identifier: MIT
/* The options of a command line. cmd/options_table.c says which options there are; cmd/help.c
 * prints them. */
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

/* The given options. Others are zero, NULL or empty: the command then uses its default. */
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

/* The options of every command: the one table from which parsing, --help, the man page and the
 * shells' completion are made. */

/* CHOICE and CHOICES: a TEXT and a TEXT_LIST of `values` alone. OPTIONAL_CHOICES may be left out.
 */
enum option_kind {
    FLAG,
    TEXT,
    CHOICE,
    COUNT,
    SEED,
    REAL,
    TEXTS,
    TEXT_LIST,
    CHOICES,
    OPTIONAL_CHOICES,
    SIZE_LIST
};

struct option_spec {
    const char *name;
    enum option_kind kind;
    size_t field;         /* offset in struct options */
    const char *argument; /* the name of its value in --help; NULL: it takes none */
    const char *help;
    const char *values;   /* the values that it can have, separated by spaces; NULL: any */
    const char *commands; /* " a b "; NULL: every command */
};
extern const struct option_spec option_specs[]; /* ends with a NULL name */

/* Options of which `ignored`, words, would be ignored beside `option`: they are refused together.
 */
struct option_conflict {
    const char *commands, *option, *ignored; /* commands: " a b " */
};
extern const struct option_conflict option_conflicts[]; /* ends with NULL commands */

/* Returns whether this command has the option; for NULL, whether every command has it. */
bool option_applies(const struct option_spec *, const struct command *);

enum { OPTION_HELP_MAX = 400 };
/* The help text, with the values that it lists. */
void option_help(const struct option_spec *, char *text, size_t size);

/* The values that it can have, as in "md, html". */
void option_values(const struct option_spec *, char *text, size_t size);

/* Parsing: from a command line to struct options. */

/* Parses argv[2..] for a command. EXIT_USAGE on an option that it does not have. */
int options_parse(int argc, char **argv, const struct command *command, struct options *o,
                  struct error *e);

/* Frees the words of its lists; argv is not touched. */
void options_free(struct options *o);

/* --help, from the tables of commands and options. */

/* Prints the command's options, values and an example; of NULL the program's commands. */
void help_print(const struct command *);

/* Prints the version, the commit, and the compilers of this build. */
void help_version(void);

/* The man page and the shells' completion, from the tables of which --help is made. `ulplab --man`,
 * `ulplab --completion bash` and `.. zsh` print them; make install writes them to files. */

void manual_page(void);
/* shell: bash or zsh. EXIT_USAGE for another, or NULL. */
int manual_completion(const char *shell, struct error *e);

#endif
