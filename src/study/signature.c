// SPDX-License-Identifier: MIT
#include "study/signature.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* An entry of DWARF's tree, as `readelf --debug-dump=info` prints it. */
struct entry {
    unsigned long at, type, origin; /* origin: of the specification, or the abstract instance */
    unsigned depth, upper;
    char tag[40], *name;
    bool has_code; /* the definition, not a declaration of it */
};
struct tree {
    struct entry *entries;
    size_t count, room;
};

/* ---- Reading --------------------------------------------------------------------------------- */

static unsigned long reference_of(const char *value)
{
    const char *open = strchr(value, '<');
    return open ? strtoul(open + 1, NULL, 16) : 0;
}

/* "(indirect string, offset: 0x12): name", "(string) name" or "name". */
static char *name_of(const char *value)
{
    const char *close = *value == '(' ? strchr(value, ')') : NULL;
    if (close) value = close + 1 + strspn(close + 1, ": ");
    return memory_copy(value);
}

static void read_attribute(struct entry *e, const char *attribute, const char *value)
{
    if (!strncmp(attribute, "DW_AT_name ", 11)) {
        free(e->name);
        e->name = name_of(value);
    } else if (!strncmp(attribute, "DW_AT_type ", 11)) {
        e->type = reference_of(value);
    } else if (!strncmp(attribute, "DW_AT_specification", 19) ||
               !strncmp(attribute, "DW_AT_abstract_origin", 21)) {
        e->origin = reference_of(value);
    } else if (!strncmp(attribute, "DW_AT_upper_bound", 17) ||
               !strncmp(attribute, "DW_AT_count", 11)) {
        e->upper = (unsigned)strtoul(value, NULL, 0) + (attribute[6] == 'u');
    } else if (!strncmp(attribute, "DW_AT_low_pc", 12) || !strncmp(attribute, "DW_AT_ranges", 12)) {
        e->has_code = true;
    }
}

static void read_line(struct tree *t, char *line)
{
    unsigned depth;
    unsigned long at;
    char tag[40];
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, " <%u><%lx>: Abbrev Number: %*u (%39[^)])", &depth, &at, tag) == 3) {
        if (t->count == t->room)
            t->entries =
                memory_grow(t->entries, (t->room = 2 * t->room + 1024) * sizeof *t->entries);
        struct entry *e = &t->entries[t->count++];
        *e = (struct entry){.at = at, .depth = depth};
        memcpy(e->tag, tag, sizeof tag);
        return;
    }
    char *attribute = strstr(line, "DW_AT_"), *colon = attribute ? strchr(attribute, ':') : NULL;
    if (!colon || !t->count) return;
    colon++;
    while (*colon == ' ') colon++;
    size_t length = strlen(colon);
    while (length && strchr(" \t", colon[length - 1])) colon[--length] = '\0';
    read_attribute(&t->entries[t->count - 1], attribute, colon);
}

static int read_tree(struct tree *t, const char *object)
{
    char command[4200], *line = NULL;
    size_t room = 0;
    if (strpbrk(object, "'\\")) return -1;
    snprintf(command, sizeof command, "LC_ALL=C readelf --debug-dump=info '%s' 2>/dev/null",
             object);
    FILE *in = popen(command, "re");
    if (!in) return -1;
    while (getline(&line, &room, in) > 0) read_line(t, line);
    free(line);
    return pclose(in);
}

static void tree_free(struct tree *t)
{
    for (size_t i = 0; i < t->count; i++) free(t->entries[i].name);
    free(t->entries);
}

static int by_place(const void *key, const void *element)
{
    const unsigned long *at = key;
    const struct entry *e = element;
    return *at < e->at ? -1 : *at > e->at;
}

static const struct entry *entry_at(const struct tree *t, unsigned long at)
{
    return at ? bsearch(&at, t->entries, t->count, sizeof *t->entries, by_place) : NULL;
}

static bool has_tag(const struct entry *e, const char *tag)
{
    return !strcmp(e->tag + strlen("DW_TAG_"), tag);
}

/* ---- Telling --------------------------------------------------------------------------------- */

/* Returns the entry's own name, or that of the entry that it is an instance of. */
static const char *entry_name(const struct tree *t, const struct entry *e)
{
    for (unsigned i = 0; e && i < 4; i++, e = entry_at(t, e->origin))
        if (e->name) return e->name;
    return NULL;
}

static unsigned long entry_type(const struct tree *t, const struct entry *e)
{
    for (unsigned i = 0; e && i < 4; i++, e = entry_at(t, e->origin))
        if (e->type) return e->type;
    return 0;
}

