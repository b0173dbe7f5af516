// SPDX-License-Identifier: MIT
/* Counts instructions in machine code, with Zydis. */
#ifndef ULPLAB_DISASSEMBLE_H
#define ULPLAB_DISASSEMBLE_H

#include <stddef.h>

#include "build.h"

/* Adds the instructions in `size` bytes of x86-64 code to the counts. Bytes that do not decode are
 * skipped one by one and counted as such: the other figures are then lower bounds. */
void disassemble_count(const unsigned char *code, size_t size, struct code_counts *counts);

/* Returns how many of the code's instructions subtract floating-point numbers. */
size_t disassemble_subtractions(const unsigned char *code, size_t size);

#endif
