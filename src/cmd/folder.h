/* The folder of results that a command reads or writes. */
#ifndef ULPLAB_FOLDER_H
#define ULPLAB_FOLDER_H

#include <stddef.h>

#include "cmd/options.h"

/* Copies the word of the command line; EXIT_USAGE where it is too long. what: what the message
 * begins with. */
int folder_word(const char *what, const char *word, char *folder, size_t size, struct error *e);

/* Keeps of several words those that name results, folders or LAB.db:SELECTOR: the files that a
 * shell finds in results/ are not all folders. A note says what was skipped; EXIT_BAD_INPUT where
 * nothing is left. A word of which nothing is there, and one that stands alone, is kept for its
 * reader to refuse. values: words without a slash may be values of an axis, and are kept. */
int keep_result_folders(const char *command, bool values, const struct strings *words,
                        struct strings *kept, struct error *e);

/* Where results of this CPU are written: --out, or results/local/<slug>, which git ignores. Does
 * not make it; but where the CPU has none there, what outlives the runs published in results/<slug>
 * (scans, searches) is copied first. */
int results_folder(const struct options *o, char *folder, size_t size, struct error *e);
/* Where they are read: --out, or of results/local/<slug> and results/<slug> the one whose run began
 * last; of two that do not say, the first. */
int results_to_read(const struct options *o, char *folder, size_t size, struct error *e);
/* Whose adversarial inputs are replayed: --out, or the first of the same two that is there. */
int results_of_inputs(const struct options *o, char *folder, size_t size, struct error *e);

/* EXIT_USAGE where --out is given: it would be ignored, since `word` names the folder of
 * results. */
int refuse_second_folder(const char *command, const struct options *o, const char *word,
                         struct error *e);

/* The folder to read: what the command line names, or the one above where it names none. Says on
 * stderr where its run did not end. EXIT_USAGE where it names several folders of results, or one
 * and --out. */
int named_folder(const char *command, const struct options *o, char *folder, size_t size,
                 struct error *e);

#endif
