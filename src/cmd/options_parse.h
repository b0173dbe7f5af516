// SPDX-License-Identifier: MIT
/* Parsing: from a command line to struct options. */
#ifndef ULPLAB_OPTIONS_PARSE_H
#define ULPLAB_OPTIONS_PARSE_H

#include "cmd/options.h"

/* Parses argv[2..] for a command. EXIT_USAGE on an option that it does not have. */
int options_parse(int argc, char **argv, const struct command *command, struct options *o,
                  struct error *e);

/* Frees the words of its lists; argv is not touched. */
void options_free(struct options *o);

#endif
