// SPDX-License-Identifier: MIT
/* What the lab says of records that are known: each file of tests/records/ gives records, commands
 * and what they say. A line is
 *
 *   folder NAME slug=.. commit=.. seed=.. schema=.. run=.. date=.. {..}
 *                                     an empty folder of results, which the next records go to,
 *                                     with more fields of its machine; the first, home, is there
 *   time VARIANT NAME=VALUE.. {..}    a timing, as add_timing() writes it, with more fields
 *   error VARIANT NAME=VALUE..        an accuracy, as add_accuracy() writes it
 *   code VARIANT HASH NAME=VALUE.. {FLAGS}  a codegen, as add_codegen() writes it
 *   FILE RECORD {..}                  a record of FILE.jsonl
 *   WHERE TEXT                        what is said; not WHERE TEXT: what is not
 *   absent FILE                       what was not written beside the page
 *   browser FILE SCRIPT               the page with charts, looked at by checks (scripts/test-html)
 *   $ COMMAND                         a line of sh -e in the folders' folder; $3: exits with 3
 *   says TEXT                         stdout and stderr of the last command; not says TEXT
 *   is TEXT                           all of its stdout but the last line break
 *   file NAME TEXT                    a file has the text; not file NAME TEXT
 *   has PATH CONDITION..              the value at the path in the JSON that it wrote, or one of
 *                                     the values in that list, fulfils all conditions (facts.h);
 *                                     not has, and every: all values in that list
 *   count PATH COUNT                  how many there are in the list
 *   def NAME                          the lines up to one that is `end`, for NAME WORD..: $1 is a
 *                                     WORD
 *
 * where WHERE is md (every section as Markdown), report (report.md), page (report.html), both (md
 * and page) or vectors (vector-math.html), of the folder. @OP/ALGORITHM/ISA/CC/POLICY is a whole id
 * of f32, \n a line break, \\ a backslash; a line that begins with a blank goes on with the one
 * before, # is a remark. */
// test: 80 s of a core
#include <jansson.h>
#include <limits.h>

#include "base/error.h"
#include "publish/sections/report.h"
#include "publish/site/site.h"
#include "facts.h"
#include "scratch.h"

#include "page.h"
#include "synthetic.h"

enum { LINE = 8000 };
static const char no_charts[] = "/nonexistent";
static char folder[200]; /* that the records go to */

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

static double number_or(const char *words, const char *name, double usual)
{
    char text[80];
    return value_of(words, name, text) ? strtod(text, NULL) : usual;
}

static size_t count_of(const char *words, const char *name, double usual)
{
    return (size_t)number_or(words, name, usual);
}

/* Returns what stands in the braces, behind `before`; "" without braces. */
static char *braced(const char *words, const char *before)
{
    static char text[2 * LINE];
    const char *at = strchr(words, '{'), *end = strrchr(words, '}');
    text[0] = '\0';
    if (at && end) snprintf(text, sizeof text, "%s%.*s", before, (int)(end - at - 1), at + 1);
    return text;
}

static void begin_folder(const char *name, const char *words)
{
    char slug[80], commit[80], run[80], date[80];
    snprintf(folder, sizeof folder, "%s", scratch_path(name));
    make_folder(folder, (struct run_facts){.slug = value_of(words, "slug", slug),
                                           .commit = value_of(words, "commit", commit),
                                           .run = value_of(words, "run", run),
                                           .date = value_of(words, "date", date),
                                           .seed = (int)number_or(words, "seed", 1),
                                           .schema = (int)number_or(words, "schema", 1),
                                           .more = braced(words, ", ")});
}

static void add_time(const char *variant, const char *words)
{
    char limit[80], residency[80], status[80];
    const double n = number_or(words, "n", 64);
    add_timing(
        folder, variant,
        (struct timing_facts){.rows = count_of(words, "rows", 2),
                              .n = (size_t)n,
                              .threads = count_of(words, "threads", 1),
                              .processes = count_of(words, "processes", 6),
                              .ns_per_row = number_or(words, "row", n * number_or(words, "ns", 0)),
                              .spread = number_or(words, "spread", 0.02),
                              .percent = number_or(words, "percent", 50),
                              .limit = value_of(words, "limit", limit),
                              .residency = value_of(words, "in", residency),
                              .status = value_of(words, "status", status),
                              .more = braced(words, ", ")});
}

