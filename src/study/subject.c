// SPDX-License-Identifier: MIT
#include "study/subject.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

/* ---- Words ----------------------------------------------------------------------------------- */

void words_split(struct words *w, const char *text)
{
    char *word = memory_new(strlen(text) + 1);
    while (*text) {
        size_t length = 0;
        char quote = '\0';
        while (isspace((unsigned char)*text)) text++;
        if (!*text) break;
        for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
            if (quote ? *text == quote : *text == '"' || *text == '\'')
                quote = quote ? '\0' : *text;
            else if (*text == '\\' && quote != '\'' && text[1])
                word[length++] = *++text;
            else
                word[length++] = *text;
        }
        words_add(w, "%.*s", (int)length, word);
    }
    free(word);
}

int words_write(const struct words *w, const char *path, struct error *e)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_text(&text, &size);
    for (size_t i = 0; i < w->count; i++) {
        putc('"', out);
        for (const char *c = w->items[i]; *c; c++) {
            if (*c == '"' || *c == '\\') putc('\\', out);
            putc(*c, out);
        }
        fputs("\"\n", out);
    }
    memory_text_close(out);
    int code = file_write_atomic(path, text, size, e);
    free(text);
    return code;
}

/* ---- Flags ----------------------------------------------------------------------------------- */

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words) != 0) words++;
    return *words != NULL;
}

/* Returns a path with the folder before it if it is relative; the caller frees. */
static char *absolute_path(const char *path, const char *directory)
{
    return memory_format("%s%s%s", *path == '/' ? "" : directory, *path == '/' ? "" : "/", path);
}

/* Returns whether a path, which may be relative to the folder, names the file. */
static bool is_file_at(const char *path, const char *directory, const char *file)
{
    char *whole = absolute_path(path, directory), resolved[PATH_MAX];
    const bool is = realpath(whole, resolved) && !strcmp(resolved, file);
    free(whole);
    return is;
}

/* Returns the length of the option at the beginning of a word, if it is followed by a path; else 0.
 */
static size_t path_option(const char *word)
{
    static const char *const with_path[] = {"-isystem", "-iquote",    "-include",   "-imacros",
                                            "-I",       "-idirafter", "--sysroot=", "-L"};
    for (size_t i = 0; i < sizeof with_path / sizeof *with_path; i++)
        if (!strncmp(word, with_path[i], strlen(with_path[i]))) return strlen(with_path[i]);
    return 0;
}

/* Copies flags with absolute paths, without those that belong to one compilation. */
static void take_flags(struct words *to, const struct words *from, size_t first,
                       const char *directory, const char *source)
{
    static const char *const with_word[] = {"-o", "-MF", "-MT", "-MQ", NULL}, *const alone[] = {
                                                                                  "-c", "--", NULL};
    for (size_t i = first; i < from->count; i++) {
        const char *word = from->items[i];
        const size_t option = path_option(word);
        if (is_one_of(word, with_word)) {
            i++;
        } else if (is_one_of(word, alone) || !strncmp(word, "-M", 2) ||
                   !strncmp(word, "-flto", 5)) {
            continue;
        } else if (option && (word[option] || i + 1 < from->count)) {
            const bool joined = word[option] != '\0';
            char *path = absolute_path(joined ? word + option : from->items[i + 1], directory);
            if (!joined) words_add(to, "%s", word);
            words_add(to, "%.*s%s", joined ? (int)option : 0, word, path);
            i += !joined;
            free(path);
        } else if (*word == '-' || !source || !is_file_at(word, directory, source)) {
            words_add(to, "%s", word);
        }
    }
}

void flags_read(struct words *to, const char *text)
{
    struct words words = {0};
    char here[PATH_MAX];
    words_split(&words, text);
    take_flags(to, &words, 0, getcwd(here, sizeof here) ? here : "", NULL);
    words_free(&words);
}

/* ---- The compilation database ---------------------------------------------------------------- */

