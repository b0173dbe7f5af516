// SPDX-License-Identifier: MIT
/* --help, from the tables of commands and options. */
#ifndef ULPLAB_HELP_H
#define ULPLAB_HELP_H

#include "base/error.h"
#include "cmd/options.h"

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
