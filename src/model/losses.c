// SPDX-License-Identifier: MIT
#include "model/losses.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "model/record.h"

enum { TEXT_MAX = 512 };

/* Copies the value behind "KEY=" in a row's id; "" if it lacks the key. */
static void losses_part_of(const char *id, const char *key, char part[TEXT_MAX])
{
    const char *at = strstr(id, key), *value = at ? at + strlen(key) : "";
    snprintf(part, TEXT_MAX, "%.*s", (int)strcspn(value, "/"), value);
}

/* Writes the key by which two policies' rows are compared: the build and the inputs. */
static void losses_place_of(const json_t *row, char place[TEXT_MAX])
{
    const char *id = record_text(row, "id"), *policy = strstr(id, "/policy=");
    char *range = json_dumps(json_object_get(row, "range"), JSON_ENCODE_ANY | JSON_COMPACT);
    snprintf(place, TEXT_MAX, "%.*s %s %.0f %s", (int)(policy ? (size_t)(policy - id) : strlen(id)),
             id, record_text(row, "family"), record_number(row, "n"), range ? range : "");
    free(range);
}

/* Returns the rows under off, by their places. */
static json_t *index_of(const json_t *rows)
{
    json_t *index = json_object();
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        char policy[TEXT_MAX], place[TEXT_MAX];
        losses_part_of(record_text(row, "id"), "/policy=", policy);
        losses_place_of(row, place);
        if (!strcmp(policy, "off") && json_is_integer(json_object_get(row, "lost")))
            json_object_set(index, place, (json_t *)(uintptr_t)row);
    }
    return index;
}

static json_int_t losses_count_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static json_int_t above(json_int_t a, json_int_t b)
{
    return a > b ? a - b : 0;
}

/* Returns by id what the policy loses in all rows: {"lost", and of these "nan"}. */
static json_t *losses_of(const json_t *rows)
{
    json_t *losses = json_object(), *index = index_of(rows);
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        char place[TEXT_MAX];
        losses_place_of(row, place);
        const char *id = record_text(row, "id");
        const json_t *kept = json_object_get(index, place), *sum = json_object_get(losses, id);
        if (!kept) continue;
        json_int_t lost = above(losses_count_of(row, "lost"), losses_count_of(kept, "lost"));
        json_int_t nan = above(losses_count_of(json_object_get(row, "counts"), "nan"),
                               losses_count_of(json_object_get(kept, "counts"), "nan"));
        json_object_set_new(losses, id,
                            json_pack("{s:I, s:I}", "lost", lost + losses_count_of(sum, "lost"),
                                      "nan",
                                      (nan < lost ? nan : lost) + losses_count_of(sum, "nan")));
    }
    json_decref(index);
    return losses;
}

/* Writes "silu/sleef, fastmath: NaN for 1,020,169,705 inputs that off computes". */
static void loss_text(const char *id, const json_t *loss, const char *what, char text[TEXT_MAX])
{
    const char *second = strchr(id, '/');
    int name = (int)(second ? (size_t)(second + 1 - id) + strcspn(second + 1, "/") : strlen(id));
    uint64_t nan = (uint64_t)losses_count_of(loss, "nan"),
             other = (uint64_t)losses_count_of(loss, "lost") - nan;
    char policy[TEXT_MAX], nans[64] = "", others[96] = "";
    losses_part_of(id, "/policy=", policy);
    if (nan) snprintf(nans, sizeof nans, "NaN for %s", number_count(nan).text);
    if (other)
        snprintf(others, sizeof others, "%swrongly infinite or finite for %s", nan ? " and " : "",
                 number_count(other).text);
    snprintf(text, TEXT_MAX, "%.*s, %.40s: %s%s %s that off computes", name, id, policy, nans,
             others, what);
}

/* Returns "avx2 gcc-12", with the type unless it is f32. */
static json_t *build_of(const char *id)
{
    char dtype[TEXT_MAX], isa[TEXT_MAX], cc[TEXT_MAX];
    losses_part_of(id, "/dtype=", dtype);
    losses_part_of(id, "/isa=", isa);
    losses_part_of(id, "/cc=", cc);
    return strcmp(dtype, "f32") ? json_sprintf("%s %s %s", dtype, isa, cc)
                                : json_sprintf("%s %s", isa, cc);
}

static void tell_one(const char *loss, const json_t *builds,
                     void (*say)(void *context, const char *sentence), void *context)
{
    char *text = NULL;
    size_t size = 0, i;
    const json_t *build;
    FILE *line = memory_text(&text, &size);
    fputs(loss, line);
    json_array_foreach(builds, i, build)
    {
        fprintf(line, "%s%s", i ? ", " : " (", json_string_value(build));
    }
    fputs(")", line);
    memory_text_close(line);
    say(context, text);
    free(text);
}

void losses_tell(const json_t *rows, const char *what,
                 void (*say)(void *context, const char *sentence), void *context)
{
    json_t *losses = losses_of(rows), *told = json_object(), *loss, *builds;
    const char *id, *sentence;
    json_object_foreach(losses, id, loss)
    {
        char text[TEXT_MAX];
        if (!losses_count_of(loss, "lost")) continue;
        loss_text(id, loss, what, text);
        builds = json_object_get(told, text);
        if (!builds) json_object_set_new(told, text, builds = json_array());
        json_array_append_new(builds, build_of(id));
    }
    json_object_foreach(told, sentence, builds) tell_one(sentence, builds, say, context);
    json_decref(told);
    json_decref(losses);
}