static bool is_of(const json_t *entry, const char *source)
{
    const char *directory = json_string_value(json_object_get(entry, "directory"));
    const char *file = json_string_value(json_object_get(entry, "file"));
    return directory && file && is_file_at(file, directory, source);
}

static void words_of(struct words *w, const json_t *entry)
{
    const json_t *arguments = json_object_get(entry, "arguments");
    const char *command = json_string_value(json_object_get(entry, "command"));
    for (size_t i = 0; i < json_array_size(arguments); i++) {
        const char *argument = json_string_value(json_array_get(arguments, i));
        words_add(w, "%s", argument ? argument : "");
    }
    if (!w->count && command) words_split(w, command);
}

/* Copies the command without its output; its last word is then -o. */
static void take_command(struct words *to, const struct words *from)
{
    for (size_t i = 0; i < from->count; i++) {
        if (!strcmp(from->items[i], "-o"))
            i++;
        else
            words_add(to, "%s", from->items[i]);
    }
    words_add(to, "-o");
}

static int read_compdb(struct subject *s, const char *path, struct error *e)
{
    json_error_t wrong;
    json_t *all = json_load_file(path, 0, &wrong), *entry, *found = NULL;
    size_t i;
    if (!all)
        return fail(e, EXIT_BAD_INPUT,
                    "--compdb: %s: %s; cmake makes one with "
                    "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON, other builds with bear",
                    path, wrong.text);
    json_array_foreach(all, i, entry)
    {
        if (is_of(entry, s->path)) found = entry;
    }
    if (!found) {
        int code =
            fail(e, EXIT_BAD_INPUT,
                 "--compdb: %s: has no entry for %s; give its flags with --flags", path, s->path);
        json_decref(all);
        return code;
    }
    struct words words = {0};
    words_of(&words, found);
    snprintf(s->directory, sizeof s->directory, "%s",
             json_string_value(json_object_get(found, "directory")));
    /* A launcher such as ccache may stand before the compiler. */
    size_t first = words.count > 1 && words.items[1][0] != '-' ? 1 : 0;
    if (words.count) snprintf(s->compiler, sizeof s->compiler, "%s", words.items[first]);
    take_flags(&s->flags, &words, first + 1, s->directory, s->path);
    take_command(&s->command, &words);
    words_free(&words);
    json_decref(all);
    s->built = true;
    return 0;
}

/* ---- Symbols --------------------------------------------------------------------------------- */

/* Returns whether `function` is the name: my::exp8(float*, int) is named exp8 and my::exp8. */
static bool symbol_is_named(const char *demangled, const char *function)
{
    size_t length = strcspn(demangled, "("), wanted = strlen(function);
    if (length < wanted || strncmp(demangled + length - wanted, function, wanted) != 0)
        return false;
    return length == wanted || demangled[length - wanted - 1] == ':' ||
           demangled[length - wanted - 1] == ' ';
}

struct candidates {
    size_t count;
    char near[160];
};

static void consider(struct candidates *c, const char *name, const char *demangled,
                     const char *function, char *symbol, size_t size)
{
    if (symbol_is_named(demangled, function) && !c->count++) snprintf(symbol, size, "%s", name);
    size_t used = strlen(c->near);
    if (used + strlen(demangled) + 3 < sizeof c->near)
        snprintf(c->near + used, sizeof c->near - used, "%s%.150s", used ? ", " : "", demangled);
}

/* Cuts a line of `nm --format=posix` ("expf T 1f 20") down to its name; false if it is no function.
 */
static bool cut_symbol(char *line)
{
    static const char *const kinds[] = {" T ", " W ", " i "};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *at = strstr(line, kinds[i]);
        if (at) return *at = '\0', true;
    }
    return false;
}

/* Cuts the version off a name: expf@@GLIBC_2.27. Returns whether the linker takes it without its
 * version: one @ marks an older version. */
static bool cut_symbol_version(char *name)
{
    char *at = strchr(name, '@');
    const bool old = at && at[1] != '@';
    if (at) *at = '\0';
    return !old;
}

