/* An interval as a command line has it: "LO,HI". */
#ifndef ULPLAB_INTERVAL_H
#define ULPLAB_INTERVAL_H

#include <stdbool.h>

/* Two numbers as strtof() reads them, hexadecimal ones and infinities too. False where the text is
 * anything else. */
bool interval_parse(const char *text, float *low, float *high);

#endif
