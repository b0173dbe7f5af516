/* performance.html: only cells of equal machine code stand side by side, the rest is counted, a
 * browser finds its way, and what comes out of records is text. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "publish/site/cpus.h"

#include "synthetic.h"

#include "page.h"

static char home[] = "/tmp/ulplab-cpus-XXXXXX";
static char folders[3][64], page_path[64];
static const char *const names[3] = {"one", "two", "three"};
enum { ONE, TWO, THREE };

#define ID(algorithm, isa, policy)                                                                 \
    "softmax/" algorithm "/dtype=f32/isa=" isa "/cc=gcc-12/policy=" policy
#define EVIL "</script><img src=x onerror=document.title='owned'>"

/* A CPU whose runs of oneDNN were of that version. */
static void make_cpu(int cpu, const char *version)
{
    char path[100];
    make_folder(folders[cpu], (struct run_facts){.slug = names[cpu]});
    snprintf(path, sizeof path, "%s/machine.json", folders[cpu]);
    unlink(path);
    append(folders[cpu], "machine.json",
           "{\"schema\": 1, \"tool\": {\"version\": \"0.1.0\", \"commit\": \"c%d\"}, \"machine\": "
           "{\"slug\": \"%s\", \"brand\": \"%s\", \"topology\": {\"cores\": 2, \"caches\": "
           "[{\"level\": \"L1\", \"bytes\": 49152, \"shared_by\": 1}, {\"level\": \"L3\", "
           "\"bytes\": 33554432, \"shared_by\": 2}]}}, \"findings\": [], \"request\": {\"seed\": "
           "1, \"peers\": {\"onednn\": \"%s\"}}, \"started\": \"2026-11-21T06:00:00Z\"}",
           cpu, names[cpu], cpu == THREE ? EVIL : "A made-up CPU", version);
    append(folders[cpu], "timing.jsonl",
           "{\"record\": \"limit\", \"name\": \"fma-ymm\", \"isa\": \"avx2\", \"level\": \"\", "
           "\"value\": %d, \"unit\": \"FLOP/s\"}",
           100000000 * (cpu + 1));
}

static void add(int cpu, const char *variant, const char *code, size_t rows, double ns)
{
    add_codegen(folders[cpu], variant, "gcc-12", "", code, 0, 0);
    add_accuracy(folders[cpu], variant,
                 (struct accuracy_facts){.max_ulp = 2 + cpu, .mean_ulp = 0.5});
    add_timing(folders[cpu], variant,
               (struct timing_facts){.rows = rows,
                                     .n = 100,
                                     .processes = 6,
                                     .ns_per_row = 100 * ns,
                                     .spread = 0.02,
                                     .more = ", \"gb_per_s\": 12.5"});
}

/* Two CPUs of equal builds, at numbers of rows of their own; a third with another build and another
 * version of the library. The first is faster under `fast`, the second under `off`. */
static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(home)) return -1;
    snprintf(page_path, sizeof page_path, "%s/performance.html", home);
    for (int cpu = 0; cpu < 3; cpu++) {
        const bool third = cpu == THREE;
        const char *library = "softmax/peer-onednn/dtype=f32/isa=avx2/cc=lib/policy=lib";
        size_t rows = cpu == TWO ? 2 : 1;
        snprintf(folders[cpu], sizeof *folders, "%s/%s", home, names[cpu]);
        make_cpu(cpu, third ? "3.0" : "2.6");
        add(cpu, ID("own", "avx2", "off"), third ? "other" : "aa", rows, cpu == ONE ? 2 : 1);
        add(cpu, ID("own", "avx2", "fast"), third ? "another" : "bb", rows, cpu == ONE ? 1 : 2);
        add(cpu, ID("own", "avx512", "off"), "cc", 4, cpu == ONE ? 0.5 : 1);
        add(cpu, library, "", rows, 3);
    }
    add(ONE, ID("alone", "avx2", "off"), "dd", 1, 1);
    return 0;
}

static int tear_down(void **state)
{
    char command[80];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", home);
    return system(command);
}

