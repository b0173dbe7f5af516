// SPDX-License-Identifier: MIT
/* check: the functions of a file, against a committed baseline: for CI. `try` answers for each, and
 * publish/sql/check.sql judges. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "base/memory.h"
#include "cmd/common.h"
#include "model/record.h"
#include "publish/render/query.h"
#include "publish/render/rows.h"
#include "publish/sql/judge.h"
#include "publish/sql/sql.h"
#include "study/workshop.h"

/* The fields of a function: the option of `try` that each becomes, NULL: none. A path is relative
 * to the check file. */
static const struct field {
    const char *name, *option;
    enum { TEXT_FIELD, PATH_FIELD, TEXTS_FIELD, PATHS_FIELD, NUMBER_FIELD } kind;
} fields[] = {
    {"name", NULL, TEXT_FIELD},
    {"file", NULL, PATH_FIELD},
    {"function", NULL, TEXT_FIELD},
    {"op", "--op", TEXT_FIELD},
    {"call", "--call", TEXT_FIELD},
    {"flags", "--flags", TEXT_FIELD},
    {"compdb", "--compdb", PATH_FIELD},
    {"isa", "--isa", TEXT_FIELD},
    {"ref", "--ref", PATH_FIELD},
    {"ref_call", "--ref-call", TEXT_FIELD},
    {"scale", "--scale", TEXT_FIELD},
    {"also", "--also", PATHS_FIELD},
    {"link", "--link", TEXTS_FIELD},
    {"cc", NULL, TEXTS_FIELD},
    {"allow", NULL, TEXTS_FIELD},
    {"max_ulp", NULL, NUMBER_FIELD},
    {"max_slower", NULL, NUMBER_FIELD},
    {"input", "--input", PATHS_FIELD},
    {"columns", "--columns", NUMBER_FIELD},
    {"param", "--param", TEXTS_FIELD},
    {"steps", "--steps", NUMBER_FIELD},
    {"step", "--step", NUMBER_FIELD},
    {"aligned", "--aligned", NUMBER_FIELD},
    {"multiple", "--multiple", NUMBER_FIELD},
    {"samples", "--samples", NUMBER_FIELD},
};

/* ---- The check file -------------------------------------------------------------------------- */

static const struct field *find_field(const char *name)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!strcmp(fields[i].name, name)) return &fields[i];
    return NULL;
}

static bool is_of_kind(const struct field *f, const json_t *value)
{
    if (f->kind == NUMBER_FIELD) return json_is_number(value);
    return f->kind == TEXTS_FIELD || f->kind == PATHS_FIELD ? json_is_array(value)
                                                            : json_is_string(value);
}

static int check_allowed(const char *path, const json_t *allow, struct error *e)
{
    const json_t *word;
    size_t i;
    json_array_foreach(allow, i, word)
    {
        const char *text = json_string_value(word);
        if (!text || (strcmp(text, "lost") && strcmp(text, "errors") && strcmp(text, "bits") &&
                      strcmp(text, "subnormals")))
            return fail(e, EXIT_BAD_INPUT,
                        "check: %s: allow: %s: want lost, errors, bits, subnormals", path,
                        text ? text : "no text");
    }
    return 0;
}

static int check_function(const char *path, json_t *function, struct error *e)
{
    const char *key;
    json_t *value;
    json_object_foreach(function, key, value)
    {
        const struct field *f = find_field(key);
        if (!f)
            return fail(e, EXIT_BAD_INPUT,
                        "check: %s: %s: no field of a function; docs/ci.md has them", path, key);
        if (!is_of_kind(f, value))
            return fail(e, EXIT_BAD_INPUT, "check: %s: %s: another type is wanted; see docs/ci.md",
                        path, key);
    }
    for (size_t i = 0; i < 3; i++)
        if (!json_object_get(function, fields[i].name))
            return fail(e, EXIT_BAD_INPUT, "check: %s: a function without '%s'; add it", path,
                        fields[i].name);
    return check_allowed(path, json_object_get(function, "allow"), e);
}

static int check_read_json(const char *path, json_t **document, struct error *e)
{
    json_error_t why;
    FILE *in = file_open(path);
    if (!in) return file_cannot(e, "read", path, "name another");
    *document = json_loadf(in, JSON_REJECT_DUPLICATES, &why);
    fclose(in);
    return *document ? 0
                     : fail(e, EXIT_BAD_INPUT, "check: %s: line %d: %s; it is no JSON", path,
                            why.line, why.text);
}

static int read_functions(const char *path, json_t **document, struct error *e)
{
    json_t *functions, *function;
    size_t i;
    int code = check_read_json(path, document, e);
    if (code) return code;
    functions = json_object_get(*document, "functions");
    if (!json_array_size(functions))
        code = fail(e, EXIT_BAD_INPUT, "check: %s: no list 'functions'; docs/ci.md has an example",
                    path);
    for (i = 0; !code && (function = json_array_get(functions, i)); i++)
        code = check_function(path, function, e);
    for (i = 0; !code && (function = json_array_get(functions, i)); i++)
        for (size_t k = 0; k < i && !code; k++)
            if (!strcmp(record_text(function, "name"),
                        record_text(json_array_get(functions, k), "name")))
                code =
                    fail(e, EXIT_BAD_INPUT,
                         "check: %s: two functions of the name '%s'; a baseline knows them by it",
                         path, record_text(function, "name"));
    return code;
}

