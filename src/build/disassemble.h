/* Counts instructions in machine code, with Zydis. */
#ifndef ULPLAB_DISASSEMBLE_H
#define ULPLAB_DISASSEMBLE_H

#include <stddef.h>

#include "build.h"

/* Adds what `size` bytes of x86-64 code hold to the counts. What does not decode is stepped over
 * byte by byte and counted as such: the other figures are then a lower bound. */
void disassemble_count(const unsigned char *code, size_t size, struct code_counts *counts);

#endif
