// SPDX-License-Identifier: MIT
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

/* Makes the text one line, and removes terminal control characters, which quotations of a foreign
 * file or a file's name may contain. */
static void keep_to_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f) *text = ' ';
}

int fail(struct error *e, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    keep_to_one_line(e->text);
    return code;
}

void note(const char *format, ...)
{
    char text[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    keep_to_one_line(text);
    fprintf(stderr, "ulplab: note: %s\n", text);
}
