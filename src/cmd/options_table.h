// SPDX-License-Identifier: MIT
/* The options of every command: the one table from which parsing, --help, the man page and the
 * shells' completion are made. */
#ifndef ULPLAB_OPTIONS_TABLE_H
#define ULPLAB_OPTIONS_TABLE_H

#include "cmd/options.h"

/* OPTIONAL_LIST: a TEXT_LIST of `values`, which may be left out. */
enum option_kind { FLAG, TEXT, COUNT, SEED, REAL, TEXTS, TEXT_LIST, OPTIONAL_LIST, SIZE_LIST };

struct option_spec {
    const char *name;
    enum option_kind kind;
    size_t field;         /* offset in struct options */
    const char *argument; /* what --help calls its value; NULL: it takes none */
    const char *help;
    const char *values;   /* the values that it can have, separated by spaces; NULL: any */
    const char *commands; /* " a b "; NULL: every command */
};
extern const struct option_spec option_specs[]; /* ends with a NULL name */

/* Two options of a command of which the second would be ignored: they are refused together. */
struct option_conflict {
    const char *command, *option, *ignored;
};
extern const struct option_conflict option_conflicts[]; /* ends with a NULL command */

/* Returns whether this command has the option; for NULL, whether every command has it. */
bool option_applies(const struct option_spec *, const struct command *);

enum { OPTION_HELP_MAX = 400 };
/* The help text, with the values that it lists. */
void option_help(const struct option_spec *, char *text, size_t size);

/* The values that it can have, as in "md, html". */
void option_values(const struct option_spec *, char *text, size_t size);

#endif
