// SPDX-License-Identifier: MIT
/* A folder of a test program's own below /tmp, which goes when the program ends. */
#ifndef ULPLAB_SCRATCH_H
#define ULPLAB_SCRATCH_H

extern char scratch[]; /* its path */

/* CMocka's set-up and tear-down of a group. */
int scratch_open(void **state);
int scratch_close(void **state);

/* The path of that name in it: good for three more calls. */
const char *scratch_path(const char *name);
/* What the file of that name holds, 0 behind it; fails the test where there is none. The caller
 * frees. */
char *scratch_read(const char *name);

#endif
