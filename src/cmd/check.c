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

/* ---- The check file -------------------------------------------------------------------------- */

static int check_read_json(const char *path, json_t **document, struct error *e)
{
    json_error_t why;
    FILE *in = file_open(path);
    if (!in) return file_cannot(e, "read", path, "name another");
    *document = json_loadf(in, JSON_REJECT_DUPLICATES, &why);
    fclose(in);
    return *document ? 0
                     : fail(e, EXIT_BAD_INPUT, "check: %s: line %d: %s; write valid JSON", path,
                            why.line, why.text);
}

/* Reads the check file; *words receives {asked: [{words}]}, what `try` is asked of each function.
 */
static int read_functions(const char *path, const char *folder, json_t **document, json_t **words,
                          struct error *e)
{
    struct lab_db l;
    int code = check_read_json(path, document, e);
    if (code) return code;
    json_t *given =
        json_pack("{s:o, s:o, s:O?}", "path", json_text(path), "folder", json_text(folder),
                  "functions", json_object_get(*document, "functions"));
    code = judge_open(&l, given, sql_check_asked, e);
    json_decref(given);
    if (code) return code;
    *words = rows_document(&l, "SELECT 0 AS asked, words AS \"words:json\" FROM asked_words", e);
    lab_close(&l);
    return *words ? 0 : EXIT_BAD_INPUT;
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
                         "check: %s: its schema is not 1; rewrite it with --update", path);
}

/* ---- The answers ----------------------------------------------------------------------------- */

/* Adds the compilers that are installed; builds by others are unanswered. */
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

/* Returns a substitute for a document that `try` did not print: the reason, and whether it is the
 * function's fault (as for a file that no longer compiles, which the message names). */
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
 * `before`, an earlier version, unless that is NULL. asked: the words that the function adds. The
 * machine is left out: the answer has it once. */
static json_t *ask_try(const json_t *function, const json_t *asked, const char *before)
{
    static const char *const always[] = {"--policy", "yours", "--quick", "--quiet", "--json", NULL};
    struct words words = {0};
    const json_t *word;
    size_t i;
    words_add(&words, "/proc/self/exe");
    words_add(&words, "try");
    json_array_foreach(asked, i, word) words_add(&words, "%s", json_string_value(word));
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

/* Compares with the file in the folder `base`, unless there is none, or none with this function. */
static json_t *ask_try_beside(const json_t *function, const json_t *asked, const char *base)
{
    char before[PATH_MAX];
    json_t *document = NULL;
    snprintf(before, sizeof before, "%s/%s", base ? base : "", record_text(function, "file"));
    if (base && access(before, R_OK) == 0) document = ask_try(function, asked, before);
    if (document && !json_object_get(document, "refused")) return document;
    json_decref(document);
    return ask_try(function, asked, NULL);
}

/* Writes the text that a statement gives. */
static int write_text_to(const struct lab_db *l, const char *sql, const char *path, struct error *e)
{
    char *text = lab_text(l, sql, e);
    const int code = text ? file_write_atomic(path, text, strlen(text), e) : EXIT_BAD_INPUT;
    free(text);
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
    json_t *baseline = rows_document(l, sql_check_baseline, e);
    if (!baseline) return EXIT_BAD_INPUT;
    char *text = json_dumps(baseline, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
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
    if (o->junit) code = write_text_to(l, sql_check_junit, o->junit, e);
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
    json_t *document = NULL, *words = NULL, *function, *was = json_null();
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
    int code = read_functions(path, folder, &document, &words, e);
    if (!code) code = read_baseline(baseline, o->update, &was, e);
    if (!code && o->update && access(*folder ? folder : ".", W_OK) != 0)
        code = file_cannot(e, "write", baseline, "make its folder writable");
    if (!code && o->before && access(o->before, X_OK) != 0)
        code = file_cannot(e, "read", o->before, "name a folder with --base");
    if (!code) json_object_set(document, "baseline", was);
    if (!code) json_object_set_new(document, "base", json_boolean(o->before != NULL));
    if (!code) json_object_set_new(document, "update", json_boolean(o->update));
    json_array_foreach(json_object_get(document, "functions"), i, function)
    {
        if (code || interrupt_requested()) break;
        if (!o->quiet) fprintf(stderr, "check: %s\n", record_text(function, "name"));
        const json_t *asked = json_array_get(json_object_get(words, "asked"), i);
        json_object_set_new(function, "try",
                            ask_try_beside(function, json_object_get(asked, "words"), o->before));
    }
    json_decref(words);
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
