// SPDX-License-Identifier: MIT
#include "publish/render/csv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether a spreadsheet would calculate the text. A number, also one of %a, is no formula;
 * nor are several with spaces between. */
static bool is_formula(const char *text)
{
    char *end;
    if (!*text || !strchr("=+-@\t\r\n", *text)) return false;
    strtod(text, &end);
    return end == text || (*end && *end != ' ');
}

void csv_put(FILE *out, const char *text)
{
    const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";
    fprintf(out, "%s%s", quote, is_formula(text) ? "'" : "");
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputs(quote, out);
}