/* Reads the baseline, of which there may be none; one of another schema is none to an update. */
static int read_baseline(const char *path, bool update, json_t **baseline, struct error *e)
{
    if (access(path, F_OK) != 0) return 0;
    int code = check_read_json(path, baseline, e);
    if (code || json_integer_value(json_object_get(*baseline, "schema")) == 1) return code;
    json_decref(*baseline);
    *baseline = json_null();
    return update ? 0
                  : fail(e, EXIT_BAD_INPUT,
                         "check: %s: of another schema than 1; make it anew with --update", path);
}

/* ---- The answers ----------------------------------------------------------------------------- */

/* Adds a field of a function to the command line of `try`. */
static void add_field(struct words *words, const struct field *f, const json_t *value,
                      const char *folder)
{
    const json_t *item;
    size_t i;
    const char *text = json_string_value(value);
    const bool path = f->kind == PATH_FIELD || f->kind == PATHS_FIELD;
    json_array_foreach(value, i, item) add_field(words, f, item, folder);
    if (json_is_number(value))
        words_add(words, "%s", f->option), words_add(words, "%.17g", json_number_value(value));
    if (!text) return;
    if (f->option) words_add(words, "%s", f->option);
    words_add(words, "%s%s", path && *text != '/' ? folder : "", text);
}

/* Adds the compilers that are here: those that are not are unanswered, and cost the others nothing.
 */
static void add_compilers(struct words *words, const json_t *ccs)
{
    const json_t *cc;
    char list[400] = "";
    size_t i, used = 0;
    json_array_foreach(ccs, i, cc)
    {
        const char *name = json_string_value(cc);
        if (name && workshop_finds_program(name) && used + strlen(name) + 2 < sizeof list)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? "," : "", name);
    }
    if (!used) return;
    words_add(words, "--cc");
    words_add(words, "%s", list);
}

/* Returns what stands in the place of a document that `try` did not print: why, and whether that is
 * the function's fault, as of a file that no longer compiles: the message names it. */
static json_t *refusal_of(const json_t *function, const char *said, int code)
{
    const char *file = record_text(function, "file"), *slash = strrchr(file, '/');
    const bool names = strstr(said, slash ? slash + 1 : file) != NULL ||
                       strstr(said, record_text(function, "function")) != NULL;
    return json_pack("{s:s, s:b}", "refused",
                     strncmp(said, "ulplab: ", 8) == 0 ? said + 8 : "ulplab try gave no answer",
                     "own", names && (code == EXIT_BAD_INPUT || code == EXIT_USAGE));
}

/* Returns what `try` says of a function as its own flags make it by each compiler, or null; beside
 * `before`, an earlier version, unless that is NULL. The machine is left out: the answer has it
 * once. */
static json_t *ask_try(const json_t *function, const char *folder, const char *before)
{
    static const char *const always[] = {"--policy", "yours", "--quick", "--quiet", "--json", NULL};
    struct words words = {0};
    words_add(&words, "/proc/self/exe");
    words_add(&words, "try");
    add_field(&words, &fields[1], json_object_get(function, "file"), folder);
    add_field(&words, &fields[2], json_object_get(function, "function"), folder);
    for (size_t i = 3; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].option)
            add_field(&words, &fields[i], json_object_get(function, fields[i].name), folder);
    if (!json_object_get(function, "isa")) {
        words_add(&words, "--isa");
        words_add(&words, "avx2"); /* whatever CPU the runner has */
    }
    add_compilers(&words, json_object_get(function, "cc"));
    words_add_each(&words, always);
    if (before) words_add(&words, "--before"), words_add(&words, "%s", before);
    char said[600];
    int code;
    json_t *document = workshop_answer(words.items, said, sizeof said, &code);
    words_free(&words);
    json_object_del(document, "machine");
    return document ? document : refusal_of(function, said, code);
}

/* Asks beside the file of the folder `base`, unless there is none, or none with this function. */
static json_t *ask_try_beside(const json_t *function, const char *folder, const char *base)
{
    char before[PATH_MAX];
    json_t *document = NULL;
    snprintf(before, sizeof before, "%s/%s", base ? base : "", record_text(function, "file"));
    if (base && access(before, R_OK) == 0) document = ask_try(function, folder, before);
    if (document && !json_object_get(document, "refused")) return document;
    json_decref(document);
    return ask_try(function, folder, NULL);
}

