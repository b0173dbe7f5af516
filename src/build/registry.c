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

/* ---- Texts ----------------------------------------------------------------------------------- */

/* This list keeps everything that was read until the program ends. */
struct held {
    void *memory;
    struct held *before;
};
static struct held *held;

static void *keep_memory(void *memory)
{
    struct held *last = memory_new(sizeof *last);
    *last = (struct held){memory, held};
    held = last;
    return memory;
}

/* Returns the whole file FILE + END as a string without trailing white space, or NULL. */
static char *slurp(const char *file, const char *end)
{
    char path[4096], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s%s", file, end);
    FILE *f = fopen(path, "rb"), *out = f ? memory_text(&text, &size) : NULL;
    if (!f) return NULL;
    for (int c; (c = getc(f)) != EOF;) putc(c, out);
    fclose(f);
    memory_text_close(out);
    while (size && strchr(" \n\t", text[size - 1])) text[--size] = '\0';
    return keep_memory(text);
}

static char *slurp_or_die(const char *path)
{
    char *text = slurp(path, "");
    if (!text) die("cannot read %s", path);
    return text;
}

/* Writes the file FILE + END, a line, or removes it where there is no text. */
static void put_beside(const char *file, const char *end, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s", file, end);
    FILE *out = text ? fopen(path, "we") : NULL;
    if (!text)
        remove(path);
    else if (!out || fputs(text, out) < 0 || fputc('\n', out) < 0 || fclose(out) != 0)
        die("cannot write %s", path);
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

/* Writes strings, each with a comma behind it. */
static void put_strings(FILE *out, const char *const *strings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put_string(out, strings[i]);
        fputs(", ", out);
    }
}

struct words {
    char **items;
    size_t count;
};

static struct words words_read(const char *path)
{
    struct words w = {0};
    char *text = slurp_or_die(path), *save = NULL;
    w.items = keep_memory(memory_zeroed(strlen(text) / 2 + 1, sizeof *w.items));
    for (char *word = strtok_r(text, " \n", &save); word; word = strtok_r(NULL, " \n", &save))
        w.items[w.count++] = word;
    return w;
}

static bool text_begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* ---- The table of objects -------------------------------------------------------------------- */

struct row {
    char *object, *use;
    char *algorithm; /* NULL where the object is compiled; of same=, or "-" */
    char *from;      /* the object that it copies, or BUILD_SKIPPED and what is missing */
    char *command;   /* begins with -DKERNEL= where the flags are those of `from` */
    bool asked;      /* it is among OBJECTS */
    bool read;
    struct object_facts facts; /* once read */
};

struct table {
    struct row *rows, **sorted; /* in the order of the axes, and by object */
    size_t count;
};

static int compare_rows(const void *a, const void *b)
{
    return strcmp((*(struct row *const *)a)->object, (*(struct row *const *)b)->object);
}

