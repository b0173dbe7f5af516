// SPDX-License-Identifier: MIT
/* The sections of reports, from records that are known: each file of tests/sections/ gives records
 * and what is said of them. A line is
 *
 *   time VARIANT NAME=VALUE.. {..}    a timing, as add_timing() writes it, with more fields
 *   error VARIANT NAME=VALUE..        an accuracy, as add_accuracy() writes it
 *   FILE RECORD {..}                  a record of FILE.jsonl
 *   WHERE TEXT                        what is said; not WHERE TEXT: what is not
 *   fold CELL | CELL ..               how a row of a table begins that the page folds away
 *   absent FILE                       what was not written beside the page
 *   browser FILE SCRIPT               the page with charts, looked at by checks (scripts/test-html)
 *
 * where WHERE is md (every section as Markdown), report (report.md), page (report.html), both (md
 * and page) or vectors (vector-math.html). @OP/ALGORITHM/ISA/CC/POLICY is a whole id of f32, \n a
 * line break; a line that begins with a blank goes on with the one before, # is a remark. */
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h" /* before cmocka.h: its macro fail() hides the lab's function */
#include "publish/sections/report.h"
#include "publish/site/html.h"

#include "page.h"
#include "synthetic.h"

enum { LINE = 8000 };
static const char no_charts[] = "/nonexistent";
static char home[] = "/tmp/ulplab-sections-XXXXXX";

/* ---- Records --------------------------------------------------------------------------------- */

/* Returns the value of NAME=VALUE among the words before a brace. */
static const char *value_of(const char *words, const char *name, char text[80])
{
    const size_t end = strcspn(words, "{"), length = strlen(name);
    text[0] = '\0';
    for (const char *at = words; (at = strstr(at, name)) && at < words + end; at += length)
        if (at[-1] == ' ' && at[length] == '=')
            snprintf(text, 80, "%.*s", (int)strcspn(at + length + 1, " {"), at + length + 1);
    return *text ? text : NULL;
}

static double number_of(const char *words, const char *name)
{
    char text[80];
    return value_of(words, name, text) ? strtod(text, NULL) : 0;
}

/* Returns the fields of "{..}" with a leading comma: ", ..". */
static char *fields_of(const char *words)
{
    static char fields[2 * LINE];
    const char *at = strchr(words, '{'), *end = strrchr(words, '}');
    fields[0] = '\0';
    if (at && end) snprintf(fields, sizeof fields, ", %.*s", (int)(end - at - 1), at + 1);
    return fields;
}

static void add_time(const char *variant, const char *words)
{
    char limit[80], residency[80], status[80];
    const double n = number_of(words, "n"), row = number_of(words, "row"),
                 spread = number_of(words, "spread");
    add_timing(home, variant,
               (struct timing_facts){.rows = (size_t)number_of(words, "rows"),
                                     .n = (size_t)n,
                                     .threads = (size_t)number_of(words, "threads"),
                                     .processes = 6,
                                     .ns_per_row = row > 0 ? row : n * number_of(words, "ns"),
                                     .spread = spread > 0 ? spread : 0.02,
                                     .percent = number_of(words, "percent"),
                                     .limit = value_of(words, "limit", limit),
                                     .residency = value_of(words, "in", residency),
                                     .status = value_of(words, "status", status),
                                     .more = fields_of(words)});
}

static void add_error(const char *variant, const char *words)
{
    char bits[80];
    add_accuracy(home, variant,
                 (struct accuracy_facts){.max_ulp = number_of(words, "ulp"),
                                         .mean_ulp = 0.5,
                                         .bits = value_of(words, "bits", bits),
                                         .hazard = (int)number_of(words, "hazard")});
}

/* ---- What is said ---------------------------------------------------------------------------- */

enum { MD, REPORT, PAGE, VECTORS, TEXTS };
static const char *const places[TEXTS] = {"md", "report", "page", "vectors"};
static char *texts[TEXTS]; /* the pages of the records so far */

static void forget(void)
{
    for (int i = 0; i < TEXTS; i++) {
        free(texts[i]);
        texts[i] = NULL;
    }
}

static const char *text_of(int place)
{
    char path[80];
    if (texts[place]) return texts[place];
    snprintf(path, sizeof path, "%s/vector-math.html", home);
    if (place == VECTORS) free(page_written(html_write, home));
    texts[place] = place == MD ? page_sections(home)
                   : place == VECTORS
                       ? page_read(path)
                       : page_written(place == PAGE ? html_write : report_write, home);
    return texts[place];
}

static bool is_cell(const json_t *folds, const json_t *place, const char *want)
{
    const json_t *cell =
        json_array_get(json_object_get(folds, "cells"), (size_t)json_integer_value(place));
    char text[256];
    if (json_is_array(cell))
        snprintf(text, sizeof text, "%s:%s", json_string_value(json_array_get(cell, 0)),
                 json_string_value(json_array_get(cell, 1)));
    else
        snprintf(text, sizeof text, "%s", json_string_value(cell));
    return !strcmp(text, want);
}

/* Asserts that a fold's table has a row that begins with these cells ("shade:text" for a shaded
 * one). */
