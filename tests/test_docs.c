// SPDX-License-Identifier: MIT
/* Checks the documents against the tree: every kernel file is in the register, every link and
 * citation leads somewhere, every function is in the file that docs/one-cell.md names, and every
 * path that is named exists. */
#include <ctype.h>
#include <unistd.h>

#include "drive.h"

static const char *const documents[] = {"README.md", "docs/*.md", "simd/*/*.md", NULL};
static const char *const kernels[] = {"simd/*.c", "simd/*/*.c", "simd/*/*.cc",
                                      "simd/libraries/functions", NULL};
static const char *const texts[] = {
    "README.md",     "CONTRIBUTING.md", "Makefile",         "docs/*.md",    "simd/*.[ch]",
    "simd/*/*.[ch]", "simd/*/*/*.h",    "simd/*/*.md",      "include/*.h",  "src/*.[ch]",
    "src/*/*.[ch]",  "src/*/*/*.[ch]",  "src/*/*/assets/*", "tests/*.[ch]", "tests/*/*.*",
    "scripts/*",     "scripts/*/*.c",   "peers/*.c*",       "litmus/*.c",   NULL};

/* Calls `count` for every file, and returns the sum of the results. */
static size_t over_files(const char *const *patterns, size_t least,
                         size_t (*count)(const char *path, const char *text))
{
    char **files = drive_glob(patterns);
    size_t sum = 0, i = 0;
    for (; files[i]; i++) sum += count(files[i], drive_read(files[i]));
    assert_true(i >= least);
    return sum;
}

/* ---- Kernels --------------------------------------------------------------------------------- */

TEST(every_kernel_file_is_in_the_register)
{
    char **files = drive_glob(kernels);
    const char *kernels_md = drive_read("docs/kernels.md");
    size_t missing = 0, i = 0;
    for (; files[i]; i++) {
        char link[256];
        snprintf(link, sizeof link, "(../%s)", files[i]);
        if (strstr(kernels_md, link)) continue;
        print_error("docs/kernels.md has no link to %s\n", files[i]);
        missing++;
    }
    assert_true(i > 50);
    assert_int_equal(missing, 0);
}

/* ---- Links ----------------------------------------------------------------------------------- */

static bool leads_outside(const char *target)
{
    return strstr(target, "://") || target[0] == '#';
}

/* Returns whether the file exists to which a document's link leads. The part behind # is not
 * checked. */
static bool link_leads_somewhere(const char *document, const char *target)
{
    char path[512];
    const char *slash = strrchr(document, '/');
    int folder = slash ? (int)(slash + 1 - document) : 0;
    snprintf(path, sizeof path, "%.*s%.*s", folder, document, (int)strcspn(target, "#"), target);
    return access(path, F_OK) == 0;
}

static size_t links_seen;

/* Counts broken links of the forms [text](target) and ![text](target). */
static size_t broken_links(const char *path, const char *text)
{
    size_t broken = 0;
    for (const char *at = text; (at = strstr(at, "](")); at++) {
        char target[400];
        if (sscanf(at, "](%399[^) \n]", target) != 1 || leads_outside(target)) continue;
        links_seen++;
        if (link_leads_somewhere(path, target)) continue;
        print_error("%s: the link to %s leads nowhere\n", path, target);
        broken++;
    }
    return broken;
}

TEST(every_link_leads_to_a_file)
{
    links_seen = 0;
    assert_int_equal(over_files(documents, 8, broken_links), 0);
    assert_true(links_seen > 100);
}

/* ---- Citations ------------------------------------------------------------------------------- */

/* Returns whether docs/NAME exists and has a heading of that text ("": any). */
static bool has_heading(const char *name, const char *heading)
{
    char path[80], line[512], marks[8], rest[400];
    bool found = !*heading;
    snprintf(path, sizeof path, "docs/%s", name);
    FILE *in = fopen(path, "r");
    while (in && !found && fgets(line, sizeof line, in))
        found = sscanf(line, "%7[#] %399[^\n]", marks, rest) == 2 && !strcmp(rest, heading);
    if (in) fclose(in);
    return in && found;
}

/* Reads the heading quoted after a citation and a comma, also across the line break of a comment.
 */
static void read_heading(const char *behind, char heading[80])
{
    *heading = '\0';
    if (*behind != ',') return;
    behind++;
    behind += strspn(behind, " \n*/#");
    sscanf(behind, "\"%79[^\"\\\n]\"", heading);
}

static size_t citations_seen;

