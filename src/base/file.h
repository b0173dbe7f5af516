// SPDX-License-Identifier: MIT
/* Files that are written as a whole, and their folders. */
#ifndef ULPLAB_FILE_H
#define ULPLAB_FILE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/uio.h>
#include <stdbool.h>

#include "base/error.h"

/* Fails with EXIT_BAD_INPUT and "cannot WHAT: PATH: what errno says; REMEDY". */
int file_cannot(struct error *e, const char *what, const char *path, const char *remedy);

/* Opens a file for reading; returns NULL, with errno, if it cannot. It does not wait for a writer
 * if a pipe lies where a stranger's results should: the caller checks that it is a plain file. */
FILE *file_open(const char *path);
/* Reads a plain file of at most `most` bytes. *text, with a NUL behind, is the caller's to free;
 * NULL where there is no such file. EXIT_BAD_INPUT if it cannot be read, is longer, or no file. */
int file_read(const char *path, size_t most, char **text, size_t *size, struct error *e);

/* Writes text through a temporary file in the same folder, fsync, rename, fsync of the folder. A
 * device or a pipe is written to directly; a link is replaced, whatever it points to, unless it is
 * one of the system's (/dev/stdout). */
int file_write_atomic(const char *path, const char *text, size_t size, struct error *e);
/* file_write_atomic() of a text in pieces. */
int file_write_parts(const char *path, const struct iovec *parts, int count, struct error *e);
/* Names the temporary file that this process is writing (NULL: none more), and removes it: for a
 * process that ends where no caller can. A child removes nothing of its parent's. */
void file_unfinished(const char *path);
void file_abandon(void);
/* Creates the folder and its parents. */
int folder_make(const char *path, struct error *e);
/* Exchanges two folders of one disk at once. Returns -1, with errno, if it cannot. */
int folder_exchange(const char *a, const char *b);
/* Locks the folder for this process; EXIT_BAD_INPUT if another process holds it. The system
 * releases the lock when the process ends, in whatever way. */
int folder_lock(const char *path, int *lock, struct error *e);
/* Releases the lock; -1: there is none. */
void folder_unlock(int lock);

/* What an installed program builds for its user: $XDG_CACHE_HOME/ulplab, or ~/.cache/ulplab. */

/* Parts of the cache that nothing used for so long are removed. */
enum { CACHE_DAYS = 30 };

/* Writes the folder's path, whether it is there or not; false where the environment names no home.
 */
bool cache_folder(char *path, size_t size);
/* Notes that the part `name` is in use, and removes those that were not for CACHE_DAYS. */
void cache_use(const char *name);
/* Returns the bytes of the files in a folder and below; counts its parts, folders right below it.
 */
double cache_bytes(const char *path, size_t *parts);
/* Removes a folder and all that is in it. */
void folder_remove(const char *path);

#endif