/* The elements of an array type. */
static unsigned elements_of(const struct tree *t, const struct entry *array)
{
    const struct entry *first = array + 1;
    return first < t->entries + t->count && has_tag(first, "subrange_type") ? first->upper : 0;
}

enum { TYPE_DEPTH = 24 };

static void put_type(FILE *out, const struct tree *t, unsigned long at, unsigned depth)
{
    const struct entry *e = entry_at(t, at);
    if (!e || depth > TYPE_DEPTH) {
        fputs("void", out);
    } else if (has_tag(e, "pointer_type")) {
        put_type(out, t, e->type, depth + 1);
        fputs(" *", out);
    } else if (has_tag(e, "reference_type") || has_tag(e, "rvalue_reference_type")) {
        put_type(out, t, e->type, depth + 1);
        fputs(" &", out);
    } else if (has_tag(e, "const_type")) {
        const struct entry *of = entry_at(t, e->type);
        bool pointer = of && has_tag(of, "pointer_type");
        if (!pointer) fputs("const ", out);
        put_type(out, t, e->type, depth + 1);
    } else if (has_tag(e, "typedef") || has_tag(e, "volatile_type") ||
               has_tag(e, "restrict_type")) {
        put_type(out, t, e->type, depth + 1);
    } else if (has_tag(e, "array_type")) {
        const unsigned n = elements_of(t, e);
        const struct entry *of = entry_at(t, e->type);
        const bool floats = of && of->name && !strcmp(of->name, "float");
        fputs(!floats   ? "vector"
              : n == 4  ? "__m128"
              : n == 8  ? "__m256"
              : n == 16 ? "__m512"
                        : "vector",
              out);
    } else if (e->name && !has_tag(e, "base_type") && !has_tag(e, "enumeration_type")) {
        fprintf(out, "struct %s", e->name);
    } else {
        fputs(e->name ? e->name : "struct", out);
    }
}

static bool is_scope(const struct entry *e)
{
    return has_tag(e, "namespace") || has_tag(e, "structure_type") || has_tag(e, "class_type");
}

/* my::ops::one */
static void put_qualified(FILE *out, const struct tree *t, const struct entry *e)
{
    const struct entry *declared = entry_at(t, e->origin), *at = declared ? declared : e;
    const char *scopes[16];
    size_t count = 0;
    unsigned depth = at->depth;
    for (const struct entry *s = at; s-- > t->entries && depth > 1 && count < 16;)
        if (s->depth < depth) {
            depth = s->depth;
            if (is_scope(s) && s->name) scopes[count++] = s->name;
        }
    while (count) fprintf(out, "%s::", scopes[--count]);
    fputs(entry_name(t, e), out);
}

static char *declaration_of(const struct tree *t, const struct entry *e)
{
    char *text = NULL;
    size_t size, parameters = 0;
    FILE *out = memory_text(&text, &size);
    put_type(out, t, entry_type(t, e), 0);
    putc(' ', out);
    put_qualified(out, t, e);
    putc('(', out);
    for (const struct entry *p = e + 1; p < t->entries + t->count && p->depth > e->depth; p++) {
        if (p->depth != e->depth + 1 || !has_tag(p, "formal_parameter")) continue;
        const char *name = entry_name(t, p);
        fputs(parameters++ ? ", " : "", out);
        put_type(out, t, entry_type(t, p), 0);
        fprintf(out, " %s", name ? name : "");
    }
    putc(')', out);
    memory_text_close(out);
    return text;
}

/* "my::exp8" is exp8, and so is "exp8"; exp8<float> is another. */
static const char *last_part(const char *name)
{
    const char *part = name, *end = strchr(name, '<');
    for (const char *at = name; (at = strstr(at, "::")) && (!end || at < end); at += 2)
        part = at + 2;
    return part;
}

char *signature_read(const char *object, const char *function)
{
    struct tree t = {0};
    const struct entry *best = NULL;
    char *text = NULL;
    const char *wanted = last_part(function);
    read_tree(&t, object);
    for (size_t i = 0; i < t.count; i++) {
        const struct entry *e = &t.entries[i];
        if (!has_tag(e, "subprogram")) continue;
        const char *name = entry_name(&t, e);
        if (name && !strcmp(name, wanted) && (!best || (e->has_code && !best->has_code))) best = e;
    }
    if (best) text = declaration_of(&t, best);
    tree_free(&t);
    return text;
}