static struct table table_read(const char *path)
{
    char *rest = slurp_or_die(path);
    struct table t = {0};
    size_t lines = 1;
    for (const char *c = rest; *c; c++) lines += *c == '\n';
    t.rows = keep_memory(memory_zeroed(lines, sizeof *t.rows));
    t.sorted = keep_memory(memory_zeroed(lines, sizeof *t.sorted));
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

/* Reads the word behind `define` in a compile command. */
static void symbol_in(const char *command, const char *define, char symbol[256])
{
    const char *at = command ? strstr(command, define) : NULL;
    if (!at || sscanf(at + strlen(define), "%255s", symbol) != 1)
        die("%s: no compile command; run make clean", command ? command : "a .cmd file");
}

static bool is_older(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec < b->st_mtim.tv_sec ||
           (a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec < b->st_mtim.tv_nsec);
}

/* Makes the copy unless it exists, and returns its command. */
static char *copy_object(const struct row *r)
{
    static const char define[] = "-DKERNEL=";
    char from[256], to[256], *command = NULL, *rule = NULL;
    const char *original = slurp(r->from, ".cmd"), *known = slurp(r->object, ".cmd");
    struct stat of, st;
    struct error e;
    struct elf elf;
    if (!original || stat(r->from, &of) != 0) die("%s: not there; run make clean", r->from);
    symbol_in(original, define, from);
    symbol_in(r->command, define, to);
    const bool has_flags = !text_begins(r->command, define);
    const int shared = has_flags ? 0 : (int)(strstr(original, define) - original);
    if (asprintf(&command, "%.*s%s", shared, original, r->command) < 0 ||
        /* FORCE: if the object is compiled one day, time stamps must not prevent it. */
        asprintf(&rule, "%s: FORCE", r->object) < 0)
        die("out of memory");
    keep_memory(command), keep_memory(rule);
    if (known && !strcmp(known, command) && stat(r->object, &st) == 0 && !is_older(&st, &of))
        return command;
    char *log = of.st_size ? NULL : slurp(r->from, ".log"),
         *base = keep_memory(memory_copy(r->object));
    base[strlen(base) - strlen(".o")] = '\0';
    put_beside(r->object, ".cmd", command);
    put_beside(r->object, ".log", log);
    put_beside(r->object, ".alias", strcmp(r->algorithm, "-") != 0 ? r->algorithm : NULL);
    put_beside(base, ".d", rule);
    if (!of.st_size) {
        FILE *out = fopen(r->object, "we");
        if (!out || fclose(out) != 0) die("cannot write %s", r->object);
        return command;
    }
    if (elf_open(&elf, r->from, &e) != 0 || elf_write_renamed(&elf, r->object, from, to, &e) != 0)
        die("%s", e.text);
    elf_close(&elf);
    return command;
}

/* ---- Objects --------------------------------------------------------------------------------- */

struct entry {
    const char *object, *command;
    char *cc, *isa, *policy, *name; /* the parts of the path */
    const char *dtype;
    const char *use;
    const char *alias; /* NULL, or the algorithm whose kernel's object is used for this one, too */
    const char *source;
    char symbol[256];
    const char *skipped; /* NULL, or BUILD_SKIPPED and what is missing */
    bool built, probe;
    struct object_facts facts; /* all 0 unless built */
};

/* Ends the program if a name is too long: records of it could not be read again
 * (src/publish/db/names.h). */
static void check_length(const char *what, const char *name, size_t most)
{
    if (name && strlen(name) > most)
        die("%s %s: more than %zu characters; give it a shorter name, for a compiler by a link on "
            "PATH",
            what, name, most);
}

static struct entry parse_path(const char *path, const struct row *row)
{
    struct entry e = {.object = path, .use = use_of(row), .dtype = "f32"};
    char *save = NULL, *obj = strstr(keep_memory(memory_copy(path)), "/obj/");
    if (!obj) die("%s: not under an obj/ folder", path);
    e.cc = strtok_r(obj + 5, "/", &save);
    e.isa = strtok_r(NULL, "/", &save);
    e.policy = strtok_r(NULL, "/", &save);
    e.name = strtok_r(NULL, "/", &save);
    check_length("compiler", e.cc, 39);
    check_length("ISA", e.isa, 15);
    check_length("policy", e.policy, 39);
    char *dot = e.name ? strrchr(e.name, '.') : NULL;
    if (!dot) die("%s: want obj/CC/ISA/POLICY/NAME.o", path);
    *dot = '\0';
    char *type = strchr(e.name, '.');
    if (type) *type = '\0', e.dtype = type + 1;
    e.probe = strcmp(e.name, "probe") == 0;
    return e;
}

/* Returns the facts of an object. One that several rows copy is read once. */
static struct object_facts read_facts(const struct table *t, const char *object)
{
    struct row *r = table_find(t, object), other = {.read = false};
    struct error e;
    if (!r) r = &other;
    if (r->read) return r->facts;
    if (object_read(object, &r->facts, &e) != 0) die("%s", e.text);
    r->read = true;
    keep_memory(r->facts.witnessed), keep_memory(r->facts.library);
    return r->facts;
}

/* Returns the file that a command compiles. */
static const char *source_in(const char *command, const char *object)
{
    const char *source = command ? strstr(command, " -c ") : NULL;
    if (!source) die("%s.cmd: no compile command; run make clean", object);
    char *file = keep_memory(memory_copy_of(source + 4, strcspn(source + 4, " ")));
    /* A file that is made from the table of libraries is named as if it lay beside that table. */
    char *made = strstr(file, "/simd/libraries/");
    return made ? made + 1 : file;
}

/* Returns an object's contents and its compile command. */
static struct entry read_object(const char *path, const struct table *t)
{
    struct row *r = table_find(t, path);
    struct entry e = parse_path(path, r);
    const bool skipped = r && r->from && text_begins(r->from, BUILD_SKIPPED);
    const bool copied = r && r->from && !skipped;
    struct stat st = {0};
    e.command = skipped ? r->command : copied ? copy_object(r) : slurp(path, ".cmd");
    e.source = source_in(e.command, path);
    symbol_in(e.command, "-DKERNEL=", e.symbol);
    e.skipped = skipped ? r->from : NULL;
    e.alias = skipped ? NULL : slurp(path, ".alias");
    if (!skipped && stat(path, &st) != 0) die("%s: not there; run make clean", path);
    e.built = st.st_size > 0;
    if (e.built) e.facts = read_facts(t, copied ? r->from : path);
    if (r) r->asked = true;
    return e;
}

/* Returns the first line of the compiler's messages that names an error, or BUILD_SKIPPED and what
 * the compiler does not know. */
static const char *why_unbuilt(const char *object)
{
    char *log = slurp(object, ".log"), *at = log ? strstr(log, "error") : NULL;
    if (log && text_begins(log, BUILD_SKIPPED)) return log;
    if (!at) return "the compiler failed";
    while (at > log && at[-1] != '\n') at--;
    at[strcspn(at, "\n")] = '\0';
    /* Without the folders of this machine. */
    const char *slash = *at == '/' ? memrchr(at, '/', strcspn(at, " ")) : NULL;
    return slash ? slash + 1 : at;
}

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

static void put_record(FILE *out, const struct entry *e)
{
    const struct code_counts *c = &e->facts.counts;
    const char *error = e->skipped ? e->skipped : e->built ? "" : why_unbuilt(e->object);
    const char *fields[][2] = {
        {"source", e->source},   {"isa", e->isa},
        {"cc", e->cc},           {"policy", e->policy},
        {"command", e->command}, {"witnessed", text_or_empty(e->facts.witnessed)},
        {"object", e->object},   {"build_error", error},
        {"dtype", e->dtype},     {"library", text_or_empty(e->facts.library)},
    };
    fputs("    {", out);
    if (e->built) fprintf(out, "%s = &%s, ", e->probe ? ".probe" : ".kernel", e->symbol);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        fprintf(out, ".%s = ", fields[i][0]);
        put_strings(out, &fields[i][1], 1);
    }
    fprintf(out, ".code_hash = 0x%016llx, .counts = {%u, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u}, ",
            (unsigned long long)e->facts.code_hash, c->fma, c->mul, c->add, c->div, c->ymm, c->zmm,
            c->fma_scalar, c->undecoded, c->compare, c->mxcsr, c->evex);
    fprintf(out, ".use = %s", e->use);
    if (e->alias) {
        fputs(", .algorithm = ", out);
        put_string(out, e->alias);
    }
    fputs("},\n", out);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void put_table(FILE *out, const char *name, bool probes, const struct entry *entries,
                      size_t n)
{
    size_t written = 0;
    fprintf(out, "const struct build_record %s_records[] = {\n", name);
    for (size_t i = 0; i < n; i++)
        if (entries[i].probe == probes) put_record(out, &entries[i]), written++;
    fprintf(out, "    {.source = NULL}};\nconst size_t %s_record_count = %zu;\n", name, written);
}

/* Writes where the linker puts each object's functions that would run before or after main: the
 * former lie in their order between two symbols, the latter are never called. */
static void put_constructors(FILE *out, FILE *script, const struct entry *entries, size_t n)
{
    size_t written = 0, size = 0;
    char *table = NULL;
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
        fprintf(out,
                "extern void (*const %s_constructors[])(int, char **, char **);\n"
                "extern void (*const %s_constructors_end[])(int, char **, char **);\n",
                e->symbol, e->symbol);
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
static void put_absences(FILE *out, const struct table *whole)
{
    size_t n = 0;
    fputs("const struct build_absence build_absences[] = {\n", out);
    for (const struct row *r = whole->rows; r < whole->rows + whole->count; r++) {
        if (r->asked) continue;
        const struct entry e = parse_path(r->object, r);
        fputs("    {", out);
        put_strings(out, (const char *[]){e.object, e.isa, e.cc, e.policy, e.dtype, e.name}, 6);
        fprintf(out, "%s},\n", e.use);
        n++;
    }
    fprintf(out, "    {.object = NULL}};\nconst size_t build_absence_count = %zu;\n", n);
}

static void put_compilers(FILE *out, const struct words *list)
{
    fputs("const struct build_compiler build_compilers[] = {\n", out);
    for (size_t i = 0; i < list->count; i++) {
        char *command = list->items[i], *name = strsep(&command, "="), *its = strsep(&command, "=");
        if (!command) die("compilers: '%s' is not NAME=VERSION=COMMAND", name);
        fprintf(out, "    {\"%s\", \"%s\", \"%s\"},\n", name, its, command);
    }
    fprintf(out, "    {NULL, NULL, NULL}};\nconst size_t build_compiler_count = %zu;\n",
            list->count);
}

static void put_policies(FILE *out, const struct words *w)
{
    static const char mark[] = "policy=";
    size_t n = 0;
    fputs("const struct build_policy build_policies[] = {", out);
    for (size_t i = 0; i < w->count; i++) {
        const char *word = w->items[i];
        const bool is_first = text_begins(word, mark);
        if (!is_first && !n) die("policies: '%s' stands before the first %sNAME", word, mark);
        if (is_first)
            fprintf(out, "%s\n    {\"%s\", \"", n++ ? "\"}," : "", word + strlen(mark));
        else
            fprintf(out, "%s%s", text_begins(w->items[i - 1], mark) ? "" : " ", word);
    }
    fprintf(out, "%s\n    {NULL, NULL}};\nconst size_t build_policy_count = %zu;\n",
            n ? "\"}," : "", n);
}

/* Writes the references' declarations, their table and their objects. */
static void put_references(FILE *out, FILE *link, const struct words *list)
{
    char *table = NULL;
    size_t size = 0;
    FILE *rows = memory_text(&table, &size);
    for (size_t i = 0; i < list->count; i++) {
        const char *path = list->items[i], *command = slurp(path, ".cmd");
        const char *source = source_in(command, path), *slash = strrchr(source, '/');
        char symbol[256];
        struct stat st;
        symbol_in(command, "-DREFERENCE=", symbol);
        if (stat(path, &st) != 0) die("%s: not there; run make clean", path);
        if (st.st_size) fprintf(out, "extern const struct oracle %s;\n", symbol);
        if (st.st_size) fprintf(link, "%s\n", path);
        fprintf(rows, "    {%s%s, ", st.st_size ? "&" : "", st.st_size ? symbol : "NULL");
        put_string(rows, slash ? slash + 1 : source);
        fputs(", ", rows);
        put_string(rows, st.st_size ? "" : why_unbuilt(path));
        fputs("},\n", rows);
    }
    memory_text_close(rows);
    fprintf(out,
            "const struct reference_record build_references[] = {\n%s    {NULL, NULL, NULL}};\n"
            "const size_t build_reference_count = %zu;\n",
            table, list->count);
    free(table);
}

static int copy_one(const char *path, const char *object)
{
    const struct table table = table_read(path);
    const struct row *r = table_find(&table, object);
    if (!r || !r->from) die("%s: %s copies nothing", path, object);
    copy_object(r);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--copy")) return copy_one(argv[2], argv[3]);
    if (argc != 10)
        die("usage: registry-tool OBJECTS TABLE REFERENCES COMPILERS POLICIES COMMIT REGISTRY.c "
            "LINK.list CONSTRUCTORS.ld, or --copy TABLE OBJECT");
    const struct words made = words_read(argv[1]), references = words_read(argv[3]),
                       compilers = words_read(argv[4]), policies = words_read(argv[5]);
    const struct table table = table_read(argv[2]);
    const char *commit = slurp_or_die(argv[6]);
    struct entry *entries = keep_memory(memory_zeroed(made.count + 1, sizeof *entries));
    for (size_t i = 0; i < made.count; i++) entries[i] = read_object(made.items[i], &table);

    FILE *out = fopen(argv[7], "w"), *link = fopen(argv[8], "w"), *script = fopen(argv[9], "w");
    if (!out || !link || !script) die("cannot write %s, %s or %s", argv[7], argv[8], argv[9]);
    fputs("/* Written by build/registry-tool. */\n#include \"build.h\"\n", out);
    fprintf(out, "const char *const build_version = \"%s\", *const build_commit = \"%s\";\n",
            version, commit);
    for (const struct entry *e = entries; e < entries + made.count; e++) {
        if (!e->built) continue;
        fprintf(out, "extern const struct %s %s;\n", e->probe ? "probe" : "kernel", e->symbol);
        fprintf(link, "%s\n", e->object);
    }
    put_table(out, "build", false, entries, made.count);
    put_table(out, "probe", true, entries, made.count);
    put_constructors(out, script, entries, made.count);
    put_absences(out, &table);
    put_references(out, link, &references);
    put_compilers(out, &compilers);
    put_policies(out, &policies);
    if (fclose(out) != 0 || fclose(link) != 0 || fclose(script) != 0)
        die("cannot write %s, %s or %s", argv[7], argv[8], argv[9]);
    return 0;
}