static void expect_fold(char *cells)
{
    char *wanted[16];
    size_t count = 0, i, k;
    for (char *at = cells; at && count < 16; count++) {
        char *end = strstr(wanted[count] = at, " | ");
        if (end) *end = '\0';
        at = end ? end + 3 : NULL;
    }
    json_t *data = page_data_of(text_of(PAGE)), *table, *row;
    const json_t *folds = json_object_get(data, "folds");
    bool found = false;
    json_array_foreach(json_object_get(folds, "tables"), i, table)
    {
        json_array_foreach(json_object_get(table, "rows"), k, row)
        {
            size_t same = 0;
            while (same < count && is_cell(folds, json_array_get(row, same), wanted[same])) same++;
            found = found || same == count;
        }
    }
    json_decref(data);
    if (!found) fail_msg("no fold has a row '%s' ..", wanted[0]);
}

static bool expect(const char *place, bool said, const char *what)
{
    bool known = false;
    for (int i = 0; i < TEXTS; i++) {
        const bool is_both = (i == MD || i == PAGE) && !strcmp(place, "both");
        if (strcmp(place, places[i]) != 0 && !is_both) continue;
        known = true;
        if (!strstr(text_of(i), what) == said)
            fail_msg("%s: %s '%s'", places[i], said ? "does not say" : "says", what);
    }
    return known;
}

static void expect_absent(const char *file)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%.50s", home, file);
    text_of(PAGE);
    assert_int_equal(access(path, F_OK), -1);
}

static void look_at(const char *file, const char *script)
{
    char path[100];
    page_needs_charts();
    snprintf(path, sizeof path, "%s/%.50s", home, file);
    unsetenv("ULPLAB_CHART_JS");
    free(page_written(html_write, home));
    setenv("ULPLAB_CHART_JS", no_charts, 1);
    page_in_a_browser(path, script, "all");
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Expands the ids and line breaks of a line. */
static void write_out(const char *line, char text[2 * LINE])
{
    char *to = text;
    for (; *line; line++) {
        char op[20], algorithm[40], isa[20], cc[20], policy[20];
        int length = 0;
        if (sscanf(line, "@%19[^/]/%39[^/]/%19[^/]/%19[^/]/%19[a-z0-9]%n", op, algorithm, isa, cc,
                   policy, &length) == 5) {
            to += sprintf(to, "%s/%s/dtype=f32/isa=%s/cc=%s/policy=%s", op, algorithm, isa, cc,
                          policy);
            line += length - 1;
        } else if (!strncmp(line, "\\n", 2)) {
            *to++ = '\n';
            line++;
        } else {
            *to++ = *line;
        }
    }
    *to = '\0';
}

static void do_line(const char *given)
{
    char line[2 * LINE];
    write_out(given, line);
    char *rest = strchr(line, ' ');
    assert_non_null(rest);
    *rest++ = '\0';
    const size_t first = strcspn(rest, " ");
    char word[200];
    snprintf(word, sizeof word, "%.*s", (int)first, rest);
    if (!strcmp(line, "fold"))
        expect_fold(rest);
    else if (!strcmp(line, "absent"))
        expect_absent(word);
    else if (!strcmp(line, "browser"))
        look_at(word, rest + first + 1);
    else if (!strcmp(line, "not"))
        assert_true(expect(word, false, rest + first + 1));
    else if (!expect(line, true, rest)) {
        forget();
        if (!strcmp(line, "time"))
            add_time(word, rest + first);
        else if (!strcmp(line, "error"))
            add_error(word, rest + first);
        else {
            char file[40];
            snprintf(file, sizeof file, "%.30s.jsonl", line);
            append(home, file, "{\"record\": \"%s\"%s}", word, fields_of(rest));
        }
    }
}

static void file_holds(void **state)
{
    char line[LINE] = "", *next = NULL;
    size_t room = 0;
    FILE *in = fopen(*state, "r");
    assert_non_null(in);
    make_folder(home, (struct run_facts){0});
    while (getline(&next, &room, in) > 0) {
        next[strcspn(next, "\n")] = '\0';
        if (*next == ' ') {
            const size_t used = strlen(line);
            snprintf(line + used, sizeof line - used, "%s", next + strspn(next, " ") - 1);
            continue;
        }
        if (*line && *line != '#') do_line(line);
        snprintf(line, sizeof line, "%s", next);
    }
    if (*line) do_line(line);
    free(next);
    fclose(in);
    forget();
}

static int tear_down(void **state)
{
    char command[80];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", home);
    return system(command);
}

int main(void)
{
    enum { FILES = 40 };
    struct CMUnitTest tests[FILES];
    glob_t found;
    if (!mkdtemp(home) || glob("tests/sections/*.txt", 0, NULL, &found)) return 1;
    setenv("ULPLAB_CHART_JS", no_charts, 1);
    const size_t count = found.gl_pathc < FILES ? found.gl_pathc : FILES;
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){
            .name = found.gl_pathv[i], .test_func = file_holds, .initial_state = found.gl_pathv[i]};
    const int failed = _cmocka_run_group_tests("sections", tests, count, NULL, tear_down);
    globfree(&found);
    return failed;
}
