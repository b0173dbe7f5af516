// SPDX-License-Identifier: MIT
/* The subject of `ulplab try`: a function in a source, an object, an archive or a shared library,
 * and how it is built. */
#ifndef ULPLAB_SUBJECT_H
#define ULPLAB_SUBJECT_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"
#include "study/workshop.h"

enum subject_kind { SUBJECT_SOURCE, SUBJECT_OBJECT, SUBJECT_LIBRARY };

struct subject {
    enum subject_kind kind;
    char path[PATH_MAX];      /* absolute */
    const char *function;     /* as the user has it: "my::exp8" */
    char symbol[512];         /* in the object, or the library */
    bool cxx;                 /* the source is C++ */
    bool built;               /* the user gave `flags` or a compilation database */
    struct words flags;       /* without the compiler, -c, -o, the source; paths are absolute */
    char compiler[PATH_MAX];  /* in the compilation database; "": unknown */
    char directory[PATH_MAX]; /* where its command runs */
    struct words command;     /* its whole command; the object's place is the last word */
};

/* The description of the subject by the options of `ulplab try`. */
struct subject_options {
    const char *path, *function;
    const char *flags;  /* "-Iinc -DX=1", or NULL */
    const char *compdb; /* compile_commands.json, or NULL */
};

/* EXIT_BAD_INPUT where the file or its entry is not there. */
int subject_open(struct subject *, const struct subject_options *, struct error *);
void subject_close(struct subject *);

/* Finds the symbol of a function in an object, archive or shared library. EXIT_USAGE, with the
 * names that it has, if there is none, or several. */
int subject_find_symbol(const char *object, const char *function, bool dynamic, char *symbol,
                        size_t size, struct error *);

/* Writes words to a file that a compiler reads as @FILE. */
int words_write(const struct words *, const char *path, struct error *);
/* Splits a command line as a shell does. */
void words_split(struct words *, const char *text);
/* Adds the flags of a text, with absolute paths. */
void flags_read(struct words *, const char *text);

/* The declaration of a function, read from an object's debugging information. */

/* Returns a declaration such as "void my::f(const float *x, int n)", with typedefs resolved and
 * vectors as __m128, __m256 and __m512; the caller frees. NULL if the object has no debugging
 * information about the function. `function` may be qualified; its last part is enough. */
char *signature_read(const char *object, const char *function);

#endif
