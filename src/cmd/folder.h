// SPDX-License-Identifier: MIT
/* The folder of results that a command reads or writes. */
#ifndef ULPLAB_FOLDER_H
#define ULPLAB_FOLDER_H

#include <stddef.h>

#include "cmd/options.h"

/* Copies the word of the command line; EXIT_USAGE where it is too long. what: what the message
 * begins with. */
int folder_word(const char *what, const char *word, char *folder, size_t size, struct error *e);

/* Keeps the words that name results, folders or LAB.db:SELECTOR, if there are several words: not
 * all files that a shell finds in results/ are folders. A note says what was skipped;
 * EXIT_BAD_INPUT if nothing is left. A word for which nothing exists, and a single word, is kept
 * for its reader to refuse. values: words without a slash may be values of an axis, and are
 * kept. */
int keep_result_folders(const char *command, bool values, const struct strings *words,
                        struct strings *kept, struct error *e);

/* Writes the folder for results of this CPU: --out, or results/local/<slug>, which git ignores. It
 * does not create it; but if the CPU has none there, the files that outlive the runs published in
 * results/<slug> (scans, searches) are copied first. */
int results_folder(const struct options *o, char *folder, size_t size, struct error *e);
/* Writes the folder to read results from: --out, or, of results/local/<slug> and results/<slug>,
 * the one whose run began last; of two without a date, the first. */
int results_to_read(const struct options *o, char *folder, size_t size, struct error *e);

/* Writes the folder whose adversarial/ has the rows that searches found: --out, or results/ of the
 * lab's sources, for every CPU and wherever one asks; without sources, that of the current
 * folder. */
int finds_folder(const struct options *o, char *folder, size_t size, struct error *e);
/* Writes the folder whose finds are replayed: the same, but the lab's where --out has none. */
int finds_to_replay(const struct options *o, char *folder, size_t size, struct error *e);

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
