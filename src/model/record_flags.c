// SPDX-License-Identifier: MIT
#include "model/record_flags.h"

#include <string.h>

#include "base/memory.h"
#include "model/record.h"

static void put_modes(FILE *out, const json_t *record)
{
    const json_t *mode;
    size_t i;
    json_array_foreach(json_object_get(record, "modes"), i, mode)
        fprintf(out, "%s%.4g ns x%zu", i ? ", " : "", record_number(mode, "ns_per_row"),
                record_count(mode, "processes"));
}

static void put_flags(FILE *out, const json_t *record)
{
    const json_t *flag;
    size_t i;
    json_array_foreach(json_object_get(record, "flags"), i, flag)
    {
        const char *name = json_string_value(flag);
        const bool modes =
            name && !strcmp(name, "two-modes") && json_array_size(json_object_get(record, "modes"));
        if (name) fprintf(out, "%s%s%s", i ? ", " : "", name, modes ? " (" : "");
        if (modes) put_modes(out, record);
        if (modes) putc(')', out);
    }
}

static char *text_by(void (*put)(FILE *out, const json_t *record), const json_t *record)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_text(&text, &size);
    put(out, record);
    memory_text_close(out);
    return text;
}

char *record_flags_text(const json_t *record)
{
    return text_by(put_flags, record);
}

char *record_modes_text(const json_t *record)
{
    return text_by(put_modes, record);
}
