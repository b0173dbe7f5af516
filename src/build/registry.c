// SPDX-License-Identifier: MIT
/* registry-tool: reads what the compilers made of every kernel and writes the table of variants as
 * C (include/build.h), so that the program needs no object file to know what it runs.
 *
 *   registry-tool OBJECTS TABLE REFERENCES COMPILERS POLICIES COMMIT REGISTRY.c LINK.list
 *                 CONSTRUCTORS.ld
 *   registry-tool --copy TABLE OBJECT
 *
 * TABLE has the objects that there could be (kernels.table of scripts/kernels.awk), OBJECTS lists
 * those that are asked for, as paths BUILD/obj/CC/ISA/POLICY/NAME.o, or NAME.DTYPE.o for other
 * types than f32; beside each lies NAME.o.cmd, the compile command, and for an empty (refused)
 * object NAME.o.log, the compiler's messages. Objects that copy another's are made here, --copy
 * makes one of them. REFERENCES lists the objects of references in users' kernel files, with the
 * same files beside them. POLICIES has each policy's flags: policy=NAME FLAG .. CONSTRUCTORS.ld
 * tells the linker where functions go that would run before main (struct build_constructors). */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "build.h"
#include "build/elf.h"
#include "build/object.h"

static const char version[] = "0.2.0";

static void die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("registry-tool: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(EXIT_BAD_INPUT);
}

/* Returns the whole file as a string without trailing white space, or NULL. */
static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_text(&text, &size);
    for (int c; (c = getc(f)) != EOF;) putc(c, out);
    fclose(f);
    memory_text_close(out);
    while (size && strchr(" \n\t", text[size - 1])) text[--size] = '\0';
    return text;
}

