// SPDX-License-Identifier: MIT
#include "cmd/options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"

/* Parses a number: decimal, also with leading zeros, or 0x and hexadecimal. There are no octal
 * numbers. */
static int options_parse_number(const char *name, const char *text, size_t length,
                                unsigned long long max, unsigned long long *value, struct error *e)
{
    char copy[32] = "", *end = copy;
    if (length < sizeof copy && length > 0 && isdigit((unsigned char)text[0])) {
        memcpy(copy, text, length);
        *value = strtoull(copy, &end, tolower((unsigned char)copy[1]) == 'x' ? 16 : 10);
    }
    if (end == copy || *end || *value > max)
        return fail(e, EXIT_USAGE, "--%s: '%.*s': not a whole number from 0 to %llu; see --help",
                    name, (int)length, text, max);
    return 0;
}

/* "5", "2.5" or "5%". */
static int parse_real(const char *name, const char *text, struct real *real, struct error *e)
{
    char *end;
    double value = strtod(text, &end);
    bool whole = end != text && (!*end || !strcmp(end, "%"));
    if (!whole || !(value >= 0 && value <= 1e9) || !isdigit((unsigned char)text[0]))
        return fail(e, EXIT_USAGE, "--%s: '%s': not a number from 0 on; see --help", name, text);
    *real = (struct real){.given = true, .value = value};
    return 0;
}

static bool is_text_list(const struct option_spec *s)
{
    return s->kind == TEXT_LIST || s->kind == CHOICES || s->kind == OPTIONAL_CHOICES;
}

/* Refuses an empty value: it is no choice, and does not mean all values. */
static int refuse_empty(const struct option_spec *s, const char *text, struct error *e)
{
    bool empty_item =
        (s->kind == SIZE_LIST || is_text_list(s)) &&
        (*text == ',' || strstr(text, ",,") || (*text && text[strlen(text) - 1] == ','));
    if (s->kind == FLAG || s->kind == TEXTS || (*text && !empty_item)) return 0;
    return fail(e, EXIT_USAGE, "--%s: '%s': an empty value; name one, or leave --%s out", s->name,
                text, s->name);
}

static int parse_list(const struct option_spec *s, const char *text, void *field, struct error *e)
{
    struct sizes *sizes = field;
    struct strings *strings = field;
    size_t *count = s->kind == SIZE_LIST ? &sizes->count : &strings->count;
    while (*text) {
        size_t length = strcspn(text, ",");
        if (*count == LIST_MAX)
            return fail(e, EXIT_USAGE, "--%s: more than %d values; give fewer", s->name, LIST_MAX);
        if (s->kind == SIZE_LIST) {
            unsigned long long value = 0;
            int code = options_parse_number(s->name, text, length, 1ull << 32, &value, e);
            if (code) return code;
            sizes->items[(*count)++] = (size_t)value;
        } else {
            strings->items[(*count)++] = memory_copy_of(text, length);
        }
        text += length + (text[length] == ',');
    }
    return 0;
}

void options_free(struct options *o)
{
    for (const struct option_spec *s = option_specs; s->name; s++) {
        if (!is_text_list(s)) continue;
        struct strings *list = (void *)((char *)o + s->field);
        for (size_t k = 0; k < list->count; k++) free((char *)(uintptr_t)list->items[k]);
        list->count = 0; /* several entries of the table may fill one list */
    }
}

static int parse_count(const struct option_spec *s, const char *text, void *field, struct error *e)
{
    unsigned long long value = 0;
    int code = options_parse_number(s->name, text, strlen(text), 1u << 30, &value, e);
    if (code) return code;
    if (!value) return fail(e, EXIT_USAGE, "--%s: 0: want at least 1; see --help", s->name);
    if (s->field == offsetof(struct options, threads))
        *(int *)field = (int)value;
    else
        *(size_t *)field = (size_t)value;
    return 0;
}

static int append_text(const struct option_spec *s, const char *text, struct strings *list,
                       struct error *e)
{
    if (list->count == LIST_MAX)
        return fail(e, EXIT_USAGE, "--%s: given more than %d times; give fewer", s->name, LIST_MAX);
    list->items[list->count++] = text;
    return 0;
}

bool option_given(const struct options *o, const char *name)
{
    size_t i = 0;
    while (i < o->given.count && strcmp(o->given.items[i], name) != 0) i++;
    return i < o->given.count;
}

/* Returns the first item of a list, and its length, that is none of the option's values; NULL: all
 * are. */
static const char *unknown_value(const struct option_spec *s, const char *text, size_t *length)
{
    for (; *text; text += *length + (text[*length] == ',')) {
        *length = s->kind == CHOICE ? strlen(text) : strcspn(text, ",");
        if (!list_has_part(s->values, ' ', text, *length)) return text;
    }
    return NULL;
}

static int refuse_unknown(const struct option_spec *s, const char *text, struct error *e)
{
    char values[OPTION_HELP_MAX];
    size_t length;
    const char *unknown = unknown_value(s, text, &length);
    if (!unknown) return 0;
    option_values(s, values, sizeof values);
    return fail(e, EXIT_USAGE, "--%s: '%.*s': want %s of %s", s->name, (int)length, unknown,
                s->kind == CHOICE ? "one" : "one or more", values);
}

