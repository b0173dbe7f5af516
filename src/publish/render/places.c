// SPDX-License-Identifier: MIT
#include "publish/render/places.h"

struct places places_make(void)
{
    return (struct places){json_array(), json_object()};
}

json_t *places_put(struct places *p, const char *key, json_t *value)
{
    json_t *place = json_object_get(p->by_key, key);
    if (place) {
        json_decref(value);
        return json_incref(place);
    }
    place = json_integer((json_int_t)json_array_size(p->list));
    json_object_set_nocheck(p->by_key, key, place);
    json_array_append_new(p->list, value);
    return place;
}

json_t *places_end(struct places *p)
{
    json_t *list = p->list;
    json_decref(p->by_key);
    *p = (struct places){NULL, NULL};
    return list;
}

json_t *json_text(const char *text)
{
    json_t *value = json_string(text);
    return value ? value : json_string("?");
}
