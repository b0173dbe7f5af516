// SPDX-License-Identifier: MIT
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

static void (*end_process)(void) = abort;

static void *or_end(void *memory)
{
    if (!memory) end_process();
    return memory;
}

void memory_guard(void (*end)(void))
{
    end_process = end;
    json_set_alloc_funcs(memory_new, free);
}

/* ---- A text in memory ------------------------------------------------------------------------ */

enum { BUFFER_BYTES = 4096 };
struct text {
    char **text;
    size_t *size, room;
    char buffer[BUFFER_BYTES]; /* the stream's own buffer would be one byte long if memory is short
                                */
};

static ssize_t append(void *cookie, const char *data, size_t size)
{
    struct text *t = cookie;
    if (t->room - *t->size <= size) {
        t->room = 2 * t->room + size;
        *t->text = memory_grow(*t->text, t->room);
    }
    memcpy(*t->text + *t->size, data, size);
    *t->size += size;
    (*t->text)[*t->size] = '\0';
    return (ssize_t)size;
}

/* Tells the place, for ftell(); the stream cannot be moved. */
static int memory_tell(void *cookie, off64_t *place, int whence)
{
    const struct text *t = cookie;
    if (*place || whence == SEEK_SET) return -1;
    *place = (off64_t)*t->size;
    return 0;
}

static int release(void *cookie)
{
    free(cookie);
    return 0;
}

FILE *memory_text(char **text, size_t *size)
{
    static const cookie_io_functions_t functions = {
        .write = append, .seek = memory_tell, .close = release};
    struct text *t = memory_new(sizeof *t);
    t->text = text;
    t->size = size;
    t->room = BUFFER_BYTES;
    *text = memory_zeroed(1, t->room);
    *size = 0;
    FILE *out = or_end(fopencookie(t, "w", functions));
    setvbuf(out, t->buffer, _IOFBF, sizeof t->buffer);
    return out;
}

void memory_text_close(FILE *out)
{
    bool bad = ferror(out);
    if (fclose(out) != 0 || bad) end_process();
}

/* ---- Memory itself --------------------------------------------------------------------------- */

void *memory_new(size_t size)
{
    return or_end(malloc(size));
}

void *memory_zeroed(size_t count, size_t size)
{
    return or_end(calloc(count, size));
}

void *memory_grow(void *old, size_t size)
{
    return or_end(realloc(old, size));
}

char *memory_copy(const char *text)
{
    return or_end(strdup(text));
}

char *memory_copy_of(const char *text, size_t length)
{
    return or_end(strndup(text, length));
}

char *memory_format_list(const char *format, va_list values)
{
    char *text;
    if (vasprintf(&text, format, values) < 0) end_process();
    return text;
}

char *memory_format(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *text = memory_format_list(format, values);
    va_end(values);
    return text;
}
