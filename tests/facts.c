// SPDX-License-Identifier: MIT
#include "facts.h"

#include "test.h"

char *next_word(char **line)
{
    char *at = *line + strspn(*line, " "), end[2] = " ";
    if (!*at) return NULL;
    if (*at == '\'' || *at == '"') *end = *at++;
    *line = at + strcspn(at, end);
    if (**line) *(*line)++ = '\0';
    return at;
}

static json_t *value_at(const json_t *from, const char *path, size_t length)
{
    char name[200];
    for (const char *end = path + length; path < end; path += strlen(name) + 1) {
        snprintf(name, sizeof name, "%.*s", (int)(end - path), path);
        if (json_object_get(from, name)) return json_object_get(from, name); /* a flat name */
        name[strcspn(name, ".")] = '\0';
        if (*name)
            from = json_is_array(from) ? json_array_get(from, strtoul(name, NULL, 10))
                                       : json_object_get(from, name);
    }
    return (json_t *)(uintptr_t)from;
}

json_t *fact_at(const json_t *from, const char *path)
{
    return value_at(from, path, strlen(path));
}

static bool has_text(const json_t *value, const char *want)
{
    const json_t *element;
    size_t i;
    json_array_foreach(value, i, element)
    {
        if (json_is_string(element) && !strcmp(json_string_value(element), want)) return true;
    }
    return json_is_string(value) && strstr(json_string_value(value), want);
}

static bool is_equal(const json_t *value, const char *want, double tolerance)
{
    if (*want == '#') {
        const size_t size = json_is_array(value) ? json_array_size(value) : json_object_size(value);
        return (json_is_array(value) || json_is_object(value)) &&
               size == strtoul(want + 1, NULL, 10);
    }
    if (json_is_number(value)) {
        char *end;
        const double wanted = strtod(want, &end);
        return end != want && !*end &&
               fabs(json_number_value(value) - wanted) <= tolerance * fabs(wanted);
    }
    if (json_is_boolean(value)) return !strcmp(want, json_is_true(value) ? "true" : "false");
    if (json_is_null(value)) return !strcmp(want, "null");
    return json_is_string(value) && !strcmp(json_string_value(value), want);
}

bool fact_holds(const json_t *value, const char *condition, double tolerance)
{
    if (*condition == '!') return !fact_at(value, condition + 1);
    const char *sign = condition + strcspn(condition, "=~^<>!");
    const bool negated = *sign == '!';
    const char kind = sign[negated], *want = sign + negated + 1;
    const json_t *at = value_at(value, condition, (size_t)(sign - condition));
    if (!at || !kind) return at;
    if (kind == '<' || kind == '>') {
        const bool equal = *want == '=';
        const double number = json_number_value(at), wanted = strtod(want + equal, NULL);
        return json_is_number(at) &&
               ((equal && number == wanted) || (kind == '<' ? number < wanted : number > wanted));
    }
    if (kind == '^')
        return (json_is_string(at) && !strncmp(json_string_value(at), want, strlen(want))) !=
               negated;
    return (kind == '~' ? has_text(at, want) : is_equal(at, want, tolerance)) != negated;
}

/* Returns the first condition that a value does not fulfil; NULL: it fulfils all. */
static const char *unfulfilled(const json_t *value, const char *conditions)
{
    static char text[2000];
    snprintf(text, sizeof text, "%s", conditions);
    char *rest = text;
    for (const char *word; (word = next_word(&rest));)
        if (!fact_holds(value, word, 0)) return word;
    return NULL;
}

static void fail_with(const char *file, int line, const char *condition, const json_t *value)
{
    char *text = value ? json_dumps(value, JSON_INDENT(1) | JSON_ENCODE_ANY) : NULL;
    print_error("ERROR: not '%s': %.9000s\n", condition, text ? text : "there is no value");
    free(text);
    _fail(file, line);
}

/* Formats the conditions of a call. */
#define FORMATTED(format)                                                                          \
    char conditions[2000];                                                                         \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    vsnprintf(conditions, sizeof conditions, format, arguments);                                   \
    va_end(arguments)

void assert_facts_at(const char *file, int line, const json_t *value, const char *format, ...)
{
    FORMATTED(format);
    const char *missing = value ? unfulfilled(value, conditions) : conditions;
    if (missing) fail_with(file, line, missing, value);
}

static json_t *next_with(const json_t *list, const char *conditions, size_t *place)
{
    for (; *place < json_array_size(list); ++*place) {
        json_t *element = json_array_get(list, *place);
        if (!unfulfilled(element, conditions)) return element;
    }
    return NULL;
}

json_t *fact_find_at(const char *file, int line, const json_t *list, const char *format, ...)
{
    FORMATTED(format);
    size_t place = 0;
    json_t *found = next_with(list, conditions, &place);
    if (!found) fail_with(file, line, conditions, list);
    return found;
}

size_t fact_count(const json_t *list, const char *format, ...)
{
    FORMATTED(format);
    size_t count = 0;
    for (size_t place = 0; next_with(list, conditions, &place); place++) count++;
    return count;
}

void assert_every_at(const char *file, int line, const json_t *list, size_t least,
                     const char *format, ...)
{
    FORMATTED(format);
    const json_t *element;
    size_t i;
    if (json_array_size(list) < least) fail_with(file, line, "long enough", list);
    json_array_foreach(list, i, element)
    {
        const char *missing = unfulfilled(element, conditions);
        if (missing) fail_with(file, line, missing, element);
    }
}
