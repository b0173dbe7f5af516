// SPDX-License-Identifier: MIT
/* The man page and the shells' completion, from the tables of which --help is made. `ulplab --man`,
 * `ulplab --completion bash` and `.. zsh` print them; make install writes them to files. */
#ifndef ULPLAB_MANUAL_H
#define ULPLAB_MANUAL_H

#include "base/error.h"

void manual_page(void);
/* shell: bash or zsh. EXIT_USAGE for another, or NULL. */
int manual_completion(const char *shell, struct error *e);

#endif
