// SPDX-License-Identifier: MIT
/* Remarks for the user beside a command's results, on stderr. */
#ifndef ULPLAB_NOTE_H
#define ULPLAB_NOTE_H

/* Prints one line, "ulplab: note: ..". */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