int subject_find_symbol(const char *object, const char *function, bool dynamic, char *symbol,
                        size_t size, struct error *e)
{
    struct candidates c = {0};
    FILE *in[2] = {NULL, NULL}; /* the names in the object, and demangled, line by line */
    char command[PATH_MAX + 160], name[2048], demangled[4096];
    symbol[0] = '\0';
    if (strpbrk(object, "'\\"))
        return fail(e, EXIT_USAGE, "try: %s: a quote in a file's name; rename it", object);
    for (size_t i = 0; i < 2; i++) {
        snprintf(command, sizeof command,
                 "nm -p %s%s--defined-only --format=posix '%s' 2>/dev/null", dynamic ? "-D " : "",
                 i ? "-C " : "", object);
        in[i] = popen(command, "re");
    }
    while (in[0] && in[1] && fgets(name, sizeof name, in[0]) &&
           fgets(demangled, sizeof demangled, in[1]))
        if (cut_symbol(name) && cut_symbol(demangled) && cut_symbol_version(name) &&
            (cut_symbol_version(demangled), true))
            consider(&c, name, demangled, function, symbol, size);
    for (size_t i = 0; i < 2; i++)
        if (in[i]) pclose(in[i]);
    if (c.count == 1 || (c.count && !strcmp(symbol, function))) return 0;
    if (c.count)
        return fail(e, EXIT_USAGE,
                    "try: %s: several functions are called %s; name its mangled "
                    "symbol (nm shows them)",
                    object, function);
    return fail(e, EXIT_USAGE, "try: %s: exports no function '%s'%s%s", object, function,
                c.near[0] ? "; it has " : "; strip took its symbols, or it exports none", c.near);
}

/* Refuses objects and archives for link-time optimisation, which have no machine code yet. */
static int check_code(const char *path, struct error *e)
{
    static const char *const marks[] = {"__gnu_lto_slim", "BC\xc0\xde"};
    char *code = NULL;
    size_t size;
    bool late = false;
    int failed = file_read(path, (size_t)1 << 30, &code, &size, e);
    for (size_t i = 0; code && i < 2; i++)
        late |= memmem(code, size, marks[i], strlen(marks[i])) != NULL;
    free(code);
    if (failed || !late) return failed;
    return fail(e, EXIT_BAD_INPUT,
                "try: %s: it was made for link-time optimisation, and has no machine code; compile "
                "it without -flto, or with -ffat-lto-objects too",
                path);
}

/* Resolves the path of a file. A name such as libm.so.6 that is no file here is looked up where the
 * compiler finds libraries. */
static bool find_file(const char *path, char resolved[PATH_MAX])
{
    char command[400], place[PATH_MAX] = "";
    if (realpath(path, resolved)) return true;
    if (strchr(path, '/') || strpbrk(path, "'\\") || !strstr(path, ".so") || strlen(path) > 100)
        return false;
    snprintf(command, sizeof command,
             "gcc -print-file-name='%s' 2>/dev/null || clang -print-file-name='%s' 2>/dev/null",
             path, path);
    FILE *in = popen(command, "re");
    if (in && !fgets(place, sizeof place, in)) place[0] = '\0';
    if (in) pclose(in);
    place[strcspn(place, "\n")] = '\0';
    return place[0] == '/' && realpath(place, resolved);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *const *suffixes)
{
    const char *dot = strrchr(path, '.');
    for (; dot && *suffixes; suffixes++)
        if (!strcmp(dot, *suffixes)) return true;
    return false;
}

