// SPDX-License-Identifier: MIT
/* export: other tools must read what was measured; google-benchmark's own compare.py reads it where
 * Debian's libbenchmark-tools is installed. */
/* Included before cmocka.h, whose macro fail() hides the lab's function. */
#include "cmd/commands.h"
#include "publish/export/export.h"
#include "publish/db/db.h"
#include "publish/export/summary_file.h"
#include "publish/sql/facts.h"
#include "synthetic.h"

#include "drive.h" /* last: its macro fail() hides the lab's function */

#include <math.h>
#include <string.h>

#define HOME "build-export/home"
#define OFF "softmax/threepass/dtype=f32/isa=avx2/cc=gcc-12/policy=off"
#define FAST "softmax/threepass/dtype=f32/isa=avx2/cc=gcc-12/policy=fast"
#define CELL "/rows=64/n=128/threads=1"

static int make_home(void **state)
{
    (void)state;
    const struct timing_facts facts = {
        .rows = 64, .n = 128, .processes = 9, .ns_per_row = 100, .spread = 0.02};
    struct timing_facts faster = facts;
    faster.ns_per_row = 80;
    make_folder(HOME, (struct run_facts){0});
    add_timing(HOME, OFF, facts);
    add_timing(HOME, FAST, faster);
    append(
        HOME, "timing.jsonl",
        "{\"record\": \"timing\", \"id\": \"exp/own/dtype=f32/isa=avx512/cc=gcc-12/policy=off" CELL
        "\", \"family\": \"normal\", \"rows\": 64, \"n\": 128, \"threads\": 1, \"status\": "
        "\"sigill\","
        " \"ns_per_row\": null, \"process_medians_ns\": [], \"reason\": \"it \\\"died\\\", "
        "early\"}");
    append(HOME, "timing.jsonl",
           "{\"record\": \"limit\", \"name\": \"flops-ymm\", \"value\": 1e11}");
    add_accuracy(HOME, OFF,
                 (struct accuracy_facts){.max_ulp = 2.5, .mean_ulp = 0.25, .bits = "1f"});
    return 0;
}

static char *export_of(const char *folder, const char *format)
{
    struct lab_db l;
    struct error e;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(db_read_whole(&l, folder, &e), 0);
    assert_int_equal(export_write(&l, format, out, &e), 0);
    fclose(out);
    lab_close(&l);
    return text;
}
static char *export_as(const char *format)
{
    return export_of(HOME, format);
}

/* ---- google-benchmark ------------------------------------------------------------------------ */

static void test_gbench_rows_are_iterations_of_one_process_each(void **state)
{
    (void)state;
    char *text = export_as("gbench");
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *row;
    assert_non_null(document);
    json_t *rows = json_object_get(document, "benchmarks");
    size_t i;
    assert_int_equal(json_array_size(rows), 18); /* the cell that died is left out */
    json_array_foreach(rows, i, row)
    {
        assert_string_equal(json_string_value(json_object_get(row, "run_type")), "iteration");
        assert_string_equal(json_string_value(json_object_get(row, "time_unit")), "ns");
        assert_int_equal(json_integer_value(json_object_get(row, "repetitions")), 9);
        assert_int_equal(json_integer_value(json_object_get(row, "repetition_index")), i % 9);
        assert_true(
            json_equal(json_object_get(row, "real_time"), json_object_get(row, "cpu_time")));
        /* A tracker would take these fields instead of the time. */
        assert_null(json_object_get(row, "bytes_per_second"));
        assert_null(json_object_get(row, "items_per_second"));
    }
    row = json_array_get(rows, 4); /* the cell in the middle of the spread: 64 rows of 100 ns */
    assert_string_equal(json_string_value(json_object_get(row, "name")), OFF CELL);
    assert_true(fabs(json_number_value(json_object_get(row, "real_time")) - 6400) < 1e-6);
    json_decref(document);
    free(text);
}