static void put_string(FILE *out, const char *s)
{
    putc('"', out);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < ' ' || c > '~')
            fprintf(out, "\\%03o", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

/* ---- Lists of words -------------------------------------------------------------------------- */

struct words {
    char *text, **items;
    size_t count;
};

static struct words words_read(const char *path)
{
    struct words w = {.text = slurp(path)};
    size_t room = 0;
    char *save = NULL;
    if (!w.text) die("cannot read %s", path);
    for (char *word = strtok_r(w.text, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
        if (w.count == room) {
            w.items = realloc(w.items, (room = 2 * room + 256) * sizeof *w.items);
            if (!w.items) die("out of memory");
        }
        w.items[w.count++] = word;
    }
    return w;
}

static void word_list_free(struct words *w)
{
    free(w->text);
    free(w->items);
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool words_have(const struct words *sorted, const char *word)
{
    return sorted->count &&
           bsearch(&word, sorted->items, sorted->count, sizeof word, compare_words) != NULL;
}

/* ---- The table of objects -------------------------------------------------------------------- */

struct row {
    char *object, *use;
    char *algorithm; /* NULL where the object is compiled; of same=, or "-" */
    char *from;      /* the object that it copies, or BUILD_SKIPPED and what is missing */
    char *command;   /* begins with -DKERNEL= where the flags are those of `from` */
    bool read;
    struct object_facts facts; /* once read */
};

struct table {
    char *text;
    struct row *rows, **sorted; /* in the order of the axes, and by object */
    size_t count;
};

static int compare_rows(const void *a, const void *b)
{
    return strcmp((*(struct row *const *)a)->object, (*(struct row *const *)b)->object);
}

static struct table table_read(const char *path)
{
    struct table t = {.text = slurp(path)};
    if (!t.text) die("cannot read %s", path);
    size_t lines = 1;
    for (const char *c = t.text; *c; c++) lines += *c == '\n';
    t.rows = calloc(lines, sizeof *t.rows);
    t.sorted = calloc(lines, sizeof *t.sorted);
    if (!t.rows || !t.sorted) die("out of memory");
    char *rest = t.text;
    for (char *line; (line = strsep(&rest, "\n")) && *line; t.count++) {
        struct row *r = t.sorted[t.count] = &t.rows[t.count];
        r->object = strsep(&line, "\t");
        r->use = strsep(&line, "\t");
        r->algorithm = strsep(&line, "\t");
        r->from = strsep(&line, "\t");
        r->command = line;
        if (!r->use || (r->algorithm && !r->command)) die("%s: a wrong row", path);
    }
    qsort(t.sorted, t.count, sizeof *t.sorted, compare_rows);
    return t;
}

static void table_free(struct table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->rows[i].facts.witnessed);
        free(t->rows[i].facts.library);
    }
    free(t->rows);
    free(t->sorted);
    free(t->text);
}

/* Returns NULL for an object of another build. */
static struct row *table_find(const struct table *t, const char *object)
{
    struct row key = {.object = (char *)object}, *k = &key;
    struct row **r = bsearch(&k, t->sorted, t->count, sizeof *r, compare_rows);
    return r ? *r : NULL;
}

static const char *use_of(const struct row *r)
{
    return !r                            ? "USE_ON_REQUEST"
           : !strcmp(r->use, "measured") ? "USE_MEASURED"
           : !strcmp(r->use, "support")  ? "USE_SUPPORT"
                                         : "USE_ON_REQUEST";
}

/* ---- Objects that copy another's ------------------------------------------------------------- */

static char *text_beside(const char *object, const char *end)
{
    char file[4096];
    snprintf(file, sizeof file, "%s%s", object, end);
    return slurp(file);
}

/* Writes a file beside an object, or removes it where there is no text. */
static void put_beside(const char *object, const char *end, const char *text)
{
    char file[4096];
    snprintf(file, sizeof file, "%s%s", object, end);
    FILE *out = text ? fopen(file, "we") : NULL;
    if (!text)
        remove(file);
    else if (!out || fputs(text, out) < 0 || fputc('\n', out) < 0 || fclose(out) != 0)
        die("cannot write %s", file);
}

static void symbol_in(const char *command, char symbol[256])
{
    const char *at = strstr(command, "-DKERNEL=");
    if (!at || sscanf(at, "-DKERNEL=%255s", symbol) != 1)
        die("%s: no compile command; run make clean", command);
}

/* Makes the copy unless it is there, and returns its command, which the caller frees. */
static char *copy_object(const struct row *r)
{
    char *original = text_beside(r->from, ".cmd"), *command = NULL, from[256], to[256];
    size_t size;
    struct stat of, st;
    struct error e;
    struct elf elf;
    if (!original || stat(r->from, &of) != 0) die("%s: not there; run make clean", r->from);
    symbol_in(original, from);
    symbol_in(r->command, to);
    FILE *out = memory_text(&command, &size);
    if (!strncmp(r->command, "-DKERNEL=", strlen("-DKERNEL=")))
        fprintf(out, "%.*s", (int)(strstr(original, "-DKERNEL=") - original), original);
    fputs(r->command, out);
    memory_text_close(out);
    free(original);
    char *known = text_beside(r->object, ".cmd");
    bool there =
        known && !strcmp(known, command) && stat(r->object, &st) == 0 &&
        (st.st_mtim.tv_sec > of.st_mtim.tv_sec ||
         (st.st_mtim.tv_sec == of.st_mtim.tv_sec && st.st_mtim.tv_nsec >= of.st_mtim.tv_nsec));
    free(known);
    if (there) return command;
    char *log = of.st_size ? NULL : text_beside(r->from, ".log");
    put_beside(r->object, ".cmd", command);
    put_beside(r->object, ".log", log);
    put_beside(r->object, ".alias", strcmp(r->algorithm, "-") != 0 ? r->algorithm : NULL);
    free(log);
    /* If it is to be compiled one day, that has to be done whatever is newer. */
    char *rule = NULL, *list = strdup(r->object);
    out = memory_text(&rule, &size);
    fprintf(out, "%s: FORCE", r->object);
    memory_text_close(out);
    list[strlen(list) - strlen(".o")] = '\0';
    put_beside(list, ".d", rule);
    free(list);
    free(rule);
    if (!of.st_size) {
        if (!(out = fopen(r->object, "we")) || fclose(out) != 0) die("cannot write %s", r->object);
        return command;
    }
    if (elf_open(&elf, r->from, &e) != 0 || elf_write_renamed(&elf, r->object, from, to, &e) != 0)
        die("%s", e.text);
    elf_close(&elf);
    return command;
}

/* ---- Objects --------------------------------------------------------------------------------- */

struct entry {
    char *object, *command;
    char *pieces, *cc, *isa, *policy, *name; /* the parts of the path */
    const char *dtype;
    const char *use;
    char *alias; /* NULL, or the algorithm whose kernel's object is used for this one, too */
    char *words, *source; /* the words of the command */
    char symbol[256];
    const char *skipped; /* NULL, or BUILD_SKIPPED and what is missing; borrowed from the table */
    bool built, probe;
    struct object_facts facts; /* all 0 unless built */
};

/* Ends the program if a name is too long: records of it could not be read again
 * (src/publish/db/names.h). */
static void check_length(const char *what, const char *name, size_t most)
{
    if (strlen(name) > most)
        die("%s %s: more than %zu characters; give it a shorter name, for a compiler by a link on "
            "PATH",
            what, name, most);
}

static struct entry parse_path(const char *path, const struct row *row)
{
    struct entry e = {.object = strdup(path), .pieces = strdup(path), .use = use_of(row)};
    char *obj = strstr(e.pieces, "/obj/"), *save = NULL;
    if (!obj) die("%s: not under an obj/ folder", path);
    e.cc = strtok_r(obj + 5, "/", &save);
    e.isa = strtok_r(NULL, "/", &save);
    e.policy = strtok_r(NULL, "/", &save);
    e.name = strtok_r(NULL, "/", &save);
    check_length("compiler", e.cc ? e.cc : "", 39);
    check_length("ISA", e.isa ? e.isa : "", 15);
    check_length("policy", e.policy ? e.policy : "", 39);
    char *dot = e.name ? strrchr(e.name, '.') : NULL;
    if (!dot) die("%s: want obj/CC/ISA/POLICY/NAME.o", path);
    *dot = '\0';
    char *type = strchr(e.name, '.');
    e.dtype = type ? type + 1 : "f32";
    if (type) *type = '\0';
    e.probe = strcmp(e.name, "probe") == 0;
    return e;
}

static struct object_facts read_facts(const char *object)
{
    struct object_facts facts;
    struct error error;
    if (object_read(object, &facts, &error) != 0) die("%s", error.text);
    return facts;
}

/* Returns the facts of the object that a row's was compiled as, which are read once. */
static struct object_facts read_facts_once(const struct table *t, const char *object)
{
    struct row *r = table_find(t, object);
    if (!r) return read_facts(object);
    if (!r->read) r->facts = read_facts(object);
    r->read = true;
    struct object_facts facts = r->facts;
    facts.witnessed = facts.witnessed ? strdup(facts.witnessed) : NULL;
    facts.library = facts.library ? strdup(facts.library) : NULL;
    return facts;
}

/* Reads what was made of an entry, and how. */
static void read_object(struct entry *e, const struct table *t)
{
    const struct row *r = table_find(t, e->object);
    const bool skipped = r && r->from && !strncmp(r->from, BUILD_SKIPPED, strlen(BUILD_SKIPPED));
    const bool copied = r && r->from && !skipped;
    char *save = NULL;
    struct stat st = {0};
    e->command = skipped  ? strdup(r->command)
                 : copied ? copy_object(r)
                          : text_beside(e->object, ".cmd");
    char *source = e->command ? strstr(e->command, " -c ") : NULL;
    if (!source) die("%s.cmd: no compile command; run make clean", e->object);
    symbol_in(e->command, e->symbol);
    e->words = strdup(source + 4);
    e->source = strtok_r(e->words, " ", &save);
    /* A file that is made from the table of libraries is named as if it lay beside that table. */
    char *made = strstr(e->source, "/simd/libraries/");
    if (made) e->source = made + 1;
    e->skipped = skipped ? r->from : NULL;
    e->alias = skipped ? NULL : text_beside(e->object, ".alias");
    if (!skipped && stat(e->object, &st) != 0) die("%s: not there; run make clean", e->object);
    e->built = st.st_size > 0;
    if (e->built) e->facts = read_facts_once(t, copied ? r->from : e->object);
}

static void free_entry(struct entry *e)
{
    free(e->object);
    free(e->command);
    free(e->alias);
    free(e->pieces);
    free(e->words);
    free(e->facts.witnessed);
    free(e->facts.library);
}

/* Returns the first line of the compiler's messages that names an error, or BUILD_SKIPPED and what
 * the compiler does not know. The caller frees. */
static char *why_unbuilt(const char *object)
{
    char *log = text_beside(object, ".log"), *at = log ? strstr(log, "error") : NULL;
    if (log && !strncmp(log, BUILD_SKIPPED, strlen(BUILD_SKIPPED))) return log;
    if (at) {
        while (at > log && at[-1] != '\n') at--;
        size_t length = strcspn(at, "\n"), path = strcspn(at, " \n");
        const char *slash = *at == '/' ? memrchr(at, '/', path) : NULL;
        if (slash) length -= (size_t)(slash + 1 - at); /* without the folders of this machine */
        at = strndup(slash ? slash + 1 : at, length);
    }
    free(log);
    return at ? at : strdup("the compiler failed");
}

static void put_record(FILE *out, const struct entry *e)
{
    const struct object_facts *facts = &e->facts;
    char *build_error = e->skipped ? strdup(e->skipped)
                        : e->built ? strdup("")
                                   : why_unbuilt(e->object);
    fputs("    {", out);
    if (e->built) fprintf(out, "%s = &%s, ", e->probe ? ".probe" : ".kernel", e->symbol);
    const char *fields[][2] = {
        {"source", e->source},   {"isa", e->isa},
        {"cc", e->cc},           {"policy", e->policy},
        {"command", e->command}, {"witnessed", facts->witnessed ? facts->witnessed : ""},
        {"object", e->object},   {"build_error", build_error},
        {"dtype", e->dtype},     {"library", facts->library ? facts->library : ""},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        fprintf(out, ".%s = ", fields[i][0]);
        put_string(out, fields[i][1]);
        fputs(", ", out);
    }
    fprintf(out, ".code_hash = 0x%016llx, .counts = {%u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u}, ",
            (unsigned long long)facts->code_hash, facts->counts.fma, facts->counts.mul,
            facts->counts.add, facts->counts.div, facts->counts.ymm, facts->counts.zmm,
            facts->counts.fma_scalar, facts->counts.undecoded, facts->counts.compare,
            facts->counts.mxcsr, facts->counts.evex);
    fprintf(out, ".use = %s", e->use);
    if (e->alias) {
        fputs(", .algorithm = ", out);
        put_string(out, e->alias);
    }
    fputs("},\n", out);
    free(build_error);
}

static void put_table(FILE *out, const char *table, const char *count, bool probes,
                      const struct entry *entries, size_t n)
{
    size_t written = 0;
    fprintf(out, "const struct build_record %s[] = {\n", table);
    for (size_t i = 0; i < n; i++)
        if (entries[i].probe == probes) {
            put_record(out, &entries[i]);
            written++;
        }
    fprintf(out, "    {.source = NULL}};\nconst size_t %s = %zu;\n", count, written);
}

/* Writes where the linker puts each object's functions that would run before or after main: the
 * former lie in their order between two symbols, the latter are never called. */
static void put_constructors(FILE *out, FILE *script, const struct entry *entries, size_t n)
{
    size_t written = 0;
    char *table = NULL;
    size_t size = 0;
    FILE *rows = memory_text(&table, &size);
    fputs("SECTIONS {\n.data.rel.ro.constructors : {\n", script);
    for (size_t i = 0; i < n; i++) {
        const struct entry *e = &entries[i];
        if (!e->facts.constructs) continue;
        fprintf(script,
                "%s_constructors = .;\n"
                "\"%s\"(.preinit_array)\n"
                "\"%s\"(SORT_BY_INIT_PRIORITY(.init_array.*))\n"
                "\"%s\"(.init_array .ctors .ctors.*)\n"
                "%s_constructors_end = .;\n"
                "\"%s\"(.fini_array .fini_array.* .dtors .dtors.*)\n",
                e->symbol, e->object, e->object, e->object, e->symbol, e->object);
        if (e->probe) continue;
        for (int end = 0; end < 2; end++)
            fprintf(out, "extern void (*const %s_constructors%s[])(int, char **, char **);\n",
                    e->symbol, end ? "_end" : "");
        fprintf(rows, "    {&%s, %s_constructors, %s_constructors_end, false, 0},\n", e->symbol,
                e->symbol, e->symbol);
        written++;
    }
    memory_text_close(rows);
    fputs("}\n} INSERT AFTER .data;\n", script);
    fprintf(
        out,
        "struct build_constructors build_constructors[] = {\n%s    {NULL, NULL, NULL, false, 0}};\n"
        "const size_t build_constructors_count = %zu;\n",
        table, written);
    free(table);
}

/* Writes the kernels that could be built and are not. */
static void put_absences(FILE *out, const struct table *whole, const struct words *made)
{
    size_t n = 0;
    fputs("const struct build_absence build_absences[] = {\n", out);
    for (size_t i = 0; i < whole->count; i++) {
        if (words_have(made, whole->rows[i].object)) continue;
        struct entry e = parse_path(whole->rows[i].object, &whole->rows[i]);
        const char *const fields[] = {e.object, e.isa, e.cc, e.policy, e.dtype, e.name};
        fputs("    {", out);
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
            put_string(out, fields[f]);
            fputs(", ", out);
        }
        fprintf(out, "%s},\n", e.use);
        free_entry(&e);
        n++;
    }
    fprintf(out, "    {.object = NULL}};\nconst size_t build_absence_count = %zu;\n", n);
}

