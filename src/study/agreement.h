// SPDX-License-Identifier: MIT
/* The agreement of an operation's variants in every bit, along the axes: which of ISA, compiler and
 * policy change a result, with a sentence that summarises it. */
#ifndef ULPLAB_AGREEMENT_H
#define ULPLAB_AGREEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/distance.h"
#include "model/registry.h"
#include "oracle/inputs.h"
#include "study/experiments.h"

struct agreement {
    const struct variant *const *variants; /* of one operation and dtype */
    const size_t *class_of;                /* per variant: equal where all bits are; NO_CLASS */
    size_t count;
};
#define NO_CLASS ((size_t)-1) /* it did not run to the end */

enum axis { AXIS_ALGORITHM, AXIS_ISA, AXIS_CC, AXIS_POLICY, AXIS_COUNT };
extern const char *const axis_names[AXIS_COUNT];
const char *axis_value(const struct variant *v, enum axis a);

enum { NAMES_MAX = 64 };
/* Names, each once, in the order in which they came. */
struct names {
    const char *items[NAMES_MAX];
    size_t count;
};
void names_add(struct names *n, const char *name);

/* Returns whether all variants that differ from this one only in that axis agree with it;
 * ANSWER_NONE if there is none. */
enum answer agreement_along(const struct agreement *g, size_t variant, enum axis a);

/* Returns one sentence: the number of bit patterns, the builds {compiler, policy} that agree on all
 * algorithms and ISAs, and the algorithms that have one pattern in all builds. The caller frees. */
char *agreement_sentence(const struct agreement *g);

/* Returns what the variants of a class have in common: "threepass avx512 gcc-12 {default,fast}".
 * The caller frees. */
char *agreement_members(const struct agreement *g, size_t class);

/* The variants of an operation on one block of inputs, a family at a length of rows: parted into
 * classes of equal bits, and how far the classes are apart. Class 0 is the first variant's. */

struct partition {
    enum family family;
    size_t n, rows;
    size_t variants;        /* how many */
    size_t *class_of;       /* [variants], NO_CLASS where it did not run */
    size_t *representative; /* [class_count]: a variant of each class */
    uint64_t *bits;         /* [class_count]: the hash of its outputs */
    struct distance *pairs; /* [variants, variants], the upper triangle of the classes' */
    size_t class_count;
};

void partition_open(struct partition *, enum family, size_t n, size_t rows, size_t variants);
void partition_close(struct partition *);

/* Returns the class of those bits; class_count if there is none yet. */
size_t partition_find(const struct partition *, uint64_t bits);
/* Adds a class, represented by that variant. to: its distance to each class before. */
void partition_add_class(struct partition *, size_t variant, uint64_t bits,
                         const struct distance *to);
/* Returns the distance between two classes. */
struct distance *partition_distance(const struct partition *, size_t a, size_t b);

#endif