/* Counts broken citations of the forms docs/NAME.md and docs/NAME.md, "Heading". */
static size_t broken_citations(const char *path, const char *text)
{
    static const char before[] = "docs/";
    size_t broken = 0;
    for (const char *at = text; (at = strstr(at, before)); at++) {
        char name[40], heading[80];
        const char *from = at + sizeof before - 1;
        size_t length = strspn(from, "abcdefghijklmnopqrstuvwxyz-");
        if (length > 30 || strncmp(from + length, ".md", 3) != 0) continue;
        snprintf(name, sizeof name, "%.*s", (int)length + 3, from);
        read_heading(from + length + 3, heading);
        citations_seen++;
        if (has_heading(name, heading)) continue;
        print_error("%s cites docs/%s, \"%s\", which is not there\n", path, name, heading);
        broken++;
    }
    return broken;
}

TEST(every_citation_leads_to_a_heading)
{
    citations_seen = 0;
    assert_int_equal(over_files(texts, 300, broken_citations), 0);
    assert_true(citations_seen > 20);
}

/* Reads the path that begins at `at` with a folder's name, up to a full stop that ends a sentence;
 * false for patterns and for names with a placeholder. */
static bool read_path(const char *at, char *path, size_t size)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_./+-";
    size_t length = strspn(at, letters);
    if (length >= size || (at[length] && strchr("*<>$%{([ABCDEFGHIJKLMNOPQRSTUVWXYZ", at[length])))
        return false;
    while (length && strchr("./-", at[length - 1])) length--;
    snprintf(path, size, "%.*s", (int)length, at);
    return !strstr(path, "..");
}

static bool begins_word(const char *text, const char *at)
{
    return at == text || !(isalnum((unsigned char)at[-1]) || strchr("_/.$}*=<>@:+~-", at[-1]));
}

static size_t paths_seen;

static size_t absent_paths(const char *path, const char *text)
{
    static const char *const folders[] = {"src/", "simd/", "scripts/", "tests/", "include/"};
    size_t absent = 0;
    /* These two files name paths that a reader, or the test, adds. */
    if (!strcmp(path, "docs/extending.md") || !strcmp(path, "tests/test_build.c")) return 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        for (const char *at = text; (at = strstr(at, folders[i])); at++) {
            char name[200];
            if (!begins_word(text, at) || !read_path(at, name, sizeof name)) continue;
            paths_seen++;
            if (access(name, F_OK) == 0) continue;
            print_error("%s names %s, which is not there\n", path, name);
            absent++;
        }
    return absent;
}

TEST(every_path_is_there)
{
    paths_seen = 0;
    assert_int_equal(over_files(texts, 300, absent_paths), 0);
    assert_true(paths_seen > 300);
}

/* ---- One cell -------------------------------------------------------------------------------- */

/* Returns whether the name is a path such as src/measure/bench.c, of the tree and not of a build.
 */
static bool is_source(const char *name)
{
    static const char *const folders[] = {"src/", "simd/", "scripts/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!strncmp(name, folders[i], strlen(folders[i]))) return !strchr(name, ' ');
    return false;
}

/* Returns whether the name has the form run_worker() or named_shapes[]. */
static bool is_function_or_table(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789");
    return length && (!strcmp(name + length, "()") || !strcmp(name + length, "[]"));
}

/* Returns whether the file has the name with its first bracket, as a word. */
static bool file_has(const char *path, const char *name)
{
    char word[80];
    snprintf(word, sizeof word, "%.*s", (int)strlen(name) - 1, name);
    char *text = drive_read(path);
    const char *at = strstr(text, word);
    while (at && at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
        at = strstr(at + 1, word);
    return at;
}

/* docs/one-cell.md names files and, behind each, functions and tables in it, all in backticks. */
TEST(every_function_stands_where_one_cell_says)
{
    char *page = drive_read("docs/one-cell.md"), file[128] = "", *save = NULL;
    size_t seen = 0, wrong = 0, piece = 0;
    for (char *name = strtok_r(page, "`", &save); name; name = strtok_r(NULL, "`", &save)) {
        if (piece++ % 2 == 0) continue; /* every second piece is between backticks */
        if (is_source(name)) {
            snprintf(file, sizeof file, "%s", name);
            if (access(file, R_OK) == 0) continue;
            print_error("docs/one-cell.md: there is no %s\n", file);
            *file = '\0';
            wrong++;
        } else if (*file && is_function_or_table(name)) {
            seen++;
            if (file_has(file, name)) continue;
            print_error("docs/one-cell.md: %s is not in %s\n", name, file);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(seen > 20);
}

TEST(the_pages_are_what_their_scripts_write)
{
    must("scripts/kernels-page --check");
    must("scripts/contract-options --check");
    must("scripts/compilers-page --check");
    must("scripts/levels-page --check");
}

/* ---- The README ------------------------------------------------------------------------------ */

TEST(the_readme_is_short)
{
    char *text = drive_read("README.md");
    size_t lines = 0;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    assert_in_range(lines, 1, 120);
}
