// SPDX-License-Identifier: MIT
/* Functions that several commands share: opening the chosen variants, reading arrays, printing a
 * document, naming a variant in a table. */
#ifndef ULPLAB_COMMON_H
#define ULPLAB_COMMON_H

#include <jansson.h>

#include "cmd/options.h"
#include "machine/cpu.h"
#include "model/lab_db.h"
#include "model/npy.h"
#include "model/registry.h"

/* Opens the CPU without what --hide-isa names, and the variants that match --filter. Close the
 * registry where this returned 0. */
int open_variants(const struct options *, struct cpu *, struct registry *, struct error *);

/* Opens the variants as open_variants() does, and the libraries of `make peers` besides where
 * --peers asks for them, or where the filter matches nothing else. It is known which of these can
 * be loaded. */
int open_all_variants(const struct options *, struct cpu *, struct registry *, struct error *);

/* Reads a user's array. A note reports a conversion. */
int read_array(const char *path, struct npy *array, struct error *e);
/* Reports a conversion of what was read, unless it is of doubles and all variants compute in
 * double. */
void note_conversion(const char *path, const struct npy *array, const struct registry *);

/* Returns what --input gave: {"file", "rows", "n", "hash" of the fp32 values}; null where it was
 * not given. */
json_t *input_record(const struct options *, const struct npy *array);

/* Returns a document's head: schema, tool, machine. */
json_t *new_document(const struct cpu *);
/* Prints a document and frees it. Returns `code`, how the measurement ended, with its message in e;
 * or, with its own message, that the document could not be written. */
int print_document(json_t *document, int code, struct error *e);

/* Prints what a command found: the document that a query gives with --json (publish/render/rows.h),
 * else its text for people (query.h), short with --quiet. */
int print_query(const struct options *, const struct lab_db *, const char *document,
                const char *text, struct error *e);

enum { GATE_ROOM = 40 };
extern const char usual_gates[]; /* of --gate alone */
/* Writes the kinds that --gate gates, as " error lost time bits ": error and lost always;
 * "promised" stands for bits of kernels that promise them. "" where no gate was asked for. */
void gate_kinds(const struct options *, char kinds[GATE_ROOM]);
/* Like gate_kinds(), for commands whose --threshold asks for a gate, too. */
void gate_kinds_of_threshold(const struct options *, char kinds[GATE_ROOM]);

/* Returns the text of `key` in a row; "-" if there is none. */
const char *text_or_dash(const json_t *row, const char *key);

/* Says on stderr where a gate looked at nothing: skipped is not partial (docs/contract.md), and not
 * a promise kept either. `what` names what was counted: "rows". */
void note_nothing_measured(const char *command, size_t skipped, size_t all, const char *what);

enum { SHORT_NAME_MAX = 160 };
/* Writes what distinguishes the variants of one operation: algorithm, ISA, compiler, policy, and
 * the dtype unless it is f32. */
void short_name(const char *id, char name[SHORT_NAME_MAX]);

#endif
