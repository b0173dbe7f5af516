// SPDX-License-Identifier: MIT
/* vector-math.html and its short table: figures stand there as the records have them, builds of
 * equal machine code share a line, which axes bits depend on is read from equal and unequal hashes,
 * records stay text, and a browser finds its way. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "publish/sections/report.h"
#include "publish/site/html.h"

#include "synthetic.h"

#include "page.h"

static char home[] = "/tmp/ulplab-vectors-XXXXXX";
static char page_path[64];

#define ID(library, isa, cc, policy)                                                               \
    "exp/" library "/dtype=f32/isa=" isa "/cc=" cc "/policy=" policy
#define EVIL "<img src=x onerror=document.title=1>" /* a name has at most 39 characters */

struct scanned {
    const char *id, *code, *outputs, *libraries; /* of outputs and libraries NULL: null */
    double max_ulp;
    int nan;
    const char *more;
};

static const char *quoted(const char *text, char room[200])
{
    snprintf(room, 200, text ? "\"%s\"" : "null", text);
    return room;
}

static void add_scan(struct scanned s)
{
    char outputs[200], libraries[200];
    append(home, "scan.jsonl",
           "{\"record\": \"scan\", \"id\": \"%s\", \"range\": \"all\", \"status\": \"ok\", "
           "\"max_ulp\": %.9g, \"at\": \"0x1.921fb6p+1\", \"misrounded\": 0.0123456789, "
           "\"mean_ulp\": 0.251, \"measure\": 2, \"lost\": %d, \"verdict\": \"kept\", \"outputs\": "
           "%s, \"libraries\": %s, \"code_hash\": \"%s\", "
           "\"counts\": {\"nan\": %d, \"inf\": 0, \"sign\": 0, \"flushed\": 7}%s}",
           s.id, s.max_ulp, s.nan, quoted(s.outputs, outputs), quoted(s.libraries, libraries),
           s.code, s.nan, s.more ? s.more : "");
}

static void add_time(const char *id, size_t n, double cycles, const char *residency)
{
    add_timing(home, id,
               (struct timing_facts){.rows = 1,
                                     .n = n,
                                     .processes = 6,
                                     .ns_per_row = cycles / 4 * (double)n,
                                     .spread = 0.02,
                                     .residency = residency});
}

/* Ours under two policies, once more by equal code, and on another ISA; a library that is better
 * than one of them, one that is a hazard, one that was not timed. */
static int set_up(void **state)
{
    (void)state;
    static const char *const sleef = "glibc 2.36, SLEEF 3.5.1";
    if (!mkdtemp(home)) return -1;
    make_folder(home, (struct run_facts){.slug = "vectors"});
    snprintf(page_path, sizeof page_path, "%s/vector-math.html", home);
    add_scan((struct scanned){ID("own", "avx512", "gcc-12", "off"), "aa", "01", NULL, 0.75, 0, 0});
    add_scan((struct scanned){ID("own", "avx512", "gcc-12", "on"), "aa", "01", NULL, 0.75, 0,
                              ", \"same_code_as\": \"x\""});
    add_scan(
        (struct scanned){ID("own", "avx512", "gcc-12", "fast"), "bb", "02", NULL, 0.875, 0, 0});
    add_scan(
        (struct scanned){ID("own", "avx512", "clang-14", "off"), "cc", "01", NULL, 0.75, 0, 0});
    add_scan((struct scanned){ID("own", "avx2", "gcc-12", "off"), "dd", "01", NULL, 0.75, 0, 0});
    add_scan(
        (struct scanned){ID("sleef", "avx512", "gcc-12", "off"), "ee", "03", sleef, 0.625, 0, 0});
    add_scan((struct scanned){ID("highway", "avx512", "gcc-12", "off"), "ff", NULL,
                              "glibc 2.36, SLEEF 3.5.1, Highway 1.0.3", 1234.5, 3,
                              ", \"hazard\": true"});
    add_scan((struct scanned){ID(EVIL, "avx512", "gcc-12", "off"), "gg", NULL, NULL, 2, 0, 0});
    append(home, "scan.jsonl",
           "{\"record\": \"scan\", \"id\": \"" ID(
               "ranged", "avx2", "gcc-12",
               "off") "\", "
                      "\"range\": [\"0x0p+0\", \"0x1p+0\"], \"max_ulp\": 1, \"status\": \"ok\"}");
    add_time(ID("own", "avx512", "gcc-12", "off"), 64, 8, "L1");
    add_time(ID("own", "avx512", "gcc-12", "off"), 2048, 1, "L1");
    add_time(ID("own", "avx512", "gcc-12", "off"), 4096, 2, "L2");
    add_time(ID("own", "avx512", "gcc-12", "fast"), 2048, 0.5, "L1");
    add_time(ID("own", "avx2", "gcc-12", "off"), 2048, 2, "L1");
    add_time(ID("sleef", "avx512", "gcc-12", "off"), 2048, 0.75, "L1");
    add_time(ID("highway", "avx512", "gcc-12", "off"), 2048, 0.25, "L1");
    return 0;
}

