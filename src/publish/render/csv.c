// SPDX-License-Identifier: MIT
#include "publish/render/csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool csv_is_formula(const char *text)
{
    char *end;
    if (!*text || !strchr("=+-@\t\r\n", *text)) return false;
    strtod(text, &end);
    return *end || end == text;
}

void csv_put(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void csv_put_text(FILE *out, const char *text)
{
    char *marked = NULL;
    size_t size = 0;
    FILE *field = memory_text(&marked, &size);
    fprintf(field, "%s%s", csv_is_formula(text) ? "'" : "", text);
    memory_text_close(field);
    csv_put(out, marked);
    free(marked);
}
