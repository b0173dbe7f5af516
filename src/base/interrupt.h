// SPDX-License-Identifier: MIT
/* SIGINT and SIGTERM ask the lab to stop: it ends its children, writes what it has, and reports
 * what that is. */
#ifndef ULPLAB_INTERRUPT_H
#define ULPLAB_INTERRUPT_H

/* Installs the handlers. A broken pipe and a file that is too large become errors of write(). A
 * second signal ends the process at once. */
void interrupt_install(void);
/* Returns 0, or the exit code (130, 143) of the signal that asked to stop. */
int interrupt_requested(void);
/* Resets every handler to its default in a forked child, which inherits CMocka's and ASan's. */
void interrupt_reset(void);

#endif