static void test_gbench_context_is_complete(void **state)
{
    (void)state;
    char *text = export_as("gbench");
    json_t *document = json_loads(text, 0, NULL), *context = json_object_get(document, "context");
    static const char *const keys[] = {
        "date",   "host_name", "executable",      "num_cpus",           "mhz_per_cpu",
        "caches", "load_avg",  "library_version", "library_build_type", "json_schema_version"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_non_null(json_object_get(context, keys[i]));
    assert_string_equal(json_string_value(json_object_get(context, "host_name")), "made-up");
    assert_string_equal(json_string_value(json_object_get(context, "library_build_type")),
                        "release");
    assert_int_equal(json_integer_value(json_object_get(context, "json_schema_version")), 1);
    json_t *cache = json_array_get(json_object_get(context, "caches"), 0);
    assert_string_equal(json_string_value(json_object_get(cache, "type")), "Data");
    assert_int_equal(json_integer_value(json_object_get(cache, "level")), 1);
    assert_int_equal(json_integer_value(json_object_get(cache, "size")), 49152);
    assert_int_equal(json_integer_value(json_object_get(cache, "num_sharing")), 2);
    json_decref(document);
    free(text);
}

#define COMPARE "/usr/bin/python3 /usr/share/benchmark/compare.py --no-color "

/* Runs compare.py of Debian's package on our file against itself, one policy against the other. */
static void test_compare_py_reads_it(void **state)
{
    (void)state;
    if (system("test -e /usr/share/benchmark/compare.py && "
               "/usr/bin/python3 -c 'import scipy' 2>/dev/null") != 0)
        skip();
    char *text = export_as("gbench"), line[512] = "", all[4096] = "";
    FILE *out = fopen("build-export/a.json", "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    free(text);
    FILE *in =
        popen(COMPARE "benchmarksfiltered build-export/a.json policy=off build-export/a.json "
                      "policy=fast 2>&1",
              "r");
    assert_non_null(in);
    size_t minus_a_fifth = 0;
    while (fgets(line, sizeof line, in)) {
        minus_a_fifth += strstr(line, "-0.2000") != NULL;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s", line);
    }
    assert_int_equal(pclose(in), 0);
    if (minus_a_fifth < 9) fail_msg("compare.py does not see 80 against 100 ns: %s", all);
    assert_non_null(strstr(all, "[policy=off vs. policy=fast]" CELL));
    assert_non_null(strstr(all, "U Test, Repetitions: 9 vs 9"));
}

/* ---- CSV and JSON Lines ---------------------------------------------------------------------- */

/* Splits one RFC 4180 record in place. */
static size_t split_csv(char *line, char **fields, size_t max)
{
    size_t count = 0;
    for (char *at = line; count < max;) {
        char *write = at;
        fields[count++] = at;
        bool quoted = *at == '"';
        for (at += quoted; *at && (quoted || *at != ','); at++) {
            if (quoted && *at == '"' && *++at != '"') quoted = false;
            if (!quoted && (*at == ',' || !*at)) break;
            *write++ = *at;
        }
        bool more = *at == ',';
        *write = '\0';
        if (!more) break;
        at++;
    }
    return count;
}

static void test_csv_is_rfc_4180(void **state)
{
    (void)state;
    char *text = export_as("csv"), *lines[8], *names[64], *fields[64];
    size_t count = 0;
    for (char *at = text, *end; (end = strstr(at, "\r\n")) && count < 8; at = end + 2) {
        *end = '\0';
        lines[count++] = at;
    }
    assert_int_equal(count, 5); /* header, 1 of accuracy, 3 of timing, no limit */
    size_t columns = split_csv(lines[0], names, 64), seen = 0;
    for (size_t i = 1; i < count; i++) {
        assert_int_equal(split_csv(lines[i], fields, 64), columns);
        for (size_t k = 0; k < columns; k++) {
            if (!strcmp(names[k], "max_at.input") && i == 1) {
                assert_string_equal(fields[k], "0x1p+0");
                seen++;
            }
            if (!strcmp(names[k], "reason") && i == 4) {
                assert_string_equal(fields[k], "it \"died\", early");
                seen++;
            }
            if (!strcmp(names[k], "ns_per_row") && i == 4) {
                assert_string_equal(fields[k], "");
                seen++;
            }
            if (!strcmp(names[k], "policy") && i == 3) {
                assert_string_equal(fields[k], "fast");
                seen++;
            }
        }
    }
    assert_int_equal(seen, 4);
    free(text);
}

/* Whatever the other columns are, two columns are always in the same order. */
static void test_csv_columns_have_one_order(void **state)
{
    (void)state;
    static const char axes[] = "machine,commit,op,algorithm,dtype,isa,cc,policy,";
    char *text = export_as("csv"), *save = NULL, last[64] = "";
    assert_int_equal(strncmp(text, axes, strlen(axes)), 0);
    text[strcspn(text, "\r")] = '\0';
    for (char *name = strtok_r(text + strlen(axes), ",", &save); name;
         name = strtok_r(NULL, ",", &save)) {
        if (strverscmp(last, name) >= 0) fail_msg("%s before %s", last, name);
        snprintf(last, sizeof last, "%s", name);
    }
    free(text);
}

static void test_csv_has_no_formula(void **state)
{
    (void)state;
    static const char folder[] = "build-export/formulas";
    static const char *const wanted[] = {",'=1+1,", ",-0x1p+3,", ",\"'+a,b\",", ",'@key"};
    make_folder(folder, (struct run_facts){0});
    add_timing(folder, OFF,
               (struct timing_facts){.rows = 64,
                                     .n = 128,
                                     .processes = 2,
                                     .ns_per_row = 100,
                                     .more = ", \"a\": \"=1+1\", \"b\": \"-0x1p+3\", \"c\": "
                                             "[\"+a,b\"], \"@key\": \"\""});
    char *text = export_of(folder, "csv");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(text, wanted[i])) fail_msg("want %s: %s", wanted[i], text);
    free(text);
}

static void test_jsonl_is_flat(void **state)
{
    (void)state;
    char *text = export_as("jsonl");
    size_t lines = 0;
    for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1, lines++) {
        json_t *record = json_loadb(at, (size_t)(end - at), JSON_REJECT_DUPLICATES, NULL), *value;
        const char *key;
        assert_non_null(record);
        json_object_foreach(record, key, value) assert_false(json_is_object(value));
        assert_string_equal(json_string_value(json_object_get(record, "machine")), "made-up");
        if (!lines) {
            assert_int_equal(json_integer_value(json_object_get(record, "max_at.row")), 3);
            assert_int_equal(json_integer_value(json_object_get(record, "counts.nan")), 0);
        }
        json_decref(record);
    }
    assert_int_equal(lines, 4);
    free(text);
}