static void put_compilers(FILE *out, const char *list)
{
    size_t n = 0;
    char *save = NULL, *text = strdup(list);
    fputs("const struct build_compiler build_compilers[] = {\n", out);
    for (char *word = strtok_r(text, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
        char *version = strchr(word, '='), *command = version ? strchr(version + 1, '=') : NULL;
        if (!command) die("compilers: '%s' is not NAME=VERSION=COMMAND", word);
        *version++ = *command++ = '\0';
        fprintf(out, "    {\"%s\", \"%s\", \"%s\"},\n", word, version, command);
        n++;
    }
    fprintf(out, "    {NULL, NULL, NULL}};\nconst size_t build_compiler_count = %zu;\n", n);
    free(text);
}

static void put_policies(FILE *out, const struct words *w)
{
    static const char mark[] = "policy=";
    size_t n = 0;
    fputs("const struct build_policy build_policies[] = {", out);
    for (size_t i = 0; i < w->count; i++) {
        const char *word = w->items[i];
        const bool begins = !strncmp(word, mark, strlen(mark));
        if (!begins && !n) die("policies: '%s' stands before the first %sNAME", word, mark);
        if (begins)
            fprintf(out, "%s\n    {\"%s\", \"", n++ ? "\"}," : "", word + strlen(mark));
        else
            fprintf(out, "%s%s", strncmp(w->items[i - 1], mark, strlen(mark)) ? " " : "", word);
    }
    fprintf(out, "%s\n    {NULL, NULL}};\nconst size_t build_policy_count = %zu;\n",
            n ? "\"}," : "", n);
}

/* Writes a reference's declaration, its row and its object. */
static void registry_put_reference(FILE *out, FILE *rows, FILE *link, const char *path)
{
    char file[4096], symbol[256];
    snprintf(file, sizeof file, "%s.cmd", path);
    char *command = slurp(file), *save = NULL;
    char *define = command ? strstr(command, "-DREFERENCE=") : NULL;
    char *source = command ? strstr(command, " -c ") : NULL;
    struct stat st;
    if (!define || !source || stat(path, &st) != 0)
        die("%s.cmd: no compile command; run make clean", path);
    sscanf(define, "-DREFERENCE=%255s", symbol);
    bool built = st.st_size > 0;
    char *build_error = built ? strdup("") : why_unbuilt(path);
    source = strtok_r(source + 4, " ", &save);
    const char *slash = strrchr(source, '/');
    if (built) {
        fprintf(out, "extern const struct oracle %s;\n", symbol);
        fprintf(link, "%s\n", path);
        fprintf(rows, "    {&%s, ", symbol);
    } else {
        fputs("    {NULL, ", rows);
    }
    put_string(rows, slash ? slash + 1 : source);
    fputs(", ", rows);
    put_string(rows, build_error);
    fputs("},\n", rows);
    free(build_error);
    free(command);
}

static void put_references(FILE *out, FILE *link, char *list)
{
    char *save = NULL, *table = NULL;
    size_t n = 0, size = 0;
    FILE *rows = memory_text(&table, &size);
    for (char *path = strtok_r(list, " \n", &save); path; path = strtok_r(NULL, " \n", &save), n++)
        registry_put_reference(out, rows, link, path);
    memory_text_close(rows);
    fprintf(out,
            "const struct reference_record build_references[] = {\n%s    {NULL, NULL, NULL}};\n",
            table);
    fprintf(out, "const size_t build_reference_count = %zu;\n", n);
    free(table);
}

static struct entry *read_objects(const struct words *made, const struct table *table)
{
    struct entry *entries = calloc(made->count + 1, sizeof *entries);
    if (!entries) die("out of memory");
    for (size_t i = 0; i < made->count; i++) {
        entries[i] = parse_path(made->items[i], table_find(table, made->items[i]));
        read_object(&entries[i], table);
    }
    return entries;
}

static int copy_one(const char *path, const char *object)
{
    struct table table = table_read(path);
    const struct row *r = table_find(&table, object);
    if (!r || !r->from) die("%s: %s copies nothing", path, object);
    free(copy_object(r));
    table_free(&table);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--copy")) return copy_one(argv[2], argv[3]);
    if (argc != 10)
        die("usage: registry-tool OBJECTS TABLE REFERENCES COMPILERS POLICIES COMMIT REGISTRY.c "
            "LINK.list "
            "CONSTRUCTORS.ld, or --copy TABLE OBJECT");
    struct words made = words_read(argv[1]);
    struct table table = table_read(argv[2]);
    char *references = slurp(argv[3]), *compilers = slurp(argv[4]), *commit = slurp(argv[6]);
    struct words policies = words_read(argv[5]);
    if (!references || !compilers || !commit)
        die("cannot read %s, %s or %s", argv[3], argv[4], argv[6]);
    const size_t n = made.count;
    struct entry *entries = read_objects(&made, &table);

    FILE *out = fopen(argv[7], "w"), *link = fopen(argv[8], "w"), *script = fopen(argv[9], "w");
    if (!out || !link || !script) die("cannot write %s, %s or %s", argv[7], argv[8], argv[9]);
    fputs("/* Written by build/registry-tool. */\n#include \"build.h\"\n", out);
    fprintf(out, "const char *const build_version = \"%s\", *const build_commit = \"%s\";\n",
            version, commit);
    for (size_t i = 0; i < n; i++)
        if (entries[i].built) {
            fprintf(out, "extern const struct %s %s;\n", entries[i].probe ? "probe" : "kernel",
                    entries[i].symbol);
            fprintf(link, "%s\n", entries[i].object);
        }
    put_table(out, "build_records", "build_record_count", false, entries, n);
    put_table(out, "probe_records", "probe_record_count", true, entries, n);
    put_constructors(out, script, entries, n);
    if (made.count) qsort(made.items, made.count, sizeof *made.items, compare_words);
    put_absences(out, &table, &made);
    put_references(out, link, references);
    put_compilers(out, compilers);
    put_policies(out, &policies);
    if (fclose(out) != 0 || fclose(link) != 0 || fclose(script) != 0)
        die("cannot write %s, %s or %s", argv[7], argv[8], argv[9]);
    for (size_t i = 0; i < n; i++) free_entry(&entries[i]);
    free(entries);
    word_list_free(&made);
    table_free(&table);
    word_list_free(&policies);
    free(references);
    free(compilers);
    free(commit);
    return 0;
}
