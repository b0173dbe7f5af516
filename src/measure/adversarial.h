// SPDX-License-Identifier: MIT
/* The worst inputs that `search` found, as files: DIR/adversarial/OP-HASH.npy, HASH over the shape
 * and the bits. Read once, they are the input family `adversarial` of accuracy: rows of one
 * operation and one length are one block, in the order of the files' names. */
#ifndef ULPLAB_ADVERSARIAL_H
#define ULPLAB_ADVERSARIAL_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"
#include "model/npy.h"

#define ADVERSARIAL "adversarial"
enum { ADVERSARIAL_NAME = 64 };

/* Writes rows [rows, n] for an operation, where they are not there yet. `name` receives the file's,
 * without its folder. */
int adversarial_keep(const char *results, const char *op, const struct npy *rows,
                     char name[ADVERSARIAL_NAME], struct error *e);

struct adversarial_block {
    char op[24];
    size_t rows, n;
    float *x;      /* [rows, n] */
    char hash[20]; /* a hash of the names of its files, which have hashes of the files' rows */
};

struct adversarial {
    struct adversarial_block *blocks; /* by op, then n */
    size_t count;
    json_t *names; /* array, sorted */
};

/* Reads the folder; none there is an empty one. EXIT_BAD_INPUT where a file is malformed, or not
 * what its name says. On 0 the caller closes. */
int adversarial_open(const char *results, struct adversarial *a, struct error *e);
void adversarial_close(struct adversarial *a);

#endif
