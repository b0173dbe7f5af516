// SPDX-License-Identifier: MIT
/* Processes, pipes, and bytes through them or into a file. */
#ifndef ULPLAB_PROCESS_H
#define ULPLAB_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* fork() and pipe2(O_CLOEXEC), repeated for up to a second while a limit is reached: a child's
 * measurement is not lost because of others' processes. */
pid_t process_fork(void);
bool process_pipe(int ends[2]);

/* Writes all bytes, however often a signal interrupts. Returns false, with errno, if it could not.
 */
bool write_all(int fd, const void *data, size_t size);
/* Reads all bytes. Returns false if the stream ends before, or, with errno, on an error. */
bool read_all(int fd, void *data, size_t size);

/* Prepares an exec: the file of descriptor `from` becomes descriptor `to` of the new program. */
bool descriptor_give(int from, int to);

#endif
