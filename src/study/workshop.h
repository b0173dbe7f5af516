// SPDX-License-Identifier: MIT
/* A workshop: a small lab in a folder of its own, built from the sources with the kernels,
 * compilers, ISAs and policies that somebody asks for, and driven by its own program's commands. */
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
/* Adds each word of a list that ends with NULL; NULL is an empty one. */
void words_add_each(struct words *w, const char *const *items);
/* Adds several words, of which none is NULL. */
#define WORDS_ADD(w, ...) words_add_each(w, (const char *const[]){__VA_ARGS__, NULL})
void words_copy(struct words *to, const struct words *from);
void words_free(struct words *w);
/* Returns the words with blanks between them; the caller frees. */
char *words_joined(const struct words *w);
/* Adds NAME=WORDS, a variable of make, and frees the words. */
void words_add_variable(struct words *w, const char *name, struct words *words);

/* folder: made where it is not there; NULL: a new one under $TMPDIR, which workshop_close()
 * removes. EXIT_BAD_INPUT where the lab's sources are not found. */
int workshop_open(struct workshop *w, const char *folder, struct error *e);
void workshop_close(struct workshop *w);
/* Writes the folder of the lab's sources: of an installed program share/ulplab, else it is looked
 * for in the current folder, in the program's, and in the folders above both; returns whether there
 * is one. A workshop's program looks where the workshop found it (environment variable
 * ULPLAB_SOURCES). */
bool workshop_sources(char root[PATH_MAX]);
/* Writes the path build-NAME beside this program's folder build, for a workshop that stays. It is
 * not within that folder: make reads what build depends on. Of an installed program it is NAME in
 * the user's cache (base/file.h), which also has the lab's objects. */
void workshop_beside(const char *name, char *path, size_t size);

/* Returns what starts the compiler that this build knows by a name; of another one, the name. */
const char *workshop_compiler(const char *name);

/* Runs make: variables ("CCS=gcc-12") and goals, which are relative to the workshop's folder
 * ("ulplab", "obj/gcc-12/avx2/off/softmax_plain.o"). What make and the compilers say goes to
 * make.log in the folder. EXIT_PARTIAL, with the last line of that, where make fails. */
int workshop_make(const struct workshop *w, const struct words *variables,
                  const struct words *goals, struct error *e);

/* Runs a compiler in a folder; what it says is added to compile.log in the workshop's. Returns
 * whether it exits with 0. */
bool workshop_compile(const struct workshop *w, const char *folder, const struct words *command);
/* Writes the first line of a log that names an error; "the compiler failed" where none does. */
void workshop_first_error(const char *log, char *line, size_t size);

/* Builds objects of the lab, as the registry names them (build/obj/..), where an installed program
 * has none, in the user's cache, and names them there instead. axes: compiler, ISA and policy that
 * they all are of. */
int workshop_lab_objects(const struct workshop *w, struct words *objects, const char *axes[3],
                         struct error *e);

/* Runs the workshop's program with the words of a command that has --json. *document, which the
 * caller frees, is what it printed. Its exit code is not looked at: a gate that falls is a fact in
 * the document; what it says on stderr goes to program.log in the folder, or to the lab's own
 * stderr where the folder is temporary. limit_s: it is ended then; 0: never. EXIT_PARTIAL where it
 * prints no document; 130 and 143 where the lab was asked to stop. */
int workshop_ask(const struct workshop *w, const struct words *command, double limit_s,
                 json_t **document, struct error *e);

/* Runs a program for its exit code alone, without its output; returns -1 where there is none. */
int workshop_run(char *const *words);
/* Returns what a program prints, which the caller frees; "" where it does not run. Runs as
 * workshop_document() does. */
char *workshop_text(char *const *words, double limit_s, size_t *size);
/* Returns whether PATH has a program of this name. */
bool workshop_finds_program(const char *name);

/* Returns the document that a program prints, or NULL. words: its path and arguments, ending with
 * NULL. It runs in a process group of its own, none of which is left behind. */
json_t *workshop_document(char *const *words, double limit_s);
/* Returns workshop_document() without a limit. What the program says on stderr is said there, too;
 * said: the last line of it. Returns its exit code in *code, -1 where it did not exit. */
json_t *workshop_answer(char *const *words, char *said, size_t size, int *code);

/* Inputs that real data has and the families lack. */

/* Writes rows each with one of NaN, infinities, zeros of both signs and numbers at the ends of the
 * range of floats, or of doubles, and rows of nothing else, as an .npy of that type. */
int specials_write(const char *path, bool in_double, struct error *e);

#endif