static void add_error(const char *variant, const char *words)
{
    char bits[80], family[80], status[80], verdict[80];
    add_accuracy(folder, variant,
                 (struct accuracy_facts){.family = value_of(words, "family", family),
                                         .n = count_of(words, "n", 64),
                                         .max_ulp = number_or(words, "ulp", 0),
                                         .mean_ulp = number_or(words, "mean", 0.5),
                                         .scaled = number_or(words, "scaled", 0),
                                         .bits = value_of(words, "bits", bits),
                                         .hazard = (int)number_or(words, "hazard", 0),
                                         .status = value_of(words, "status", status),
                                         .grid = (int)number_or(words, "grid", 1),
                                         .nan = count_of(words, "nan", 0),
                                         .flushed = count_of(words, "flushed", 0),
                                         .verdict = value_of(words, "verdict", verdict)});
}

static void add_code(const char *variant, const char *words)
{
    char cc[40] = "gcc-12", hash[80] = "";
    const char *named = strstr(variant, "/cc=");
    if (named) snprintf(cc, sizeof cc, "%.*s", (int)strcspn(named + 4, "/"), named + 4);
    sscanf(words, " %79s", hash);
    add_codegen(folder, variant, cc, braced(words, ""), hash, (int)number_or(words, "contracts", 0),
                (int)number_or(words, "reassociates", 0));
}

/* ---- What is said ---------------------------------------------------------------------------- */

enum { MD, REPORT, PAGE, VECTORS, TEXTS };
static const char *const places[TEXTS] = {"md", "report", "page", "vectors"};
static char *texts[TEXTS]; /* the pages of the records so far */

static void forget(void)
{
    memset(texts, 0, sizeof texts);
}

static const char *text_of(int place)
{
    char path[240];
    if (texts[place]) return texts[place];
    snprintf(path, sizeof path, "%s/vector-math.html", folder);
    if (place == VECTORS) page_written(html_write, folder);
    texts[place] = place == MD ? page_sections(folder)
                   : place == VECTORS
                       ? drive_read(path)
                       : page_written(place == PAGE ? html_write : report_write, folder);
    return texts[place];
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
    char path[260];
    snprintf(path, sizeof path, "%s/%.50s", folder, file);
    text_of(PAGE);
    assert_int_equal(access(path, F_OK), -1);
}

/* ---- What a command says --------------------------------------------------------------------- */

static struct outcome last;

/* Returns whether a text is, behind notes, one line that begins "ulplab: ". */
static bool is_one_error(const char *text)
{
    while (!strncmp(text, "ulplab: note: ", 14) && strchr(text, '\n'))
        text = strchr(text, '\n') + 1;
    const char *end = strchr(text, '\n');
    return !strncmp(text, "ulplab: ", 8) && end && !end[1];
}

static void run(const char *code, const char *command)
{
    char line[3 * LINE];
    forget(); /* it may change the folder */
    snprintf(line, sizeof line, "ROOT=$PWD PATH='%s/bin':$PATH; cd '%s'; %s", scratch, scratch,
             command);
    last = drive(&(struct drive){.program = "/bin/sh", .arguments = {"-ec", line}});
    if (last.code != atoi(code) ||
        (last.code && !strncmp(command, "ulplab ", 7) && !is_one_error(last.err)))
        fail_msg("%s: exit %d\n%s%s", command, last.code, last.out, last.err);
    if (!strncmp(command, "ulplab ", 7)) drive_keep(command + 7, last.out);
}

static void expect_text(bool said, const char *text, const char *what)
{
    if (!strstr(text, what) == said)
        fail_msg("%s '%s':\n%.9000s", said ? "not said:" : "said:", what, text);
}