/* ---- The page ---------------------------------------------------------------------------------
 */

static char *page_of(size_t count, const char *const *filters, size_t filter_count)
{
    const char *const list[] = {folders[ONE], folders[TWO], folders[THREE]};
    struct error e = {""};
    if (cpus_write(list, count, filters, filter_count, advice_bar, page_path, &e))
        fail_msg("%s", e.text);
    return page_read(page_path);
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

static json_t *data_of(size_t count, const char *const *filters, size_t filter_count)
{
    char *page = page_of(count, filters, filter_count);
    json_t *data = data_in(page);
    free(page);
    return data;
}

static json_int_t whole(const json_t *data, const char *list, size_t i, const char *key)
{
    const json_t *value = json_object_get(json_array_get(json_object_get(data, list), i), key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static const json_t *column(const json_t *data, const char *table, const char *key)
{
    const json_t *values = json_object_get(json_object_get(data, table), key);
    assert_true(json_is_array(values));
    return values;
}

static json_int_t sum_of(const json_t *values)
{
    json_int_t sum = 0;
    for (size_t i = 0; i < json_array_size(values); i++)
        sum += json_integer_value(json_array_get(values, i));
    return sum;
}

static void only_equal_code_stands_side_by_side(void **state)
{
    (void)state;
    json_t *data = data_of(3, NULL, 0);
    static const json_int_t cells[3] = {5, 4, 4}, compared[3] = {4, 4, 1};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(whole(data, "cpus", i, "cells"), cells[i]);
        assert_int_equal(whole(data, "cpus", i, "compared"), compared[i]);
    }
    /* own avx2 off, fast, avx512, the library, and what one CPU alone timed. */
    const json_t *of_lines = column(data, "lines", "compared");
    assert_int_equal(json_array_size(of_lines), 5);
    assert_int_equal(sum_of(of_lines), 2 + 2 + 3 + 2 + 1);
    /* Two builds and the library of the third CPU are marked. */
    assert_int_equal(sum_of(column(data, "cells", "beyond")), 3);
    assert_int_equal(json_array_size(column(data, "cells", "ns")), 13);
    /* Libraries have errors, too. */
    const json_t *found = column(data, "variants", "errors");
    for (size_t i = 0; i < json_array_size(found); i++) {
        size_t place = (size_t)json_integer_value(json_array_get(found, i));
        const json_t *errors = json_array_get(column(data, "lists", "errors"), place);
        assert_true(json_number_value(json_array_get(errors, ONE)) == 2);
    }
    /* A letter per code. */
    const json_t *codes = column(data, "variants", "codes");
    size_t differing = 0;
    for (size_t i = 0; i < json_array_size(codes); i++)
        differing += !strcmp(json_string_value(json_array_get(codes, i)), "aab");
    assert_int_equal(differing, 3);
    json_decref(data);
}

static void it_says_how_many_are_beyond(void **state)
{
    (void)state;
    char *page = page_of(3, NULL, 0);
    static const char *const said[] = {
        "<th scope=\"row\">cells that compare</th><td><b>4</b> of 5</td><td><b>4</b> of "
        "4</td><td><b>1</b> of 4</td>",
        "beyond: other machine code</th><td>0</td><td>0</td><td>2</td>",
        "beyond: another version of a library</th><td>0</td><td>0</td><td>1</td>",
        "beyond: no other CPU timed it</th><td>1</td><td>0</td><td>0</td>",
        "widest ISA timed</th><td>avx512</td>",
        "L1 48 KiB, L3 32 MiB of 2",
        "<td>0.3</td>", /* the third's limit, in GFLOP/s */
    };
    page_says(page, said, sizeof said / sizeof *said);
    free(page);
}

static void what_avx512_buys(void **state)
{
    (void)state;
    json_t *data = data_of(3, NULL, 0);
    const json_t *gains = json_object_get(data, "gains");
    /* AVX-512 was timed at other numbers of rows than AVX2. */
    assert_int_equal(json_array_size(gains), 0);
    json_decref(data);
    add(ONE, ID("own", "avx512", "off"), "cc", 1, 0.5);
    data = data_of(3, NULL, 0);
    const json_t *row = json_array_get(json_object_get(data, "gains"), 0);
    const json_t *one = json_array_get(json_object_get(row, "cpus"), ONE);
    assert_string_equal(json_string_value(json_object_get(row, "level")), "L1");
    assert_true(fabs(json_number_value(json_array_get(one, 0)) - 4) < 1e-3);
    assert_int_equal(json_integer_value(json_array_get(one, 3)), 1);
    assert_true(json_is_null(json_array_get(json_object_get(row, "cpus"), TWO)));
    json_decref(data);
}

static void where_the_best_policy_differs(void **state)
{
    (void)state;
    json_t *data = data_of(3, NULL, 0);
    const json_t *differ = json_object_get(data, "differ");
    assert_int_equal(json_array_size(differ), 1);
    assert_int_equal(whole(data, "differ", 0, "known"), 1);
    const json_t *cpus = json_object_get(json_array_get(differ, 0), "cpus");
    static const char *const best[2] = {"fast", "off"};
    for (size_t i = 0; i < 2; i++) {
        const json_t *cpu = json_array_get(cpus, i);
        assert_string_equal(json_string_value(json_array_get(cpu, 0)), best[i]);
        assert_true(fabs(json_number_value(json_array_get(cpu, 1)) - 2) < 1e-3);
        assert_true(json_number_value(json_array_get(cpu, 2)) > 1.9);
    }
    assert_true(json_is_null(json_array_get(cpus, THREE))); /* of other code */
    json_decref(data);
    /* Two policies of the same machine code are one, however far their times are apart. */
    for (int cpu = ONE; cpu <= TWO; cpu++) {
        add(cpu, ID("twin", "avx2", "off"), "ee", 1, cpu == ONE ? 2 : 1);
        add(cpu, ID("twin", "avx2", "on"), "ee", 1, cpu == ONE ? 1 : 2);
    }
    data = data_of(3, NULL, 0);
    assert_int_equal(json_array_size(json_object_get(data, "differ")), 1);
    json_decref(data);
    /* Within their intervals nothing is known. */
    for (int cpu = ONE; cpu <= TWO; cpu++) {
        add(cpu, ID("near", "avx2", "off"), "ff", 1, cpu == ONE ? 1.001 : 1);
        add(cpu, ID("near", "avx2", "fast"), "gg", 1, cpu == ONE ? 1 : 1.001);
    }
    data = data_of(3, NULL, 0);
    assert_int_equal(json_array_size(json_object_get(data, "differ")), 2);
    assert_int_equal(whole(data, "differ", 0, "known") + whole(data, "differ", 1, "known"), 1);
    json_decref(data);
}

static void other_inputs_are_said(void **state)
{
    (void)state;
    char command[300];
    char *page = page_of(3, NULL, 0);
    assert_null(strstr(page, "tried different inputs"));
    free(page);
    snprintf(command, sizeof command,
             "sed -i 's/\"elements\": 65536/\"elements\": 4096/' %s/*.jsonl", folders[TWO]);
    assert_int_equal(system(command), 0);
    page = page_of(3, NULL, 0);
    assert_non_null(strstr(page, "tried different inputs"));
    free(page);
}

static void runs_of_one_cpu_are_one_cpu(void **state)
{
    (void)state;
    const char *const twice[] = {folders[ONE], folders[TWO], folders[ONE]};
    struct error e = {""};
    if (cpus_write(twice, 3, NULL, 0, advice_bar, page_path, &e)) fail_msg("%s", e.text);
    char *page = page_read(page_path);
    assert_non_null(strstr(page, "<h1>3 runs of 2 CPUs side by side</h1>"));
    free(page);
    page = page_of(3, NULL, 0);
    assert_non_null(strstr(page, "<h1>3 CPUs side by side</h1>"));
    free(page);
}

static void nothing_in_common_is_refused(void **state)
{
    (void)state;
    const char *const list[] = {folders[ONE], folders[THREE]};
    const char *const filter[] = {"isa=avx2"};
    struct error e = {""};
    assert_int_equal(cpus_write(list, 2, filter, 1, advice_bar, page_path, &e), EXIT_USAGE);
    assert_non_null(strstr(e.text, "no cell in common"));
    /* A library of one version is enough. */
    const char *const two[] = {folders[ONE], folders[TWO]};
    const char *const peers[] = {"algorithm=peer-onednn"};
    if (cpus_write(two, 2, peers, 1, advice_bar, page_path, &e)) fail_msg("%s", e.text);
}

static void it_loads_nothing_and_records_stay_text(void **state)
{
    (void)state;
    char *page = page_of(3, NULL, 0);
    static const char *const never[] = {"http://", "https://", "<link",
                                        "<img",    "{{",       "<script src"};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strstr(page, never[i])) fail_msg("%s in the page", never[i]);
    assert_non_null(strstr(page, "&lt;/script&gt;&lt;img src=x"));
    free(page);
}

/* ---- The command and a browser ----------------------------------------------------------------
 */

static void the_command(void **state)
{
    (void)state;
    char expected[400], path[100];
    struct drive d = {
        .program = drive_program("ulplab"),
        .arguments = {"report", folders[ONE], folders[TWO], "--format", "html", "--out", home}};
    unlink(page_path);
    struct outcome o = drive(&d);
    assert_int_equal(o.code, 0);
    snprintf(expected, sizeof expected,
             "%s/report.html\n%s/report.html\n%s/performance.html\n%s/performance.md\n",
             folders[ONE], folders[TWO], home, home);
    assert_string_equal(o.out, expected);
    assert_int_equal(access(page_path, R_OK), 0);
    snprintf(path, sizeof path, "%s/performance.md", home);
    assert_int_equal(access(path, R_OK), 0);
    drive_free(&o);
}

/* Of an archive, the newest run of each machine. */
static void of_an_archive(void **state)
{
    (void)state;
    char archive[100], path[100];
    snprintf(archive, sizeof archive, "%s/lab.db", home);
    struct drive add_runs = {
        .program = drive_program("ulplab"),
        .arguments = {"archive", "add", folders[ONE], folders[TWO], "--to", archive}};
    struct outcome o = drive(&add_runs);
    assert_int_equal(o.code, 0);
    drive_free(&o);
    struct drive report = {.program = drive_program("ulplab"),
                           .arguments = {"report", archive, "--format", "html", "--out", home}};
    unlink(page_path);
    o = drive(&report);
    if (o.code) fail_msg("%s", o.err);
    snprintf(path, sizeof path, "%s/performance.html\n", home);
    assert_non_null(strstr(o.out, path));
    drive_free(&o);
    char *page = page_read(page_path);
    json_t *data = data_in(page);
    assert_int_equal(json_array_size(json_object_get(data, "cpus")), 2);
    assert_true(whole(data, "cpus", ONE, "compared") > 3);
    json_decref(data);
    free(page);
}

static void in_a_browser(void **state)
{
    (void)state;
    enum { SKIPPED = 77 };
    char command[300];
    free(page_of(3, NULL, 0));
    snprintf(command, sizeof command, "CHECKS=tests/browser_cpus.js scripts/test-html %s all",
             page_path);
    int status = system(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) skip();
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_equal_code_stands_side_by_side),
        cmocka_unit_test(it_says_how_many_are_beyond),
        cmocka_unit_test(what_avx512_buys),
        cmocka_unit_test(where_the_best_policy_differs),
        cmocka_unit_test(other_inputs_are_said),
        cmocka_unit_test(runs_of_one_cpu_are_one_cpu),
        cmocka_unit_test(nothing_in_common_is_refused),
        cmocka_unit_test(it_loads_nothing_and_records_stay_text),
        cmocka_unit_test(the_command),
        cmocka_unit_test(of_an_archive),
        cmocka_unit_test(in_a_browser),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
