// SPDX-License-Identifier: MIT
#include "publish/export/schema.h"

#include <stdbool.h>
#include <string.h>

/* schemas.txt (publish/embedded.S), whose head says how it is read. */
extern const char export_schemas[];

/* A piece of the text. */
struct span {
    const char *at;
    size_t size;
};

static struct span span_until(const char *at, const char *stops)
{
    return (struct span){at, strcspn(at, stops)};
}

/* Takes the next word of a line; of size 0 at its end. */
static struct span take_word(const char **at, const char *end)
{
    while (*at < end && **at == ' ') ++*at;
    const struct span word = {*at, strcspn(*at, " \n")};
    *at += word.size;
    return word;
}

/* Returns the place behind a type's first alternative: of the first | outside of parentheses. */
static size_t alternative_size(struct span type)
{
    int depth = 0;
    size_t i = 0;
    for (; i < type.size && (depth || type.at[i] != '|'); i++)
        depth += (type.at[i] == '(') - (type.at[i] == ')');
    return i;
}

static json_t *schema_of_type(struct span type);

static json_t *schema_of_name(struct span name)
{
    static const char *const simple[][2] = {{"text", "string"},
                                            {"number", "number"},
                                            {"integer", "integer"},
                                            {"truth", "boolean"},
                                            {"null", "null"}};
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (strlen(simple[i][0]) == name.size && !memcmp(simple[i][0], name.at, name.size))
            return json_pack("{s:s}", "type", simple[i][1]);
    if (name.size == 3 && !memcmp("any", name.at, 3)) return json_object();
    return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%.*s", (int)name.size, name.at));
}

static json_t *schema_of_alternative(struct span type)
{
    const char *last = type.at + type.size - 2;
    const struct span inner = {type.at, type.size - 2}, within = {type.at + 1, type.size - 2};
    if (type.size > 2 && !memcmp(last, "[]", 2))
        return json_pack("{s:s, s:o}", "type", "array", "items", schema_of_type(inner));
    if (type.size > 2 && !memcmp(last, "{}", 2))
        return json_pack("{s:s, s:o}", "type", "object", "additionalProperties",
                         schema_of_type(inner));
    return *type.at == '(' ? schema_of_type(within) : schema_of_name(type);
}

static json_t *schema_of_type(struct span type)
{
    json_t *any_of = json_array();
    for (;;) {
        const size_t size = alternative_size(type);
        json_array_append_new(any_of, schema_of_alternative((struct span){type.at, size}));
        if (size == type.size) break;
        type = (struct span){type.at + size + 1, type.size - size - 1};
    }
    if (json_array_size(any_of) > 1) return json_pack("{s:o}", "anyOf", any_of);
    json_t *one = json_incref(json_array_get(any_of, 0));
    json_decref(any_of);
    return one;
}

/* Adds the fields of a line `TYPE FIELD..` to a schema; `+ NAME` has it hold to another, too. */
static void add_fields(json_t *schema, const char *line, const char *end)
{
    json_t *properties = json_object_get(schema, "properties");
    const struct span type = take_word(&line, end);
    for (struct span word; (word = take_word(&line, end)).size;) {
        const bool optional = word.at[word.size - 1] == '?';
        const size_t size = word.size - optional;
        if (*type.at == '+') {
            json_array_append_new(json_object_get(schema, "allOf"), schema_of_name(word));
            continue;
        }
        json_t *name = json_stringn(word.at, size);
        json_object_set_new(properties, json_string_value(name), schema_of_type(type));
        if (!optional) json_array_append(json_object_get(schema, "required"), name);
        json_decref(name);
    }
}

/* Returns the schema of the fields behind a line that begins one. */
static json_t *read_fields(const char *line)
{
    json_t *schema =
        json_pack("{s:s, s:[], s:[], s:{}}", "type", "object", "allOf", "required", "properties");
    for (line += strcspn(line, "\n"); *line && strncmp(line, "\n= ", 3) != 0;) {
        const char *end = line + 1 + strcspn(line + 1, "\n");
        if (line[1] == ' ') add_fields(schema, line + 1, end);
        line = end;
    }
    if (!json_array_size(json_object_get(schema, "allOf"))) json_object_del(schema, "allOf");
    return schema;
}

/* Returns the line that begins the schema: its name. */
static const char *find_schema(struct span name)
{
    for (const char *line = export_schemas; (line = strstr(line, "\n= "));) {
        line += strlen("\n= ");
        if (span_until(line, ":\n").size == name.size && !memcmp(line, name.at, name.size))
            return line;
    }
    return NULL;
}

/* Adds to $defs the schemas that a value refers to, and theirs. */
static void add_referred(json_t *defs, json_t *value)
{
    const char *key, *refers = json_string_value(json_object_get(value, "$ref"));
    json_t *part;
    size_t i;
    if (refers) {
        refers += strlen("#/$defs/");
        if (json_object_get(defs, refers)) return;
        json_t *schema = read_fields(find_schema((struct span){refers, strlen(refers)}));
        json_object_set_new(defs, refers, schema);
        add_referred(defs, schema);
        return;
    }
    json_object_foreach(value, key, part) add_referred(defs, part);
    json_array_foreach(value, i, part) add_referred(defs, part);
}

void schema_list(FILE *out)
{
    for (const char *line = export_schemas; (line = strstr(line, "\n= "));) {
        line += strlen("\n= ");
        const struct span name = span_until(line, ":\n");
        if (name.at[name.size] != ':') continue;
        const char *text = name.at + name.size + strlen(": ");
        fprintf(out, "%.*s\t%.*s\n", (int)name.size, name.at, (int)strcspn(text, "\n"), text);
    }
}

json_t *schema_of(const char *name)
{
    const char *line = find_schema((struct span){name, strlen(name)});
    if (!line || line[strlen(name)] != ':') return NULL;
    const struct span text = span_until(line + strlen(name) + strlen(": "), "\n");
    json_t *schema = json_pack("{s:s, s:s, s:o, s:o, s:{}}", "$schema",
                               "https://json-schema.org/draft/2020-12/schema", "title", name,
                               "description", json_stringn(text.at, text.size), "$ref",
                               json_sprintf("#/$defs/%s", name), "$defs");
    add_referred(json_object_get(schema, "$defs"), schema);
    return schema;
}