/* ---- summary.json ---------------------------------------------------------------------------- */

#define SUMMARY "build-export/summary"
#define VARIANT(op, algorithm, dtype, isa, cc, policy)                                             \
    op "/" algorithm "/dtype=" dtype "/isa=" isa "/cc=" cc "/policy=" policy

static void add_timed(const char *variant, size_t rows, size_t n, double ns, const char *more)
{
    add_timing(SUMMARY, variant,
               (struct timing_facts){.rows = rows,
                                     .n = n,
                                     .processes = 7,
                                     .ns_per_row = ns * (double)n,
                                     .spread = 0.02,
                                     .more = more});
}

static void add_measured(const char *variant, size_t n, double max_ulp, int hazard,
                         const char *status)
{
    add_accuracy(
        SUMMARY, variant,
        (struct accuracy_facts){.n = n, .max_ulp = max_ulp, .hazard = hazard, .status = status});
}

/* Two shapes. softmax has a fast variant, an accurate one, and three faster ones that must not win:
 * a hazard, one that breaks its promise, and one whose policy promises nothing. */
static void make_summary_home(void)
{
    static const char quick[] = VARIANT("softmax", "online", "f32", "avx2", "gcc-12", "fast"),
                      accurate[] = VARIANT("softmax", "sleef", "f32", "avx2", "gcc-12", "off"),
                      hazard[] = VARIANT("softmax", "naive", "f32", "avx2", "gcc-12", "off"),
                      wrong[] = VARIANT("softmax", "broken", "f32", "avx2", "gcc-12", "off"),
                      loose[] = VARIANT("softmax", "online", "f32", "avx2", "gcc-12", "fastmath"),
                      stored[] = VARIANT("softmax", "online", "bf16", "avx2", "gcc-12", "off"),
                      peer[] = VARIANT("softmax", "peer-onednn", "f32", "avx2", "lib", "lib"),
                      log[] = VARIANT("exp", "own", "f32", "avx512", "gcc-12", "off");
    make_folder(SUMMARY, (struct run_facts){0});
    add_timed(stored, 8, 512, 0.25, NULL);
    add_timed(quick, 64, 64, 0.75, NULL);
    add_timed(log, 1, 2048, 0.125, NULL);
    add_timed(quick, 8, 512, 0.5, NULL);
    add_timed(accurate, 8, 512, 1, NULL);
    add_timed(hazard, 8, 512, 0.25, NULL);
    add_timed(wrong, 8, 512, 0.25, NULL);
    add_timed(loose, 8, 512, 0.25, NULL);
    add_timed(peer, 8, 512, 1.5, NULL);
    add_measured(quick, 64, 2.5, 0, NULL);
    add_measured(quick, 512, 2.25, 0, NULL);
    add_measured(accurate, 512, 0.75, 0, NULL);
    add_measured(hazard, 512, 0.5, 1, NULL);
    add_measured(wrong, 512, 0.5, 0, "wrong");
    add_measured(loose, 512, 0.5, 0, NULL);
    add_measured(stored, 512, 0.5, 0, NULL);
    add_measured(peer, 512, 17, 0, NULL);
    add_measured(log, 512, 0.5, 0, NULL);
}

