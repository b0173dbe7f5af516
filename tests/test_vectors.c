/* vector-math.html: the table has what scan.jsonl and timing.jsonl say, names what depends on what,
 * and what comes out of records is text. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "publish/site/html.h"

#include "synthetic.h"

#include "page.h"

static char folder[] = "/tmp/ulplab-vectors-XXXXXX";
#define ID(algorithm, isa, cc, policy)                                                             \
    "exp/" algorithm "/dtype=f32/isa=" isa "/cc=" cc "/policy=" policy
#define EVIL "<img src=x onerror=alert(1)>" /* a slash would end the name */

static void add_scan(const char *id, const char *outputs, const char *code, double max_ulp, int nan,
                     bool library)
{
    append(
        folder, "scan.jsonl",
        "{\"record\": \"scan\", \"id\": \"%s\", \"range\": \"all\", \"status\": \"ok\", "
        "\"hazard\": false, \"evaluated\": 4294967296, \"max_ulp\": %.9g, \"at\": \"0x1.8p+3\", "
        "\"misrounded\": 0.25, \"mean_ulp\": 0.125, \"bias_ulp\": 0, \"seconds\": 4, "
        "\"per_second\": 1e9, \"counts\": {\"nan\": %d, \"inf\": 0, \"sign\": 0, \"flushed\": 7}, "
        "\"outputs\": \"%s\", \"code_hash\": \"%s\", \"libraries\": %s}",
        id, max_ulp, nan, outputs, code, library ? "\"SLEEF 3.5.1\"" : "null");
}

static void add_time(const char *id, double ns)
{
    add_accuracy(folder, id, (struct accuracy_facts){.max_ulp = 1, .mean_ulp = 0.5});
    add_timing(folder, id,
               (struct timing_facts){
                   .rows = 1, .n = 100, .processes = 6, .ns_per_row = 100 * ns, .residency = "L1"});
}

/* Ours differs by policy and not by ISA; SLEEF's is faster and more accurate on AVX2, and has the
 * same code under both policies; a third has an evil name and no time. */
static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    make_folder(folder, (struct run_facts){.slug = "made-up"});
    add_scan(ID("own", "avx2", "gcc-12", "off"), "aa", "c1", 0.75, 0, false);
    add_scan(ID("own", "avx2", "gcc-12", "fast"), "bb", "c2", 0.875, 0, false);
    add_scan(ID("own", "avx512", "gcc-12", "off"), "aa", "c3", 0.75, 0, false);
    add_scan(ID("sleef", "avx2", "gcc-12", "off"), "cc", "c4", 0.625, 3, true);
    add_scan(ID("sleef", "avx2", "gcc-12", "fast"), "cc", "c4", 0.625, 3, true);
    add_scan(ID("evil", "avx2", EVIL, "off"), "dd", "c5", 2, 0, false);
    add_time(ID("own", "avx2", "gcc-12", "off"), 2);
    add_time(ID("own", "avx2", "gcc-12", "fast"), 1.5);
    add_time(ID("sleef", "avx2", "gcc-12", "off"), 1);
    return 0;
}