static void expect_output(const char *what)
{
    const size_t length = strlen(last.out);
    if (length && last.out[length - 1] == '\n') last.out[length - 1] = '\0';
    if (strcmp(last.out, what) != 0) fail_msg("'%s' is not '%s'", last.out, what);
}

/* The JSON on stdout; a list where it is more than one document. */
static json_t *document(void)
{
    json_t *list = keep(json_array()), *one;
    json_error_t e = {.position = 0};
    for (const char *at = last.out;
         (one = json_loads(at, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &e));
         at += e.position)
        json_array_append_new(list, one);
    return json_array_size(list) == 1 ? json_array_get(list, 0) : list;
}

static void expect_fields(bool said, bool every, const char *path, char *words)
{
    enum { CONDITIONS = 24 };
    const char *conditions[CONDITIONS];
    size_t count = 0, rows = 0;
    for (char *word; count < CONDITIONS && (word = next_word(&words));) conditions[count++] = word;
    json_t *whole = document(), *at = fact_at(whole, path);
    const size_t places = json_is_array(at) ? json_array_size(at) : 1;
    for (size_t i = 0; i < places; i++) {
        size_t held = 0;
        const json_t *row = json_is_array(at) ? json_array_get(at, i) : at;
        while (held < count && fact_holds(row, conditions[held], 1e-6)) held++;
        rows += held == count;
    }
    if ((every ? rows == places : rows > 0) != said || !at)
        fail_msg("%s: %s%s ..:\n%.9000s", path, said ? "no " : "", conditions[0], last.out);
}

static void expect_count(const char *path, const char *words)
{
    json_t *whole = document();
    const size_t count = json_array_size(fact_at(whole, path));
    if (count != strtoul(words, NULL, 10)) fail_msg("%s: %zu, not%s", path, count, words);
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
        } else if (!strncmp(line, "\\n", 2) || !strncmp(line, "\\\\", 2)) {
            *to++ = *++line == 'n' ? '\n' : '\\';
        } else {
            *to++ = *line;
        }
    }
    *to = '\0';
}

/* Lines that others stand for. */
static struct macro {
    char name[40], *lines;
} macros[16];

static void do_lines(const char *lines);

/* Does the lines of a macro with the words in place of $1, $2 ..; returns whether the line calls
 * one.
 */
static bool expand(const char *given)
{
    const struct macro *m = macros;
    char line[LINE], *words = line, *word[10] = {NULL};
    size_t count = 0;
    snprintf(line, sizeof line, "%s", given);
    const char *name = next_word(&words);
    while (m->lines && strcmp(m->name, name) != 0) m++;
    if (!m->lines) return false;
    while (count < 9 && (word[count + 1] = next_word(&words))) count++;
    FILE *out = tmpfile();
    for (const char *at = m->lines; *at; at++)
        if (at[0] == '$' && at[1] >= '1' && at[1] <= '9' && word[at[1] - '0'])
            fputs(word[*++at - '0'], out);
        else
            putc(*at, out);
    do_lines(drive_slurp(out));
    return true;
}

static void add_record(const char *kind, const char *word, const char *rest)
{
    char file[40];
    forget();
    if (!strcmp(kind, "folder"))
        begin_folder(word, rest);
    else if (!strcmp(kind, "in"))
        snprintf(folder, sizeof folder, "%s", scratch_path(word));
    else if (!strcmp(kind, "time"))
        add_time(word, rest);
    else if (!strcmp(kind, "error"))
        add_error(word, rest);
    else if (!strcmp(kind, "code"))
        add_code(word, rest);
    else if (strchr(rest, '{')) {
        snprintf(file, sizeof file, "%.30s.jsonl", kind);
        append(folder, file, "{\"record\": \"%s\"%s}", word, braced(rest, ", "));
    } else
        fail_msg("%s %s%s: no such line", kind, word, rest);
}

static void need_program(const char *name)
{
    char command[300];
    snprintf(command, sizeof command, "command -v %s >/dev/null", name);
    if (system(command) == 0) return;
    print_message("the rest is skipped: no %s here\n", name);
    skip();
}

