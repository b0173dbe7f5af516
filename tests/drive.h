// SPDX-License-Identifier: MIT
/* Drives a program as a child: arguments in; exit code, stdout and stderr out. What these functions
 * return is kept until the test program ends (keep()). */
#ifndef ULPLAB_DRIVE_H
#define ULPLAB_DRIVE_H

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/npy.h"
#include "test.h"

enum { DRIVE_ARGUMENTS = 40, DRIVE_ID = 256 };

struct drive {
    const char *program;
    const char *arguments[DRIVE_ARGUMENTS]; /* ends with NULL */
    const char *output;       /* file that receives stdout; NULL: it is kept in memory */
    rlim_t file_limit;        /* limit for the size of a file in bytes, or 0 */
    const char *interrupt_at; /* the child gets a SIGINT once this path exists; NULL: none */
};

struct outcome {
    int code; /* exit status; 1000 + signal */
    char *out, *err;
};

struct outcome drive(const struct drive *d);
void drive_free(struct outcome *o);
/* Asserts the exit code and exactly one line on stderr, "ulplab: WHAT: ..", that contains `needle`.
 */
void assert_one_error(const struct outcome *o, int code, const char *needle);

/* The program under test: that of the environment variable ULPLAB, or that of this build. */
const char *drive_program(const char *under_build);
/* A program with few kernels, which finds them, and runs, sooner; the whole one where there is no
 * such program. */
const char *drive_small_program(void);

/* These take a command line: words with blanks between them; a word in quotes may have blanks. */

struct outcome drive_line(const char *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the JSON document that the command prints; fails the test unless it exits with `code`. */
json_t *drive_json(const char *program, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Asserts the exit code, and what the command says: if it succeeds, anywhere; else in its one error
 * line, and nothing before. */
void assert_says(const char *program, int code, const char *says, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Finds the id of the first variant that `list --filter` prints; returns whether one can run here.
 */
bool drive_first_id(const char *program, const char *filter, char id[DRIVE_ID]);

/* Keeps a document that `command` printed with --json for tests/documents, which validates it:
 * scripts/test names a folder. */
void drive_keep(const char *command, const char *document);
/* Reads a file to its end and closes it. */
char *drive_slurp(FILE *f);
/* Returns a file's text; fails the test if it cannot be read. */
char *drive_read(const char *path);
/* Reads an array; fails the test if it cannot be read. */
struct npy drive_npy(const char *path);
/* Returns the paths that match any of the patterns, each list with NULL at its end. */
char **drive_glob(const char *const *patterns);

#endif