static json_t *read_summary(char **text)
{
    struct lab_db l;
    struct error e = {.text = ""};
    size_t size;
    assert_int_equal(db_read(&l, (const char *const[]){SUMMARY}, 1, &e), 0);
    assert_int_equal(facts_make(&l, advice_bar, &e), 0);
    assert_int_equal(summary_text(&l, text, &size, &e), 0);
    lab_close(&l);
    json_t *document = json_loadb(*text, size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(document);
    return document;
}

static void test_summary_has_a_row_per_place_in_order(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"schema\":1,\"machine\":\"made-up\",",
        "{\"op\":\"exp\",\"dtype\":\"f32\",\"isa\":\"avx512\"",
        "{\"op\":\"softmax\",\"dtype\":\"f32\",\"isa\":\"avx2\",\"rows\":64,\"n\":64,",
        "{\"op\":\"softmax\",\"dtype\":\"f32\",\"isa\":\"avx2\",\"rows\":8,\"n\":512,",
        "{\"op\":\"softmax\",\"dtype\":\"bf16\",\"isa\":\"avx2\",\"rows\":8,\"n\":512,",
        "]}"};
    make_summary_home();
    char *text;
    json_t *document = read_summary(&text);
    const char *at = text;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (strncmp(at, lines[i], strlen(lines[i])) != 0) fail_msg("line %zu: %s", i, at);
        at = strchr(at, '\n') + 1;
    }
    assert_int_equal(*at, '\0');
    json_decref(document);
    free(text);
}

static void assert_text(const json_t *row, const char *key, const char *want)
{
    assert_string_equal(json_string_value(json_object_get(row, key)), want);
}

static void assert_number(const json_t *row, const char *key, double want)
{
    double got = json_number_value(json_object_get(row, key));
    if (!(fabs(got - want) <= 1e-4 * want)) fail_msg("%s: %g is not %g", key, got, want);
}

static void test_summary_names_the_fastest_that_keeps_its_promises(void **state)
{
    (void)state;
    char *text;
    json_t *document = read_summary(&text);
    const json_t *row = json_array_get(json_object_get(document, "rows"), 2);
    assert_text(row, "fastest", "online gcc-12 fast");
    assert_number(row, "ns_per_element", 0.5);
    assert_number(row, "ci_low", 0.495);
    assert_number(row, "ci_high", 0.505);
    assert_number(row, "percent_of_limit", 50);
    assert_text(row, "limit", "fma-avx2");
    assert_number(row, "max_error", 2.5); /* the maximum over every row length */
    assert_text(row, "unit", "ulp");
    assert_text(row, "most_accurate", "sleef gcc-12 off");
    assert_number(row, "least_error", 0.75);
    assert_text(row, "library", "onednn");
    assert_number(row, "library_ns_per_element", 1.5);
    assert_number(row, "ratio", 3);
    assert_number(row, "ratio_low", 1.485 / 0.505);
    assert_number(row, "ratio_high", 1.515 / 0.495);
    row = json_array_get(json_object_get(document, "rows"), 1);
    assert_text(row, "most_accurate", "online gcc-12 fast");
    assert_true(json_is_null(json_object_get(row, "library")));
    assert_true(json_is_null(json_object_get(row, "ratio")));
    json_decref(document);
    free(text);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

static void test_unknown_formats_and_full_disks_are_told(void **state)
{
    (void)state;
    struct lab_db l;
    struct error e = {.text = ""};
    assert_int_equal(db_read_whole(&l, HOME, &e), 0);
    assert_int_equal(export_write(&l, "xml", stdout, &e), EXIT_USAGE);
    assert_non_null(strstr(e.text, "known: gbench, csv, jsonl, archive"));
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    assert_int_equal(export_write(&l, "csv", full, &e), EXIT_BAD_INPUT);
    assert_non_null(strstr(e.text, "No space left"));
    fclose(full);
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gbench_rows_are_iterations_of_one_process_each),
        cmocka_unit_test(test_gbench_context_is_complete),
        cmocka_unit_test(test_compare_py_reads_it),
        cmocka_unit_test(test_csv_is_rfc_4180),
        cmocka_unit_test(test_csv_columns_have_one_order),
        cmocka_unit_test(test_csv_has_no_formula),
        cmocka_unit_test(test_jsonl_is_flat),
        cmocka_unit_test(test_summary_has_a_row_per_place_in_order),
        cmocka_unit_test(test_summary_names_the_fastest_that_keeps_its_promises),
        cmocka_unit_test(test_unknown_formats_and_full_disks_are_told),
    };
    int failed = cmocka_run_group_tests(tests, make_home, NULL);
    return failed || system("rm -rf build-export");
}
