// SPDX-License-Identifier: MIT
#include "base/note.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

void note(const char *format, ...)
{
    char text[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++) /* a file's name may contain commands to a terminal */
        if (iscntrl((unsigned char)*c)) *c = ' ';
    fprintf(stderr, "ulplab: note: %s\n", text);
}
