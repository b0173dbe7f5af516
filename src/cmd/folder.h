/* The folder of results that a command reads or writes. */
#ifndef ULPLAB_FOLDER_H
#define ULPLAB_FOLDER_H

#include <stddef.h>

#include "cmd/options.h"

/* Copies the word of the command line; EXIT_USAGE where it is too long. what: what the message
 * begins with. */
int folder_word(const char *what, const char *word, char *folder, size_t size, struct error *e);

/* --out, or results/<slug of this CPU>. Does not make it. */
int results_folder(const struct options *o, char *folder, size_t size, struct error *e);

/* EXIT_USAGE where --out is given: it would be ignored, since `word` names the folder of
 * results. */
int refuse_second_folder(const char *command, const struct options *o, const char *word,
                         struct error *e);

/* The folder that the command line names, or the one above where it names none. EXIT_USAGE where it
 * names several, or one and --out. */
int named_folder(const char *command, const struct options *o, char *folder, size_t size,
                 struct error *e);

#endif
