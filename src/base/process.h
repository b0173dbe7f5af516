// SPDX-License-Identifier: MIT
/* Processes, pipes, and bytes through them or into a file. */
#ifndef ULPLAB_PROCESS_H
#define ULPLAB_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* fork() and pipe2(O_CLOEXEC), repeated for up to a second while a limit is reached, so that other
 * processes do not cost a measurement. */
pid_t process_fork(void);
bool process_pipe(int ends[2]);

/* Writes all bytes, however often a signal interrupts. Returns false, with errno, if it could not.
 */
bool write_all(int fd, const void *data, size_t size);
/* Reads all bytes. Returns false if the stream ends before, or, with errno, on an error. */
bool read_all(int fd, void *data, size_t size);

/* Prepares an exec: the file of descriptor `from` becomes descriptor `to` of the new program. */
bool descriptor_give(int from, int to);

/* SIGINT and SIGTERM ask the lab to stop: it ends its children, writes what it has, and reports
 * what that is. */

/* Installs the handlers. A broken pipe and a file that is too large become errors of write(). A
 * second signal ends the process at once. */
void interrupt_install(void);
/* Returns 0, or the exit code (130, 143) of the signal that asked to stop. */
int interrupt_requested(void);
/* Resets every handler to its default in a forked child, which inherits CMocka's and ASan's. */
void interrupt_reset(void);

/* Wall-clock seconds for time-outs and estimates; published times come from machine/clock.h. */

/* CLOCK_MONOTONIC, in seconds. */
double monotonic_s(void);

#endif
