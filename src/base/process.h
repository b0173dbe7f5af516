/* Processes and pipes where the system has none left at the moment. */
#ifndef ULPLAB_PROCESS_H
#define ULPLAB_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* fork() and pipe2(O_CLOEXEC), tried again for a second while a limit is reached: what a child
 * would have measured is not lost because of others' processes. */
pid_t process_fork(void);
bool process_pipe(int ends[2]);

#endif
