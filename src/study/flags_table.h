// SPDX-License-Identifier: MIT
/* The flags that `ulplab flags` knows, and sets of them. Each compiler is asked which of them it
 * knows. */
#ifndef ULPLAB_FLAGS_TABLE_H
#define ULPLAB_FLAGS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "machine/cpu.h"
#include "study/workshop.h"

enum flag_kind {
    FLAG_PART,  /* of -ffast-math */
    FLAG_TUNE,  /* asks for other code, not for other arithmetic */
    FLAG_OTHER, /* changes arithmetic, and is no part of -ffast-math; a user's own */
    FLAG_LINK,  /* what -ffast-math does on a link line; never in a set */
    FLAG_WHOLE, /* what --all says, as one */
    FLAG_KINDS,
};
const char *flag_kind_name(enum flag_kind kind); /* "part", "tune", "other", "link", "whole" */

/* Names in lists are separated by spaces. */
struct flag {
    const char *name, *flags;
    enum flag_kind kind;
    const char *needs;    /* rows without which the compiler ignores it; or NULL */
    const char *covers;   /* rows that it switches on by itself; or NULL */
    const char *defined;  /* rows that together switch it on; or NULL */
    const char *without;  /* switches it off where another row covers it; or NULL */
    const char *gives_up; /* what a program that has it cannot rely on; or NULL */
    const char *feature;  /* of a CPU that can run its code; NULL: any that runs the ISA's */
    const char *said;     /* how people write it, where `flags` stands for it; or NULL */
};

enum { FLAGS_MAX = 60, FLAGS_TEXT_ROOM = 1400 };
/* Bit i: row i of the table. With FLAG_WORDS: words as they stand, which the table has a list of.
 */
typedef uint64_t flag_set;
#define FLAG_WORDS ((flag_set)1 << 63)

struct flag_table {
    struct flag rows[FLAGS_MAX];
    size_t count;
    flag_set known; /* what the compiler takes, and this CPU runs */
    flag_set all;   /* what --all stands for, of that */
    flag_set whole; /* the row that --all is, as it was written; 0 where the compiler refuses it */
    struct words texts; /* of sets with FLAG_WORDS */
    const char *base;
    char whole_flags[FLAGS_TEXT_ROOM], words[FLAGS_TEXT_ROOM];
};

/* base: flags of the baseline. all: the flag set to take apart; -ffast-math means all its
 * component flags. own[]: a user's flags. The strings stay. EXIT_USAGE where there are too many, or
 * the compiler refuses a user's. Rows point into the table, which must not be moved. */
int flag_table_make(struct flag_table *t, const struct cpu *cpu, const char *cc, const char *base,
                    const char *all, const char *const *own, size_t own_count, struct error *e);

static inline flag_set flag_bit(size_t row)
{
    return (flag_set)1 << row;
}
/* Returns the row of that name, or t->count. */
size_t flag_find(const struct flag_table *t, const char *name);
/* Returns the row together with the rows that it needs. */
flag_set flag_with_needs(const struct flag_table *t, size_t row);
/* Writes the command line of a set on top of the baseline; alone: without the baseline. */
void flag_set_text(const struct flag_table *t, flag_set set, bool alone, char *text, size_t size);
size_t flag_set_size(flag_set set);
/* Returns the set that is these words, which flag_set_text() writes on top of the baseline. */
flag_set flag_set_of_words(struct flag_table *t, const char *words);

#endif
