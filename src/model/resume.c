// SPDX-License-Identifier: MIT
#include "model/resume.h"

#include <stdio.h>

#include "model/record.h"

enum { KEY_MAX = 400 };

static void write_key(const char *name, const char *family, long long number, char key[KEY_MAX])
{
    snprintf(key, KEY_MAX, "%s %s %lld", name, family, number);
}

json_t *resume_keys(const json_t *records, const char *number)
{
    json_t *keys = json_object();
    size_t i;
    const json_t *record;
    json_array_foreach(records, i, record)
    {
        const char *id = record_text(record, "id");
        char key[KEY_MAX];
        write_key(*id ? id : record_text(record, "name"), record_text(record, "family"),
                  json_integer_value(json_object_get(record, number)), key);
        json_object_set_new(keys, key, json_true());
    }
    return keys;
}

bool resume_has(const json_t *keys, const char *name, const char *family, long long number)
{
    char key[KEY_MAX];
    write_key(name, family, number, key);
    return json_object_get(keys, key) != NULL;
}