int subject_open(struct subject *s, const struct subject_options *o, struct error *e)
{
    static const char *const objects[] = {".o", ".lo", ".a", ".obj", NULL},
                             *const cxx[] = {".cc", ".cpp", ".cxx", ".C", ".hpp",
                                             ".hh", ".hxx", ".ipp", NULL},
                             *const c[] = {".c", ".h", NULL};
    *s = (struct subject){.function = o->function};
    if (!find_file(o->path, s->path))
        return fail(e, EXIT_BAD_INPUT, "try: %s: %s; name a source, object, archive or library",
                    o->path, strerror(errno));
    if (!getcwd(s->directory, sizeof s->directory)) s->directory[0] = '\0';
    bool library = ends_in(s->path, (const char *const[]){".so", NULL}) || strstr(s->path, ".so.");
    s->kind = library                     ? SUBJECT_LIBRARY
              : ends_in(s->path, objects) ? SUBJECT_OBJECT
                                          : SUBJECT_SOURCE;
    s->cxx = ends_in(s->path, cxx) || strstr(o->function, "::") || strchr(o->function, '<');
    if (s->kind == SUBJECT_SOURCE && !ends_in(s->path, cxx) && !ends_in(s->path, c))
        return fail(e, EXIT_BAD_INPUT,
                    "try: %s: neither C nor C++ by its name; want .c, .cc, .cpp, .h, .hpp, .o, .a "
                    "or .so",
                    o->path);
    int code = 0;
    if (o->compdb && s->kind == SUBJECT_SOURCE) code = read_compdb(s, o->compdb, e);
    if (!code && o->flags) {
        flags_read(&s->flags, o->flags);
        s->built = true;
    }
    if (!code && s->kind == SUBJECT_OBJECT) code = check_code(s->path, e);
    if (!code && s->kind != SUBJECT_SOURCE)
        code = subject_find_symbol(s->path, o->function, s->kind == SUBJECT_LIBRARY, s->symbol,
                                   sizeof s->symbol, e);
    return code;
}

void subject_close(struct subject *s)
{
    words_free(&s->flags);
    words_free(&s->command);
}

/* ---- The declaration in debugging information ----------------------------------------------- */

/* An entry of DWARF's tree, as `readelf --debug-dump=info` prints it. */
struct entry {
    unsigned long at, type, origin; /* origin: its specification or abstract instance */
    unsigned depth, upper;
    char tag[40], *name;
    bool has_code; /* it is a definition, not a declaration */
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

/* Returns the name in "(indirect string, offset: 0x12): name", "(string) name" or "name". */
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

/* Returns the number of elements of an array type. */
static unsigned elements_of(const struct tree *t, const struct entry *array)
{
    const struct entry *first = array + 1;
    return first < t->entries + t->count && has_tag(first, "subrange_type") ? first->upper : 0;
}

enum { TYPE_DEPTH = 24 };

static void put_type(FILE *out, const struct tree *t, unsigned long at, unsigned depth)
{
    static const struct {
        const char *tag, *before, *behind;
    } qualifiers[] = {{"pointer_type", "", " *"},   {"reference_type", "", " &"},
                      {"typedef", "", ""},          {"rvalue_reference_type", "", " &"},
                      {"const_type", "const ", ""}, {"volatile_type", "", ""},
                      {"restrict_type", "", ""}};
    const struct entry *e = entry_at(t, at), *of = e ? entry_at(t, e->type) : NULL;
    for (size_t i = 0; e && depth <= TYPE_DEPTH && i < sizeof qualifiers / sizeof *qualifiers; i++)
        if (has_tag(e, qualifiers[i].tag)) { /* a constant pointer is a pointer */
            if (!of || !has_tag(of, "pointer_type")) fputs(qualifiers[i].before, out);
            put_type(out, t, e->type, depth + 1);
            fputs(qualifiers[i].behind, out);
            return;
        }
    if (!e || depth > TYPE_DEPTH) {
        fputs("void", out);
    } else if (has_tag(e, "array_type")) {
        const unsigned n = of && of->name && !strcmp(of->name, "float") ? elements_of(t, e) : 0;
        fputs(n == 4 ? "__m128" : n == 8 ? "__m256" : n == 16 ? "__m512" : "vector", out);
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

/* Writes the name with its namespaces and classes: my::ops::one. */
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

/* Returns the part of a name behind its last "::": exp8 of my::exp8, exp8<my::real> of itself. */
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
