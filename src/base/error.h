// SPDX-License-Identifier: MIT
/* Errors of the lab's functions: a function that fails returns an exit code of the contract (0 is
 * success) and leaves one line with what, where, why and what to do. main alone prints it and
 * exits. */
#ifndef ULPLAB_ERROR_H
#define ULPLAB_ERROR_H

enum exit_code {
    EXIT_DONE = 0, /* done, all gates hold */
    EXIT_GATE = 1, /* a gate failed */
    EXIT_USAGE = 2,
    EXIT_PARTIAL = 3,   /* something crashed or was cut short */
    EXIT_BAD_INPUT = 4, /* unreadable, malformed, or nowhere to write */
    EXIT_SIGINT = 130,
    EXIT_SIGTERM = 143,
};

struct error {
    char text[600]; /* "WHAT: WHERE: WHY; REMEDY", without the program's name */
};

/* Formats into e->text and returns `code`, so that a function can `return fail(..)`. */
int fail(struct error *e, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Prints a remark for the user on stderr: one line, "ulplab: note: ..". */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