static int set_option(const struct option_spec *s, const char *text, struct options *o,
                      struct error *e)
{
    void *field = (char *)o + s->field;
    unsigned long long value = 0;
    if (!option_given(o, s->name) && o->given.count < LIST_MAX)
        o->given.items[o->given.count++] = s->name;
    if (s->kind == OPTIONAL_CHOICES && !text) return 0;
    int code = refuse_empty(s, text ? text : "", e);
    if (!code && (s->kind == CHOICE || s->kind == CHOICES || s->kind == OPTIONAL_CHOICES))
        code = refuse_unknown(s, text, e);
    if (code) return code;
    switch (s->kind) {
    case FLAG:
        *(bool *)field = true;
        return 0;
    case TEXT:
    case CHOICE:
        *(const char **)field = text;
        return 0;
    case REAL:
        return parse_real(s->name, text, field, e);
    case SEED:
        code = options_parse_number(s->name, text, strlen(text), UINT64_MAX, &value, e);
        *(uint64_t *)field = value;
        return code;
    case COUNT:
        return parse_count(s, text, field, e);
    case TEXTS:
        return append_text(s, text, field, e);
    case CHOICES:
    case OPTIONAL_CHOICES:
    case TEXT_LIST:
    case SIZE_LIST:
        return parse_list(s, text, field, e);
    }
    return 0;
}

static int refuse_conflicts(const struct command *command, const struct options *o, struct error *e)
{
    char word[40];
    snprintf(word, sizeof word, " %s ", command->name);
    for (const struct option_conflict *c = option_conflicts; c->commands; c++) {
        if (!strstr(c->commands, word) || !option_given(o, c->option)) continue;
        for (const char *at = c->ignored; *at; at += strspn(at, " ")) {
            char ignored[40];
            const size_t length = strcspn(at, " ");
            snprintf(ignored, sizeof ignored, "%.*s", (int)length, at);
            at += length;
            if (option_given(o, ignored))
                return fail(e, EXIT_USAGE, "%s: --%s: cannot be combined with --%s; leave --%s out",
                            command->name, ignored, c->option, ignored);
        }
    }
    return 0;
}

/* Returns whether an argument such as "--out=x" or "--out" has the whole name of this option. */
static bool options_is_named(const char *word, const struct option_spec *s)
{
    size_t length = strcspn(word, "=");
    return length == strlen(s->name) + 2 && !strncmp(word + 2, s->name, length - 2);
}

static bool is_option_of_any_command(const char *word)
{
    const struct option_spec *s = option_specs;
    while (s->name && !options_is_named(word, s)) s++;
    return s->name;
}

static int refuse_option(int found, const char *word, const struct command *c, struct error *e)
{
    const char *why = found == ':'                     ? "wants a value"
                      : is_option_of_any_command(word) ? "is not an option of this command"
                                                       : "unknown or ambiguous option";
    return fail(e, EXIT_USAGE, "%s: %s: %s; see 'ulplab %s --help'", c->name, word, why, c->name);
}

/* Returns the next word if it is a list of the option's values, which may be left out; else NULL.
 */
static const char *optional_value(char **argv, const struct option_spec *s)
{
    size_t length;
    const char *next = argv[optind];
    if (!next || !*next || unknown_value(s, next, &length)) return NULL;
    optind++;
    return next;
}

/* Takes the option that getopt_long has just found. It accepts abbreviations; the whole name of
 * another command's option is not taken for one. */
static int take_option(char **argv, const struct option_spec *s, const struct command *command,
                       struct options *o, struct error *e)
{
    const char *word = argv[optind - 1];
    if (optarg == word) word = argv[optind - 2]; /* its value stands apart */
    if (!options_is_named(word, s) && is_option_of_any_command(word))
        return refuse_option(0, word, command, e);
    const bool may_follow = s->kind == OPTIONAL_CHOICES && !optarg;
    return set_option(s, may_follow ? optional_value(argv, s) : optarg, o, e);
}

/* Returns the command's options in the form that getopt_long wants. */
static void list_options(const struct command *command, struct option *longs,
                         const struct option_spec **specs)
{
    int count = 0;
    for (const struct option_spec *s = option_specs; s->name; s++)
        if (option_applies(s, command)) {
            specs[count] = s;
            longs[count++] = (struct option){s->name,
                                             s->kind == FLAG               ? no_argument
                                             : s->kind == OPTIONAL_CHOICES ? optional_argument
                                                                           : required_argument,
                                             NULL, 0};
        }
}

int options_parse(int argc, char **argv, const struct command *command, struct options *o,
                  struct error *e)
{
    enum { OPTIONS_MAX = 64 };
    struct option longs[OPTIONS_MAX] = {{0}};
    const struct option_spec *specs[OPTIONS_MAX];
    *o = (struct options){.seed = 1};
    list_options(command, longs, specs);
    optind = 2;
    opterr = 0;
    for (int found, index = -1; (found = getopt_long(argc, argv, "-:h", longs, &index)) != -1;) {
        int code = 0;
        if (found == 'h')
            o->help = true;
        else if (found == 1 && o->positional.count < LIST_MAX)
            o->positional.items[o->positional.count++] = optarg;
        else if (found != 0)
            return refuse_option(found, argv[optind - 1], command, e);
        else
            code = take_option(argv, specs[index], command, o, e);
        if (code) return code;
    }
    while (optind < argc && o->positional.count < LIST_MAX)
        o->positional.items[o->positional.count++] = argv[optind++];
    return o->help ? 0 : refuse_conflicts(command, o, e);
}