static int tear_down(void **state)
{
    char command[80];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", home);
    return system(command);
}

static char *vector_page(void)
{
    free(page_written(html_write, home));
    return page_read(page_path);
}

static json_t *data_of_page(void)
{
    char *page = vector_page();
    json_t *data = page_data_of(page);
    free(page);
    return data;
}

/* A text that recurs is a place in a list. */
static const json_t *value(const json_t *data, size_t row, const char *column)
{
    const json_t *values = json_object_get(json_object_get(data, "rows"), column);
    const json_t *list = json_object_get(values, "list");
    const json_t *found = json_array_get(list ? json_object_get(values, "at") : values, row);
    if (!found) fail_msg("no %s of row %zu", column, row);
    return list && json_is_integer(found) ? json_array_get(list, (size_t)json_integer_value(found))
                                          : found;
}

static const char *text(const json_t *data, size_t row, const char *column)
{
    return json_string_value(value(data, row, column));
}

static size_t row_count(const json_t *data)
{
    return json_array_size(json_object_get(json_object_get(data, "rows"), "max"));
}

static size_t row_of(const json_t *data, const char *library, const char *isa, const char *cc,
                     const char *policy)
{
    for (size_t i = 0; i < row_count(data); i++)
        if (!strcmp(text(data, i, "library"), library) && !strcmp(text(data, i, "isa"), isa) &&
            !strcmp(text(data, i, "cc"), cc) && !strcmp(text(data, i, "policy"), policy))
            return i;
    fail_msg("no row of %s %s %s %s", library, isa, cc, policy);
    return 0;
}

static void assert_real(const json_t *data, size_t row, const char *column, double want)
{
    const json_t *found = value(data, row, column);
    if (!json_is_number(found) || json_number_value(found) != want)
        fail_msg("%s of row %zu is not %g", column, row, want);
}

static void figures_are_those_of_the_records(void **state)
{
    (void)state;
    json_t *data = data_of_page();
    size_t own = row_of(data, "own", "avx512", "gcc-12", "off");
    size_t highway = row_of(data, "highway", "avx512", "gcc-12", "off");
    size_t clang = row_of(data, "own", "avx512", "clang-14", "off");
    assert_int_equal(row_count(data), 8);
    assert_real(data, own, "cycles", 1); /* the longest rows in L1 */
    assert_real(data, own, "ns", 0.25);
    assert_real(data, own, "max", 0.75);
    assert_real(data, own, "misrounded", 0.0123456789);
    assert_real(data, own, "mean", 0.251);
    assert_real(data, own, "flushed", 7);
    assert_string_equal(text(data, own, "at"), "0x1.921fb6p+1");
    assert_real(data, highway, "nan", 3);
    assert_real(data, highway, "hazard", 1);
    assert_real(data, highway, "candidate", 0);
    assert_true(json_is_null(value(data, clang, "cycles")));
    assert_true(json_is_null(value(data, clang, "ns")));
    assert_string_equal(text(data, row_of(data, "sleef", "avx512", "gcc-12", "off"), "version"),
                        "SLEEF 3.5.1");
    assert_string_equal(text(data, highway, "version"), "Highway 1.0.3");
    assert_string_equal(text(data, own, "version"), "");
    json_decref(data);
}

static void equal_code_shares_a_line(void **state)
{
    (void)state;
    json_t *data = data_of_page();
    size_t off = row_of(data, "own", "avx512", "gcc-12", "off");
    size_t on = row_of(data, "own", "avx512", "gcc-12", "on");
    size_t fast = row_of(data, "own", "avx512", "gcc-12", "fast");
    assert_true(json_equal(value(data, off, "same"), value(data, on, "same")));
    assert_real(data, fast, "same", (double)fast);
    json_decref(data);
}

