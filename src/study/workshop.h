// SPDX-License-Identifier: MIT
/* A workshop: a small lab in a folder of its own. It is built from the sources with given kernels,
 * compilers, ISAs and policies, and used by commands of its program. */
#ifndef ULPLAB_WORKSHOP_H
#define ULPLAB_WORKSHOP_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct workshop {
    char root[PATH_MAX];   /* the lab's sources: where the Makefile is */
    char folder[PATH_MAX]; /* where it is built; BUILD of its Makefile */
    char lab[PATH_MAX];    /* the build whose objects of src/ it shares; LAB of its Makefile */
    bool temporary;        /* workshop_close() removes the folder */
};

/* Words of a command line, made one by one. */
struct words {
    char **items; /* ends with NULL */
    size_t count;
};
__attribute__((format(printf, 2, 3))) void words_add(struct words *w, const char *format, ...);
/* Adds each word of a list that ends with NULL; the list may be NULL. */
void words_add_each(struct words *w, const char *const *items);
/* Adds several words, of which none is NULL. */
#define WORDS_ADD(w, ...) words_add_each(w, (const char *const[]){__VA_ARGS__, NULL})
void words_copy(struct words *to, const struct words *from);
void words_free(struct words *w);
/* Returns the words with blanks between them; the caller frees. */
char *words_joined(const struct words *w);
/* Adds NAME=WORDS, a variable of make, and frees the words. */
void words_add_variable(struct words *w, const char *name, struct words *words);

/* folder: created if it does not exist; NULL: a new one under $TMPDIR, which workshop_close()
 * removes. EXIT_BAD_INPUT if the lab's sources are not found. */
int workshop_open(struct workshop *w, const char *folder, struct error *e);
void workshop_close(struct workshop *w);
/* Writes the folder of the lab's sources, and returns whether there is one: share/ulplab of an
 * installed program; else the current folder, the program's, or a folder above one of them. A
 * workshop's program gets it by the environment variable ULPLAB_SOURCES. */
bool workshop_sources(char root[PATH_MAX]);
/* Writes the path of a workshop that is kept: build-NAME beside this program's folder build, not in
 * it, where make would read its files; for an installed program NAME in the user's cache
 * (base/file.h), which also has the lab's objects. */
void workshop_beside(const char *name, char *path, size_t size);

/* Returns the command of the compiler that this build knows by a name; otherwise the name. */
const char *workshop_compiler(const char *name);

/* Runs make: variables ("CCS=gcc-12") and goals, which are relative to the workshop's folder
 * ("ulplab", "obj/gcc-12/avx2/off/softmax_plain.o"). The output goes to make.log in the
 * folder. EXIT_PARTIAL, with the last line of that, if make fails. */
int workshop_make(const struct workshop *w, const struct words *variables,
                  const struct words *goals, struct error *e);

/* Runs a compiler in a folder; its output is appended to compile.log in the workshop's. Returns
 * whether it succeeds. */
bool workshop_compile(const struct workshop *w, const char *folder, const struct words *command);
/* Writes the first line of a log that contains "error"; without one "the compiler failed". */
void workshop_first_error(const char *log, char *line, size_t size);

/* For an installed program, which has no objects: builds objects of the lab (build/obj/.. in the
 * registry) in the user's cache, and replaces their paths. axes: the compiler, ISA and policy of
 * all of them. */
int workshop_lab_objects(const struct workshop *w, struct words *objects, const char *axes[3],
                         struct error *e);

/* Runs the workshop's program with a command that has --json. *document is what it printed; the
 * caller frees. Its exit code does not matter: a gate that falls is a fact in the document. Its
 * stderr goes to program.log in the folder, or to the lab's own stderr if the folder is temporary.
 * limit_s: the time limit; 0: none. EXIT_PARTIAL if it prints no document; 130 and 143 if the lab
 * was asked to stop. */
int workshop_ask(const struct workshop *w, const struct words *command, double limit_s,
                 json_t **document, struct error *e);

/* Runs a program without its output, and returns its exit code; -1 if it has none. */
int workshop_run(char *const *words);
/* Returns the output of a program, which runs as by workshop_document(); "" if it does not run. The
 * caller frees. */
char *workshop_text(char *const *words, double limit_s, size_t *size);
/* Returns whether PATH has a program of this name. */
bool workshop_finds_program(const char *name);

/* Returns the document that a program prints, or NULL. words: its path and arguments, ending with
 * NULL. It runs in a process group of its own, which is killed at the end. */
json_t *workshop_document(char *const *words, double limit_s);
/* Returns workshop_document() without a time limit. Copies the program's stderr to the lab's; said:
 * receives its last line. *code: its exit code; -1 if it did not exit. */
json_t *workshop_answer(char *const *words, char *said, size_t size, int *code);

/* Inputs that real data has and the families lack. */

/* Writes an .npy of floats or doubles: a row for each special value (NaN, infinities, zeros of both
 * signs, numbers at the ends of the type's range) among usual ones, and a row of it alone. */
int specials_write(const char *path, bool in_double, struct error *e);

#endif
