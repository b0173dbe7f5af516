// SPDX-License-Identifier: MIT
/* Constants of kernels, present in this process's memory. */
#ifndef ULPLAB_RESIDENT_H
#define ULPLAB_RESIDENT_H

/* Touches the constants of the program and of its libraries, before anything is measured. An
 * instruction whose mask lets none of a memory operand's elements through does not make the page
 * of that operand present: it takes a microcode assist instead, each time, until something else
 * touches the page (docs/tuning-log.md, "The lab itself"). */
void resident_constants(void);

#endif
