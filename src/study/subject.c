// SPDX-License-Identifier: MIT
#include "study/subject.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
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

static const char *const with_path[] = {"-I",       "-isystem", "-iquote",    "-include",
                                        "-imacros", "-L",       "-idirafter", "--sysroot="};
enum { WITH_PATH = sizeof with_path / sizeof *with_path };

static void add_path(struct words *to, const char *option, const char *path, const char *directory)
{
    if (*path == '/')
        words_add(to, "%s%s", option, path);
    else
        words_add(to, "%s%s/%s", option, directory, path);
}

static size_t path_option(const char *word)
{
    size_t longest = WITH_PATH;
    for (size_t i = 0; i < WITH_PATH; i++)
        if (!strncmp(word, with_path[i], strlen(with_path[i])) &&
            (longest == WITH_PATH || strlen(with_path[i]) > strlen(with_path[longest])))
            longest = i;
    return longest;
}

/* Copies flags, relative paths made absolute; what belongs to one compilation is left out. */
static void take_flags(struct words *to, const struct words *from, size_t first,
                       const char *directory, const char *source)
{
    for (size_t i = first; i < from->count; i++) {
        const char *word = from->items[i];
        const bool last = i + 1 == from->count;
        size_t option = path_option(word);
        if (!strcmp(word, "-o") || !strcmp(word, "-MF") || !strcmp(word, "-MT") ||
            !strcmp(word, "-MQ")) {
            i++;
        } else if (!strcmp(word, "-c") || !strcmp(word, "--") || !strncmp(word, "-M", 2) ||
                   !strncmp(word, "-flto", 5)) {
            continue;
        } else if (option < WITH_PATH && word[strlen(with_path[option])]) {
            add_path(to, with_path[option], word + strlen(with_path[option]), directory);
        } else if (option < WITH_PATH && !last) {
            words_add(to, "%s", word);
            add_path(to, "", from->items[++i], directory);
        } else if (*word == '-' || !source) {
            words_add(to, "%s", word);
        } else {
            char path[PATH_MAX + 512], resolved[PATH_MAX];
            snprintf(path, sizeof path, "%s%s%s", *word == '/' ? "" : directory,
                     *word == '/' ? "" : "/", word);
            if (!realpath(path, resolved) || strcmp(resolved, source) != 0)
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
    char path[PATH_MAX + 512], resolved[PATH_MAX];
    if (!directory || !file) return false;
    snprintf(path, sizeof path, "%s%s%s", *file == '/' ? "" : directory, *file == '/' ? "" : "/",
             file);
    return realpath(path, resolved) && !strcmp(resolved, source);
}

static void words_of(struct words *w, const json_t *entry)
{
    const json_t *arguments = json_object_get(entry, "arguments"), *argument;
    const char *command = json_string_value(json_object_get(entry, "command"));
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)arguments, i, argument)
    {
        words_add(w, "%s", json_string_value(argument) ? json_string_value(argument) : "");
    }
    if (!w->count && command) words_split(w, command);
}

/* The command without its output, which becomes the last word: -o. */
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
    /* A launcher (ccache) goes before the compiler. */
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

/* "my::exp8(float*, int)" is exp8, my::exp8. */
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

/* The name at the front of a line of `nm --format=posix`: what stands before " T 1f 20". */
static bool cut_symbol(char *line)
{
    static const char *const kinds[] = {" T ", " W ", " i "};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *at = strstr(line, kinds[i]);
        if (at) return *at = '\0', true;
    }
    return false;
}

/* Cuts the version from a name: expf@@GLIBC_2.27. Returns whether the name is linked without it:
 * with one @ it is an older one, beside a default one or alone. */
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
    FILE *in[2] = {NULL, NULL}; /* names as they are, and as people write them, line by line */
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

/* Refuses objects and archives whose code is made only when they are linked. */
static int check_code(const char *path, struct error *e)
{
    static const char *const marks[] = {"__gnu_lto_slim", "BC\xc0\xde"};
    char *piece = memory_new(1 << 20);
    size_t kept = 0, length;
    bool late = false;
    FILE *in = file_open(path);
    while (in && !late && (length = fread(piece + kept, 1, (1 << 20) - kept, in)) > 0) {
        length += kept;
        for (size_t i = 0; i < 2; i++)
            late |= memmem(piece, length, marks[i], strlen(marks[i])) != NULL;
        kept = length < 16 ? length : 16;
        memmove(piece, piece + length - kept, kept);
    }
    if (in) fclose(in);
    free(piece);
    return !late ? 0
                 : fail(e, EXIT_BAD_INPUT,
                        "try: %s: it was made for link-time optimisation, and has no machine code; "
                        "compile it without -flto, or with -ffat-lto-objects too",
                        path);
}

/* Resolves the path of a file; a shared library that is no file here is looked for where the
 * compiler links: libm.so.6. */
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