static int tear_down(void **state)
{
    char command[80];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static char *page_of(void)
{
    char path[64];
    free(page_written(html_write, folder));
    snprintf(path, sizeof path, "%s/vector-math.html", folder);
    return page_read(path);
}

static json_t *data_in(const char *page)
{
    static const char mark[] = "id=\"data\">";
    const char *at = strstr(page, mark), *end = at ? strstr(at, "</script>") : NULL;
    assert_non_null(end);
    at += sizeof mark - 1;
    json_t *data = json_loadb(at, (size_t)(end - at), 0, NULL);
    assert_non_null(data);
    return data;
}

static const json_t *entry(const json_t *data, const char *column, size_t row)
{
    return json_array_get(json_object_get(json_object_get(data, "rows"), column), row);
}

static const char *text(const json_t *data, const char *list, size_t row)
{
    size_t place = (size_t)json_integer_value(entry(data, list, row));
    return json_string_value(
        json_array_get(json_object_get(json_object_get(data, "lists"), list), place));
}

static size_t row_of(const json_t *data, const char *library, const char *isa, const char *policy)
{
    size_t rows = json_array_size(json_object_get(json_object_get(data, "rows"), "op"));
    assert_int_equal(rows, 6);
    for (size_t i = 0; i < rows; i++)
        if (!strcmp(text(data, "library", i), library) && !strcmp(text(data, "isa", i), isa) &&
            !strcmp(text(data, "policy", i), policy))
            return i;
    fail_msg("no row of %s %s %s", library, isa, policy);
    return 0;
}

static void figures_are_the_records(void **state)
{
    (void)state;
    char *page = page_of();
    json_t *data = data_in(page);
    size_t own = row_of(data, "own", "avx2", "off"), sleef = row_of(data, "sleef", "avx2", "off");
    assert_true(json_number_value(entry(data, "max", own)) == 0.75);
    assert_string_equal(json_string_value(entry(data, "at", own)), "0x1.8p+3");
    assert_true(json_number_value(entry(data, "misrounded", own)) == 0.25);
    assert_true(fabs(json_number_value(entry(data, "ns", own)) - 2) < 1e-9);
    assert_true(json_number_value(entry(data, "cycles", own)) == 8);
    assert_int_equal(json_integer_value(entry(data, "nan", sleef)), 3);
    assert_int_equal(json_integer_value(entry(data, "flushed", sleef)), 7);
    assert_string_equal(text(data, "version", sleef), "SLEEF 3.5.1");
    assert_true(json_is_null(entry(data, "ns", row_of(data, "own", "avx512", "off"))));
    json_decref(data);
    free(page);
}

static void builds_are_compared_in_one_axis(void **state)
{
    (void)state;
    char *page = page_of();
    json_t *data = data_in(page);
    size_t own = row_of(data, "own", "avx2", "off"), sleef = row_of(data, "sleef", "avx2", "off");
    size_t fast = row_of(data, "sleef", "avx2", "fast");
    assert_int_equal(json_integer_value(entry(data, "policies", own)), 1);
    assert_int_equal(json_integer_value(entry(data, "isas", own)), 0);
    assert_true(json_is_null(entry(data, "compilers", own)));
    assert_int_equal(json_integer_value(entry(data, "policies", sleef)), 0);
    /* Equal machine code: one of both stands for the other. */
    assert_true(json_integer_value(entry(data, "same", sleef)) ==
                json_integer_value(entry(data, "same", fast)));
    assert_int_equal(json_integer_value(entry(data, "same", own)), own);
    /* SLEEF's is faster and more accurate than ours. */
    assert_string_equal(json_string_value(entry(data, "ahead", own)), "sleef");
    assert_true(json_is_null(entry(data, "ahead", sleef)));
    assert_int_equal(json_integer_value(entry(data, "front", sleef)), 1);
    assert_int_equal(json_integer_value(entry(data, "front", own)), 0);
    json_decref(data);
    free(page);
}

static void it_loads_nothing_and_records_stay_text(void **state)
{
    (void)state;
    char *page = page_of();
    static const char *const never[] = {"<link", "<img", "{{", "<script src"};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strstr(page, never[i])) fail_msg("%s in the page", never[i]);
    free(page);
}

static void report_md_has_it_in_short(void **state)
{
    (void)state;
    char *sections = page_sections(folder);
    static const char *const said[] = {"`sleef` avx2 gcc-12 off: 4.00 cycles, 0.625 ulp",
                                       "behind sleef"};
    page_says(sections, said, sizeof said / sizeof *said);
    free(sections);
}

static void the_page_in_a_browser(void **state)
{
    (void)state;
    enum { SKIPPED = 77 };
    char command[160];
    free(page_of());
    snprintf(command, sizeof command,
             "CHECKS=tests/browser_vectors.js scripts/test-html %s/vector-math.html all", folder);
    int status = system(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) skip();
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_the_records),
        cmocka_unit_test(builds_are_compared_in_one_axis),
        cmocka_unit_test(it_loads_nothing_and_records_stay_text),
        cmocka_unit_test(report_md_has_it_in_short),
        cmocka_unit_test(the_page_in_a_browser),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