static void what_bits_depend_on(void **state)
{
    (void)state;
    json_t *data = data_of_page();
    size_t off = row_of(data, "own", "avx512", "gcc-12", "off");
    size_t avx2 = row_of(data, "own", "avx2", "gcc-12", "off");
    size_t highway = row_of(data, "highway", "avx512", "gcc-12", "off");
    assert_real(data, off, "policies", 1);
    assert_real(data, off, "compilers", 0);
    assert_real(data, off, "isas", 0);
    assert_true(json_is_null(value(data, avx2, "policies")));
    assert_real(data, avx2, "isas", 0);
    assert_true(json_is_null(value(data, highway, "isas"))); /* an old record: no hash */
    json_decref(data);
}

static void who_is_ahead(void **state)
{
    (void)state;
    json_t *data = data_of_page();
    size_t off = row_of(data, "own", "avx512", "gcc-12", "off");
    size_t fast = row_of(data, "own", "avx512", "gcc-12", "fast");
    size_t sleef = row_of(data, "sleef", "avx512", "gcc-12", "off");
    assert_real(data, off, "front", 0);
    assert_string_equal(text(data, off, "ahead"), "sleef");
    assert_real(data, fast, "front", 1); /* faster, though less accurate */
    assert_true(json_is_null(value(data, fast, "ahead")));
    assert_real(data, sleef, "front", 1);
    assert_real(data, row_of(data, "highway", "avx512", "gcc-12", "off"), "front", 0);
    json_decref(data);
}

static void reports_have_the_best_and_a_link(void **state)
{
    (void)state;
    static const char *const said[] = {
        "](vector-math.html)",
        "| exp | `own` avx512 gcc-12 fast: 0.50 cycles, 0.875 ulp | `sleef` avx512 gcc-12 off: "
        "0.75 cycles, 0.625 ulp | the fastest |",
    };
    char *report = page_written(report_write, home);
    page_says(report, said, sizeof said / sizeof *said);
    free(report);
    report = page_written(html_write, home);
    assert_non_null(strstr(report, "<a href=\"vector-math.html\">"));
    free(report);
}

static void it_loads_nothing_and_records_stay_text(void **state)
{
    (void)state;
    static const char *const never[] = {"<link",       "<img",    "{{",  "<script src",
                                        "href=\"http", "@import", "url("};
    static const char *const always[] = {"default-src 'none'", "<noscript>", "\\u003cimg src=x"};
    setenv("ULPLAB_CHART_JS", "/nonexistent/chart.js", 1);
    char *page = vector_page();
    unsetenv("ULPLAB_CHART_JS");
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strstr(page, never[i])) fail_msg("%s in the page", never[i]);
    page_says(page, always, sizeof always / sizeof *always);
    assert_non_null(strstr(page, "id=\"no-charts\""));
    free(page);
}

static void without_scans_there_is_no_page(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "mv %s/scan.jsonl %s/kept", home, home);
    assert_int_equal(system(command), 0);
    unlink(page_path);
    char *report = page_written(html_write, home);
    assert_null(strstr(report, "vector-math.html"));
    assert_int_equal(access(page_path, F_OK), -1);
    free(report);
    snprintf(command, sizeof command, "mv %s/kept %s/scan.jsonl", home, home);
    assert_int_equal(system(command), 0);
}

static void in_a_browser(void **state)
{
    (void)state;
    enum { SKIPPED = 77 };
    char command[300];
    if (access("/usr/share/javascript/chart.js/chart.min.js", R_OK) != 0) skip();
    free(vector_page());
    snprintf(command, sizeof command, "CHECKS=tests/browser_vectors.js scripts/test-html %s all",
             page_path);
    int status = system(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) skip();
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_the_records),
        cmocka_unit_test(equal_code_shares_a_line),
        cmocka_unit_test(what_bits_depend_on),
        cmocka_unit_test(who_is_ahead),
        cmocka_unit_test(reports_have_the_best_and_a_link),
        cmocka_unit_test(it_loads_nothing_and_records_stay_text),
        cmocka_unit_test(without_scans_there_is_no_page),
        cmocka_unit_test(in_a_browser),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
