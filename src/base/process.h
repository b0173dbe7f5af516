// SPDX-License-Identifier: MIT
/* Processes and pipes when the system has reached a limit for the moment. */
#ifndef ULPLAB_PROCESS_H
#define ULPLAB_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* fork() and pipe2(O_CLOEXEC), repeated for up to a second while a limit is reached: a child's
 * measurement is not lost because of others' processes. */
pid_t process_fork(void);
bool process_pipe(int ends[2]);

#endif
