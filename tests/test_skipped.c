// SPDX-License-Identifier: MIT
/* A variant that did not run has no figure in any document: a default value could look like the
 * best measurement. One run with a hidden ISA, and every command that reports its variants or reads
 * its folder. */
// test: 27 s of a core
#include "base/error.h"
#include "scratch.h"

#include "drive.h"

#define HIDDEN "avx2"
#define FEW "op=exp,rmsnorm algorithm=own,plain dtype=f32 isa=scalar,avx2"
#define HERE " --filter '" FEW "' --hide-isa " HIDDEN " --quiet --json"

static int set_up(void **state)
{
    const int code = scratch_open(state);
    setenv("HERE", scratch, 1);
    return code;
}

/* ---- What names a skipped variant ------------------------------------------------------------ */

/* Returns whether a field may be known for a variant that never ran: its shape, the contents of its
 * file, its code and the request, and how many others it was compared with. */
static bool is_known_without_a_run(const char *key)
{
    static const char *const keys[] = {
        "rows",      "n",     "threads", "working_set",  "flops",   "bytes",        "measure",
        "box",       "seed",  "ports",   "declared_ulp", "process", "instructions", "fma",
        "mul",       "add",   "div",     "ymm",          "zmm",     "fma_scalar",   "undecoded",
        "processes", "cells", "equal",   "unlike",       "grid"};
    const size_t length = strcspn(key, "."); /* of a key such as instructions.add, the first part */
    size_t i = 0;
    while (i < sizeof keys / sizeof *keys &&
           (strlen(keys[i]) != length || strncmp(keys[i], key, length) != 0))
        i++;
    return i < sizeof keys / sizeof *keys;
}

static bool is_of_hidden_isa(const char *text)
{
    return text && strstr(text, "/isa=" HIDDEN "/");
}

static bool names_hidden_isa(const json_t *object)
{
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)object, key,
                        member) if (is_of_hidden_isa(json_string_value(member))) return true;
    return false;
}

static void assert_no_number(const json_t *value, const char *path)
{
    char below[256];
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_number(value)) fail_msg("a skipped variant has a number: %s", path);
    json_array_foreach(value, i, member) assert_no_number(member, path);
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        if (is_known_without_a_run(key)) continue;
        snprintf(below, sizeof below, "%.180s %.60s", path, key);
        assert_no_number(member, below);
    }
}

/* Returns how many objects name a variant of the hidden ISA. */
static size_t check_json(const json_t *value, const char *path)
{
    const char *key;
    json_t *member;
    size_t i, found = 0;
    if (names_hidden_isa(value)) {
        assert_no_number(value, path);
        return 1;
    }
    json_array_foreach(value, i, member) found += check_json(member, path);
    json_object_foreach((json_t *)(uintptr_t)value, key, member) found += check_json(member, path);
    return found;
}

/* Checks one document, or one per line. */
static size_t check_text(const char *text, const char *path)
{
    size_t found = 0, length;
    for (; *text; text += length) {
        json_error_t why;
        json_t *document = json_loads(text, JSON_DISABLE_EOF_CHECK, &why);
        if (!document) fail_msg("%s: %s", path, why.text);
        found += check_json(keep(document), path);
        length = (size_t)why.position;
        length += strspn(text + length, "\n");
    }
    return found;
}

/* Copies a cell of CSV without its quotes; returns what follows it. */
static const char *read_cell(const char *at, char *cell, size_t size)
{
    size_t used = 0;
    bool quoted = false;
    for (; *at && (quoted || (*at != ',' && *at != '\n')); at++) {
        quoted ^= *at == '"';
        if (*at != '"' && used + 1 < size) cell[used++] = *at;
    }
    cell[used] = '\0';
    return at;
}

enum { COLUMNS_MAX_HERE = 400 };

static size_t check_csv(const char *text, const char *path)
{
    static char heads[COLUMNS_MAX_HERE][80], cells[COLUMNS_MAX_HERE][2000];
    size_t columns = 0, found = 0;
    for (; *text && *text != '\n'; text += *text == ',')
        text = read_cell(text, heads[columns++], sizeof *heads);
    for (text += *text == '\n'; *text; text += *text == '\n') {
        bool hidden = false;
        size_t count = 0;
        for (; *text && *text != '\n'; text += *text == ',') {
            text = read_cell(text, cells[count], sizeof *cells);
            hidden |= is_of_hidden_isa(cells[count++]);
        }
        found += hidden;
        for (size_t i = 0; hidden && i < count; i++) {
            char *end = cells[i];
            (void)strtod(cells[i], &end);
            if (*cells[i] && !*end && !is_known_without_a_run(heads[i]))
                fail_msg("a skipped variant has a number: %s %s: %s", path, heads[i], cells[i]);
        }
    }
    return found;
}