/* Writes the lines that a query gives. */
static int write_lines_to(const struct lab_db *l, const char *sql, const char *path,
                          struct error *e)
{
    json_t *document = rows_document(l, sql, e), *line;
    if (!document) return EXIT_BAD_INPUT;
    char *text = NULL;
    size_t size = 0, i;
    FILE *out = memory_text(&text, &size);
    json_array_foreach(json_object_get(document, "lines"), i, line)
        fprintf(out, "%s\n", record_text(line, "text"));
    memory_text_close(out);
    int code = file_write_atomic(path, text, size, e);
    free(text);
    json_decref(document);
    return code;
}

/* A job's summary page is appended to by each step. */
static int append_markdown(const struct lab_db *l, const char *path, struct error *e)
{
    FILE *out = fopen(path, "ae");
    if (!out) return file_cannot(e, "write", path, "choose another place for --markdown");
    query_write(&(struct doc){.out = out}, l, sql_check_text);
    return fclose(out) == 0 ? 0 : file_cannot(e, "write", path, "free some space");
}

static int write_baseline(const struct lab_db *l, const char *path, struct error *e)
{
    static const char sql[] =
        "SELECT 0 AS lines, json_group_object(name, json(builds)) AS text FROM (SELECT name, "
        "json_group_object(cc, json_object('flags', flags, 'error', error, 'unit', unit, 'wrong', "
        "wrong, 'flushed', flushed, 'elements', elements, 'results', results, 'results_of', "
        "json(results_of), 'fault', fault)) AS builds FROM "
        "(SELECT * FROM checked WHERE status = 'ok' AND whole ORDER BY place, cc) GROUP BY place)";
    json_t *found = rows_document(l, sql, e);
    if (!found) return EXIT_BAD_INPUT;
    const json_t *line = json_array_get(json_object_get(found, "lines"), 0);
    json_t *baseline = json_pack("{s:i, s:o}", "schema", 1, "functions",
                                 json_loads(record_text(line, "text"), 0, NULL));
    char *text = json_dumps(baseline, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(found);
    json_decref(baseline);
    text = memory_grow(text, strlen(text) + 2);
    strcat(text, "\n");
    int code = file_write_atomic(path, text, strlen(text), e);
    free(text);
    return code;
}

static int check_print_found(const struct options *o, const struct lab_db *l, struct error *e)
{
    struct cpu cpu;
    if (!o->json) return query_print(l, sql_check_text, o->quiet, stdout, e);
    json_t *found = rows_document(l, sql_check_document, e);
    if (!found) return EXIT_BAD_INPUT;
    int code = cpu_detect(&cpu, NULL, e);
    json_t *document = code ? NULL : new_document(&cpu);
    if (!code) json_object_update(document, found);
    json_decref(found);
    return code ? code : print_document(document, 0, e);
}

static int check_publish(const struct options *o, const struct lab_db *l, const char *baseline,
                         struct error *e)
{
    int code = 0;
    if (o->junit) code = write_lines_to(l, sql_check_junit, o->junit, e);
    if (!code && o->markdown) code = append_markdown(l, o->markdown, e);
    if (!code && o->update) code = write_baseline(l, baseline, e);
    if (!code) code = check_print_found(o, l, e);
    if (code) return code;
    return o->update ? lab_run(l, e, "SELECT code, text FROM temp.update_gate", "")
                     : judge_gate(l, e);
}

int cmd_check(const struct options *o, struct error *e)
{
    char folder[PATH_MAX] = "", baseline[PATH_MAX + 20];
    json_t *document = NULL, *function, *was = json_null();
    struct lab_db l;
    size_t i;
    if (o->positional.count != 1)
        return fail(e, EXIT_USAGE,
                    "check: name one file: ulplab check ulplab.json; docs/ci.md has one");
    const char *path = o->positional.items[0], *slash = strrchr(path, '/');
    const size_t stem = strlen(path) > 5 && !strcmp(path + strlen(path) - 5, ".json")
                            ? strlen(path) - 5
                            : strlen(path);
    if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(slash + 1 - path), path);
    snprintf(baseline, sizeof baseline, "%.*s.baseline.json", (int)stem, path);
    int code = read_functions(path, &document, e);
    if (!code) code = read_baseline(baseline, o->update, &was, e);
    if (!code && o->update && access(*folder ? folder : ".", W_OK) != 0)
        code = file_cannot(e, "write", baseline, "make its folder writable");
    if (!code && o->before && access(o->before, X_OK) != 0)
        code = file_cannot(e, "read", o->before, "name a folder with --base");
    if (!code) json_object_set(document, "baseline", was);
    if (!code) json_object_set_new(document, "base", json_boolean(o->before != NULL));
    json_array_foreach(json_object_get(document, "functions"), i, function)
    {
        if (code || interrupt_requested()) break;
        if (!o->quiet) fprintf(stderr, "check: %s\n", record_text(function, "name"));
        json_object_set_new(function, "try", ask_try_beside(function, folder, o->before));
    }
    if (!code) code = interrupt_requested();
    if (!code) code = judge_open(&l, document, sql_check, e);
    if (code) {
        json_decref(document);
        return code;
    }
    code = check_publish(o, &l, baseline, e);
    lab_close(&l);
    json_decref(document);
    json_decref(was);
    return code;
}
