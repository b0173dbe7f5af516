// SPDX-License-Identifier: MIT
/* Which machine code each variant of a folder has, and whether two folders ran the same one: cells
 * compare where they did. */
#ifndef ULPLAB_CODES_H
#define ULPLAB_CODES_H

#include "publish/load/results.h"

enum { CODE_MAX = 96, VARIANT_ID_MAX = 200 };

/* The id of a variant: op/algorithm/dtype=../isa=../cc=../policy=... Returns its length. */
size_t variant_id(const struct axes *a, char id[VARIANT_ID_MAX]);

/* One variant: the hash of its machine code, or the version of its library. */
struct code {
    const char *id, *text; /* borrowed from the results */
};
struct codes {
    struct code *items; /* sorted by id */
    size_t count;
    const json_t *libraries; /* {library: version}; NULL where the folder does not say */
};

/* EXIT_PARTIAL where memory is short. The results must outlive it. */
int codes_read(const struct results *r, struct codes *c, struct error *e);
void codes_free(struct codes *c);

/* The hash, or of a library the version; "" where the folder does not say. */
const char *code_of(const struct codes *c, const char *id);

#endif