/* Does a line that expects something; returns whether it is one. */
static bool expect_line(const char *kind, bool said, const char *word, char *rest)
{
    if (!strcmp(kind, "has") || !strcmp(kind, "every"))
        expect_fields(said, *kind == 'e', word, rest);
    else if (!strcmp(kind, "count"))
        expect_count(word, rest);
    else if (!strcmp(kind, "absent"))
        expect_absent(word);
    else if (!strcmp(kind, "needs"))
        need_program(word);
    else if (!strcmp(kind, "browser")) {
        page_needs_charts();
        page_in_a_browser(scratch_path(word), rest + 1, "all");
    } else if (!strcmp(kind, "file"))
        expect_text(said, scratch_read(word), rest + 1);
    else
        return false;
    return true;
}

static void do_line(const char *given)
{
    char line[2 * LINE], word[200];
    if (expand(given)) return;
    write_out(given, line);
    const bool said = strncmp(line, "not ", 4) != 0;
    char *kind = said ? line : line + 4, *rest = kind + strcspn(kind, " ");
    if (*rest) *rest++ = '\0';
    const size_t first = strcspn(rest, " ");
    snprintf(word, sizeof word, "%.*s", (int)first, rest);
    if (strchr(kind, '$'))
        run(kind, rest);
    else if (!strcmp(kind, "lines")) {
        run("0", rest);
        do_lines(last.out);
    } else if (!strcmp(kind, "says"))
        expect_text(said, strstr(last.out, rest) ? last.out : last.err, rest);
    else if (!strcmp(kind, "is"))
        expect_output(rest);
    else if (!expect_line(kind, said, word, rest + first) && !expect(kind, said, rest))
        add_record(kind, word, rest + first);
}

/* Takes the lines of a macro, from behind "def"; returns what follows its end. */
static const char *define(const char *name)
{
    struct macro *m = macros;
    while (m->lines) m++;
    assert_true(m + 1 < macros + sizeof macros / sizeof *macros);
    const char *from = strchr(name, '\n') + 1, *end = strstr(from, "\nend\n");
    assert_non_null(end);
    snprintf(m->name, sizeof m->name, "%.*s", (int)strcspn(name, "\n"), name);
    m->lines = keep(strndup(from, (size_t)(end + 1 - from)));
    return end + sizeof "\nend";
}

/* Does lines; one that begins with a blank goes on with the one before. */
static void do_lines(const char *lines)
{
    while (*lines) {
        char line[LINE] = "";
        size_t used = 0;
        if (!strncmp(lines, "def ", 4)) {
            lines = define(lines + 4);
            continue;
        }
        do {
            const size_t blanks = used ? strspn(lines, " ") - 1 : 0, length = strcspn(lines, "\n");
            used += (size_t)snprintf(line + used, sizeof line - used, "%.*s",
                                     (int)(length - blanks), lines + blanks);
            assert_true(used < sizeof line);
            lines += length + (lines[length] == '\n');
        } while (*lines == ' ');
        if (*line && *line != '#') do_line(line);
    }
}

static void file_holds(void **state)
{
    must_format("cd '%s' && ls | grep -vx bin | xargs rm -rf", scratch);
    last = (struct outcome){0, NULL, NULL};
    memset(macros, 0, sizeof macros);
    begin_folder("home", "");
    do_lines(drive_read(*state));
    forget();
}

/* Makes the folder of the folders, with the program in bin/. */
static int set_up(void **state)
{
    if (scratch_open(state)) return -1;
    must_format("cd '%s' && mkdir bin && ln -s '%s' bin/ulplab", scratch,
                realpath(drive_program("ulplab"), (char[PATH_MAX]){""}));
    return 0;
}

TEST_GROUP(set_up, scratch_close)

int main(int argc, char **argv)
{
    static const char *const records[] = {"tests/records/*.txt", NULL};
    setenv("ULPLAB_CHART_JS", no_charts, 1);
    for (char **path = drive_glob(records); *path; path++)
        if (argc < 2 || strstr(*path, argv[1])) test_add_with(*path, file_holds, *path);
    return test_run();
}
