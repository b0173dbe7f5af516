// SPDX-License-Identifier: MIT
/* The floating-point flags of gcc and clang: one table for everything that reads or writes a
 * command line. */
#ifndef ULPLAB_FP_FLAGS_H
#define ULPLAB_FP_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

/* The guarantees that a flag gives up. */
enum fp_gift {
    FP_CONTRACTION = 1 << 0, /* a product and a sum are rounded once */
    FP_EXACTNESS = 1 << 1,   /* approximations in the place of exact operations */
    FP_ORDER = 1 << 2,       /* of additions */
    FP_QUOTIENTS = 1 << 3,
    FP_ZERO_SIGN = 1 << 4,
    FP_SPECIALS = 1 << 5, /* NaN and infinities */
    FP_EXCEPTIONS = 1 << 6,
    FP_ERRNO = 1 << 7,
    FP_ROUNDING = 1 << 8,
    FP_SIGNALING = 1 << 9,
    FP_EXCESS = 1 << 10,
    FP_COMPLEX = 1 << 11,
    FP_FUNCTIONS = 1 << 12, /* of libm */
    FP_ALL = (1 << 13) - 1,
    /* These no compiler keeps by itself, or nothing in SSE arithmetic needs: no loss of a set. */
    FP_IDLE = FP_CONTRACTION | FP_ROUNDING | FP_SIGNALING | FP_EXCESS | FP_COMPLEX,
};

enum fp_kind {
    FP_PART,  /* a part of -ffast-math */
    FP_OTHER, /* none */
    FP_SUM,   /* stands for several, and has no row in `ulplab flags` */
};

struct fp_flag {
    const char *flag, *opposite; /* opposite: the flag that restores the guarantee; or NULL */
    const char *name;            /* in records, of those that `ulplab flags` has a row of */
    const char *of;              /* gcc or clang, where they differ; or NULL */
    enum fp_kind kind;
    unsigned gives;      /* enum fp_gift */
    unsigned restores;   /* the guarantees that it restores, before it gives up `gives` */
    bool at_link;        /* on a link line: sets FTZ and DAZ for the process */
    const char *needs;   /* names of the flags without which a compiler ignores it; or NULL */
    const char *covers;  /* names of the flags that it switches on by itself; or NULL */
    const char *defined; /* names of the flags that together switch it on; or NULL */
    const char *words;   /* the guarantee that a program with this flag loses; or NULL */
};
extern const struct fp_flag fp_flags[];
extern const size_t fp_flag_count;

/* Returns whether the word is a flag of the table, the opposite of one, or another value of the
 * option of one, as -ffp-contract=on is. */
bool fp_flag_is(const char *word);
/* Returns the name of the flag that the word is, or whose opposite it is; NULL where it has none.
 */
const char *fp_flag_name(const char *word);
/* Returns whether the word on a link line has the linker set FTZ and DAZ for the process. */
bool fp_flag_at_link(const char *word);
/* Returns the guarantees that a command line gives up, of which `given` are given up before the
 * word. Called word by word: the last one decides. */
unsigned fp_flag_apply(unsigned given, const char *word);
/* Returns the same of a whole line, words with blanks between them. */
unsigned fp_line_gives_up(const char *line);
/* Writes the words of a line of which fp_flag_at_link() is so. */
void fp_line_at_link(const char *line, char *words, size_t size);

enum { WORD_MAX = 240 };
/* Copies a command line's next word; returns what is behind it, NULL at the end. */
const char *line_next_word(const char *line, char word[WORD_MAX]);

#endif
