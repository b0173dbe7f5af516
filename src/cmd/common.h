// SPDX-License-Identifier: MIT
/* Functions that several commands share: opening the chosen variants, reading arrays, printing a
 * document or what is found. */
#ifndef ULPLAB_COMMON_H
#define ULPLAB_COMMON_H

#include <jansson.h>
#include <stddef.h>

#include "cmd/options.h"
#include "machine/cpu.h"
#include "model/lab_db.h"
#include "model/npy.h"
#include "model/registry.h"

/* Opens the CPU without the ISAs of --hide-isa, and the variants that match --filter. If it returns
 * 0, the caller closes the registry. */
int open_variants(const struct options *, struct cpu *, struct registry *, struct error *);

/* Like open_variants(), and also opens the libraries of `make peers` with --peers, or if the filter
 * matches nothing else. It finds out which of these can be loaded. */
int open_all_variants(const struct options *, struct cpu *, struct registry *, struct error *);

/* Finds the variant with that id, or the only one that a regex or filter matches; it can run here.
 * what: the beginning of messages. If it returns 0, the caller closes the registry. */
int open_one(const char *what, const char *text, const struct cpu *, bool peers, struct registry *,
             const struct variant **, struct error *);

/* Reads a user's array. A note reports a conversion. */
int read_array(const char *path, struct npy *array, struct error *e);
/* Reports a conversion of the input, unless it has doubles and all variants compute in double. */
void note_conversion(const char *path, const struct npy *array, const struct registry *);

/* Describes --input: {"file", "rows", "n", "hash" of the fp32 values}; null without --input. */
json_t *input_record(const struct options *, const struct npy *array);

/* Returns a document's head: schema, tool, machine. */
json_t *new_document(const struct cpu *);
/* Prints a document and frees it. Returns `code`, how the measurement ended, with its message in e;
 * or, with its own message, that the document could not be written. */
int print_document(json_t *document, int code, struct error *e);

/* Prints the results of a command: with --json a query's document (publish/render/rows.h), else a
 * query's text for people (query.h), short with --quiet. */
int print_query(const struct options *, const struct lab_db *, const char *document,
                const char *text, struct error *e);

/* Prints a command's measurements, and frees the document: with --json the document, else the
 * query's text about it for people (publish/sql/found.h), short with --quiet. Returns as
 * print_document(). */
int print_found(const struct options *, json_t *document, const char *sql, int code,
                struct error *e);
/* Adds the records of one kind ("record") as a list of the document. */
void add_kind(json_t *document, const char *list, const json_t *records, const char *kind);
/* Adds a sentence to the query's text; does nothing with --json. */
__attribute__((format(printf, 3, 4))) void add_note(const struct options *, json_t *document,
                                                    const char *format, ...);
/* Adds the variants that cannot run here, of which a command has no rows: of one operation, or of
 * all (NULL); nothing with --json. */
void add_left_out(const struct options *, json_t *document, const struct registry *,
                  const char *op);

enum { GATE_ROOM = 40 };
extern const char usual_gates[]; /* of --gate alone */
/* Writes the kinds of --gate, as " error lost time bits ": error and lost always; "promised" means
 * bits of kernels that promise them. "" without a gate. */
void gate_kinds(const struct options *, char kinds[GATE_ROOM]);
/* Like gate_kinds(), for commands whose --threshold asks for a gate, too. */
void gate_kinds_of_threshold(const struct options *, char kinds[GATE_ROOM]);

/* Says on stderr if a gate had nothing to check: skipped is neither partial (docs/contract.md) nor
 * a kept promise. `what` names the counted things: "rows". */
void note_nothing_measured(const char *command, size_t skipped, size_t all, const char *what);

/* The folder of results that a command reads or writes. */

/* Copies the word of the command line; EXIT_USAGE if it is too long. what: the beginning of the
 * message. */
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

/* Writes the folder whose adversarial/ holds the rows that searches found: --out, or results/ of
 * the lab's sources (for every CPU), or without sources results/ of the current folder. */
int finds_folder(const struct options *o, char *folder, size_t size, struct error *e);
/* Writes the folder whose finds are replayed: the same, but the lab's where --out has none. */
int finds_to_replay(const struct options *o, char *folder, size_t size, struct error *e);

/* EXIT_USAGE where --out is given: it would be ignored, since `word` names the folder of
 * results. */
int refuse_second_folder(const char *command, const struct options *o, const char *word,
                         struct error *e);

/* The folder to read: the one on the command line, or the default folder above. Says on stderr if
 * its run did not end. EXIT_USAGE if the command line names several folders of results, or one and
 * --out. */
int named_folder(const char *command, const struct options *o, char *folder, size_t size,
                 struct error *e);

/* The runs of an archive that a report compares. */

struct report_runs {
    struct strings words; /* folders, and LAB.db:SELECTOR that name one run; owned */
};

/* The given words; a word that names runs of several machines is replaced by LAB.db:run=ID of the
 * newest run of each. Call report_runs_free() afterwards, also after an error. */
int report_runs_find(const struct strings *given, struct report_runs *r, struct error *e);
void report_runs_free(struct report_runs *r);

/* One command per file of this folder; src/main.c holds their table. Each returns an exit code of
 * the contract; main prints the message in `e`. */

int cmd_accuracy(const struct options *o, struct error *e);
int cmd_check(const struct options *o, struct error *e);
int cmd_case(const struct options *o, struct error *e);
int cmd_bench(const struct options *o, struct error *e);
int cmd_duel(const struct options *o, struct error *e);
/* bench --pair; input: the array of --input, empty where that was not given. */
int bench_pair(const struct options *o, const struct npy *input, struct error *e);
int cmd_codegen(const struct options *o, struct error *e);
int cmd_diverge(const struct options *o, struct error *e);
int cmd_doctor(const struct options *o, struct error *e);
int cmd_explain(const struct options *o, struct error *e);
int cmd_instructions(const struct options *o, struct error *e);
int cmd_eval(const struct options *o, struct error *e);
int cmd_identify(const struct options *o, struct error *e);
int cmd_list(const struct options *o, struct error *e);
int cmd_report(const struct options *o, struct error *e);
int cmd_run(const struct options *o, struct error *e);
int cmd_search(const struct options *o, struct error *e);
int cmd_scan(const struct options *o, struct error *e);
void scan_words(char *text, size_t size);
int cmd_try(const struct options *o, struct error *e);
int cmd_compare(const struct options *o, struct error *e);
int cmd_policy(const struct options *o, struct error *e);
int cmd_history(const struct options *o, struct error *e);
int cmd_fleet(const struct options *o, struct error *e);
int cmd_archive(const struct options *o, struct error *e);
int cmd_sql(const struct options *o, struct error *e);
int cmd_flags(const struct options *o, struct error *e);
int cmd_site(const struct options *o, struct error *e);
int cmd_schema(const struct options *o, struct error *e);
int cmd_export(const struct options *o, struct error *e);

#endif
