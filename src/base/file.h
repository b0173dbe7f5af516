/* Files that are written as a whole, and the folders they go to. */
#ifndef ULPLAB_FILE_H
#define ULPLAB_FILE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/uio.h>

#include "base/error.h"

/* EXIT_BAD_INPUT with "cannot WHAT: PATH: what errno says; REMEDY". */
int file_cannot(struct error *e, const char *what, const char *path, const char *remedy);

/* For reading; NULL, with errno, where it cannot be. It waits for nobody to write into a pipe,
 * which may lie where a stranger's results should: the caller sees whether it is a plain file. */
FILE *file_open(const char *path);

/* Writes text through a temporary file in the same folder, fsync, rename, fsync of the folder. A
 * device or a pipe is written to directly; a link is replaced, whatever it points to, unless it is
 * one of the system's (/dev/stdout). */
int file_write_atomic(const char *path, const char *text, size_t size, struct error *e);
/* The same for text in pieces. */
int file_write_parts(const char *path, const struct iovec *parts, int count, struct error *e);
/* Makes the folder and its parents. */
int folder_make(const char *path, struct error *e);
/* Exchanges two folders of one disk at once. -1 with errno where that cannot be. */
int folder_exchange(const char *a, const char *b);
/* Holds the folder for this process: EXIT_BAD_INPUT where another process holds it. The system
 * gives it back when the process ends, however it ends. */
int folder_lock(const char *path, int *lock, struct error *e);
/* -1: nothing is held. */
void folder_unlock(int lock);

#endif