/* ---- The documents --------------------------------------------------------------------------- */

/* Lines of shell, in which $HERE is the test's folder. named: the document has rows for skipped
 * variants. The run, which alone measures limits, comes first, then commands that read its folder.
 */
static const struct document {
    const char *line;
    bool named;
    size_t (*check)(const char *text, const char *path);
} documents[] = {
    {"run --quick --out $HERE/run" HERE, false, check_text},
    {"list" HERE, true, check_text},
    {"codegen" HERE, true, check_text},
    {"accuracy --n 4" HERE, true, check_text},
    {"bench --shapes 2x8 --processes 2 --samples 3 --no-limits" HERE, true, check_text},
    {"diverge --n 7 --samples 100" HERE, false, check_text},
    {"scan exp --range 1,1.01 --out $HERE/searched" HERE, true, check_text},
    {"search rmsnorm --n 8 --evaluations 5 --out $HERE/searched" HERE, true, check_text},
    {"policy $HERE/run --json", false, check_text},
    {"compare $HERE/run --by isa --json", false, check_text},
    {"compare $HERE/run --by policy --json", true, check_text},
    {"compare $HERE/run --by cc --json", false, check_text},
    {"export $HERE/run --format jsonl", true, check_text},
    {"export $HERE/run --format gbench", false, check_text},
    {"export $HERE/run --format csv", true, check_csv},
    {"sql $HERE/run 'SELECT v.variant, ns, low, high, spread, processes, cycles, percent FROM "
     "cells c "
     "JOIN variants v ON v.id = c.variant' --json",
     true, check_text},
    {"archive add $HERE/run --to $HERE/lab.db --json", false, check_text},
    {"history $HERE/lab.db --json", false, check_text},
};

/* Runs a command of the program by a shell. */
static struct outcome run_line(const char *line)
{
    char command[1000];
    snprintf(command, sizeof command, "exec %s %s", drive_program("ulplab"), line);
    struct outcome o = drive(&(struct drive){.program = "/bin/sh", .arguments = {"-c", command}});
    drive_keep(line, o.out);
    return o;
}

TEST(documents_have_no_numbers)
{
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        struct outcome o = run_line(documents[i].line);
        if (o.code != EXIT_DONE) fail_msg("%s: exit %d: %s", documents[i].line, o.code, o.err);
        const size_t found = documents[i].check(o.out, documents[i].line);
        if (documents[i].named && !found) fail_msg("%s has no skipped rows", documents[i].line);
    }
}

TEST(files_have_no_numbers)
{
    static const struct {
        const char *name;
        bool named;
    } files[] = {{"codegen.jsonl", true}, {"accuracy.jsonl", true}, {"diverge.jsonl", false},
                 {"samples.jsonl", true}, {"timing.jsonl", true},   {"summary.json", false}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[64];
        snprintf(name, sizeof name, "run/%s", files[i].name);
        const size_t found = check_text(scratch_read(name), name);
        if (files[i].named && !found) fail_msg("%s has no skipped rows", name);
    }
    assert_scratch_says("run/report.md", true, "hidden by --hide-isa " HIDDEN);
}

/* ---- In a terminal --------------------------------------------------------------------------- */

/* A command that prints a table gives the reasons why rows have no figures, each once. */
TEST(reasons_are_printed)
{
    static const char *const asked[] = {
        "codegen",
        "diverge --n 7 --samples 100",
        "accuracy --n 4",
        "bench --shapes 2x8 --processes 2 --samples 3 --no-limits",
        "scan exp --range 1,1.01 --force --out $HERE/searched",
        "search rmsnorm --n 8 --evaluations 5 --out $HERE/searched",
        "list",
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        char line[300];
        snprintf(line, sizeof line, "%s --filter '" FEW "' --hide-isa " HIDDEN, asked[i]);
        struct outcome o = run_line(line);
        if (!strstr(o.out, "hidden by --hide-isa")) fail_msg("%s says no reason: %s", line, o.out);
    }
}

TEST_GROUP(set_up, scratch_close)
