// SPDX-License-Identifier: MIT
#include "publish/render/flags.h"

#include <stdio.h>
#include <string.h>

#include "model/record.h"

static size_t add(struct flags_text *t, size_t used, const char *separator, const char *text)
{
    if (used < sizeof t->text)
        used += (size_t)snprintf(t->text + used, sizeof t->text - used, "%s%s",
                                 used ? separator : "", text);
    return used;
}

struct flags_text flags_modes(const json_t *record)
{
    struct flags_text t = {""};
    const json_t *mode;
    size_t i, used = 0;
    json_array_foreach(json_object_get(record, "modes"), i, mode)
    {
        char one[64];
        snprintf(one, sizeof one, "%.4g ns x%zu", record_number(mode, "ns_per_row"),
                 record_count(mode, "processes"));
        used = add(&t, used, ", ", one);
    }
    return t;
}

struct flags_text flags_text(const json_t *record)
{
    struct flags_text t = {""}, modes = flags_modes(record);
    const json_t *flag;
    size_t i, used = 0;
    json_array_foreach(json_object_get(record, "flags"), i, flag)
    {
        if (!json_is_string(flag)) continue;
        used = add(&t, used, ", ", json_string_value(flag));
        if (strcmp(json_string_value(flag), "two-modes") != 0 || !modes.text[0]) continue;
        used = add(&t, used, " (", modes.text);
        used = add(&t, used, "", ")");
    }
    return t;
}
