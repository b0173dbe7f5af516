/* The command line: one table of options yields parsing, --help, the man page and completion
 * (cmd/manual.h). */
#ifndef ULPLAB_OPTIONS_H
#define ULPLAB_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { LIST_MAX = 64 };

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

/* What was asked for; what was not is zero, NULL or empty, and the command has its default. */
struct options {
    struct strings filters, positional;
    const char *out;
    uint64_t seed;
    int threads;
    const char *hide_isa;
    bool quiet, json, help;
    bool quick, full, resume, force, peers, stats;
    struct sizes n, rows;
    struct strings families, shapes, params;
    size_t samples, processes, timeout, seconds, evaluations;
    const char *input, *variant, *in, *got, *stat, *range, *format, *box;
    const char *by, *emit;
    struct real threshold, max_ulp;
    struct strings require;
    bool no_broken_cases;
};

struct command {
    const char *name, *arguments, *summary, *example;
    int (*run)(const struct options *, struct error *);
};
extern const struct command commands[]; /* ends with a NULL name (src/main.c) */

/* Parses argv[2..] for a command. EXIT_USAGE on what it does not take. */
int options_parse(int argc, char **argv, const struct command *command, struct options *o,
                  struct error *e);

/* The words of its lists; what they were taken from stays whole. */
void options_free(struct options *o);

/* Option i of the table, as it is explained. */
struct option_text {
    const char *name, *argument, *help; /* argument: NULL where it takes none */
    const char *values;                 /* what it can be, apart by spaces, or NULL: anything */
    bool common;                        /* of every command */
};
/* False where the command does not take it. NULL: only what every command takes. */
bool options_text(size_t i, const struct command *command, struct option_text *text);
size_t options_count(void);
void options_help(const struct command *command); /* NULL: of the program, with its commands */

#endif
