/* What several commands share: opening the chosen variants, reading arrays, printing a document,
 * naming a variant in a table. */
#ifndef ULPLAB_COMMON_H
#define ULPLAB_COMMON_H

#include <jansson.h>

#include "cmd/options.h"
#include "machine/cpu.h"
#include "model/npy.h"
#include "model/registry.h"

/* The CPU without --hide-isa, and the variants that match --filter. Close the registry where this
 * returned 0. */
int open_variants(const struct options *, struct cpu *, struct registry *, struct error *);

/* A user's array. A note says where it was converted. */
int read_array(const char *path, struct npy *array, struct error *e);

/* The document's head: schema, tool, machine. */
json_t *new_document(const struct cpu *);
/* Prints a document and frees it. Returns `code`, how the measurement ended, with its message in e;
 * or, with its own message, that the document could not be written. */
int print_document(json_t *document, int code, struct error *e);

/* The text of `key` in a row; "-" where there is none. */
const char *text_or_dash(const json_t *row, const char *key);

enum { SHORT_NAME_MAX = 160 };
/* What the variants of one operation differ in: algorithm, ISA, compiler, policy, and the dtype
 * where it is not f32. */
void short_name(const char *id, char name[SHORT_NAME_MAX]);

#endif
