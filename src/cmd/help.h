// SPDX-License-Identifier: MIT
/* --help, from the tables of commands and options. */
#ifndef ULPLAB_HELP_H
#define ULPLAB_HELP_H

#include "cmd/options.h"

/* Prints the command's options, values and an example; of NULL the program's commands. */
void help_print(const struct command *);

/* Prints the version, the commit, and the compilers of this build. */
void help_version(void);

#endif
