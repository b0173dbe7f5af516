/* export: what other tools read must be what was measured; google-benchmark's own compare.py is
 * asked where Debian's libbenchmark-tools is installed. */
/* Before CMocka, whose macro has the same name as fail(). */
#include "cmd/commands.h"
#include "publish/export/export.h"
#include "synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

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

static char *export_as(const char *format)
{
    struct results r;
    struct error e;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(results_read(HOME, &r, &e), 0);
    assert_int_equal(export_write(&r, HOME, format, out, &e), 0);
    fclose(out);
    results_free(&r);
    return text;
}

/* ---- google-benchmark ----------------------------------------------------------------------- */

static void test_gbench_rows_are_iterations_of_one_process_each(void **state)
{
    (void)state;
    char *text = export_as("gbench");
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *row;
    assert_non_null(document);
    json_t *rows = json_object_get(document, "benchmarks");
    size_t i;
    assert_int_equal(json_array_size(rows), 18); /* the cell that died stays out */
    json_array_foreach(rows, i, row)
    {
        assert_string_equal(json_string_value(json_object_get(row, "run_type")), "iteration");
        assert_string_equal(json_string_value(json_object_get(row, "time_unit")), "ns");
        assert_int_equal(json_integer_value(json_object_get(row, "repetitions")), 9);
        assert_int_equal(json_integer_value(json_object_get(row, "repetition_index")), i % 9);
        assert_true(
            json_equal(json_object_get(row, "real_time"), json_object_get(row, "cpu_time")));
        /* A tracker takes these instead of the time. */
        assert_null(json_object_get(row, "bytes_per_second"));
        assert_null(json_object_get(row, "items_per_second"));
    }
    row = json_array_get(rows, 4); /* the middle of the spread: 64 rows of 100 ns */
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

/* Of Debian's package, on our file against itself, one policy against the other. */
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

/* ---- CSV and JSON Lines --------------------------------------------------------------------- */

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
    assert_int_equal(count, 5); /* the head, one of accuracy, three of timing; no limit */
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

/* ---- Faults --------------------------------------------------------------------------------- */

static void test_unknown_formats_and_full_disks_are_told(void **state)
{
    (void)state;
    struct results r;
    struct error e = {.text = ""};
    assert_int_equal(results_read(HOME, &r, &e), 0);
    assert_int_equal(export_write(&r, HOME, "xml", stdout, &e), EXIT_USAGE);
    assert_non_null(strstr(e.text, "known: gbench, csv, jsonl, archive"));
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    assert_int_equal(export_write(&r, HOME, "csv", full, &e), EXIT_BAD_INPUT);
    assert_non_null(strstr(e.text, "No space left"));
    fclose(full);
    results_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gbench_rows_are_iterations_of_one_process_each),
        cmocka_unit_test(test_gbench_context_is_complete),
        cmocka_unit_test(test_compare_py_reads_it),
        cmocka_unit_test(test_csv_is_rfc_4180),
        cmocka_unit_test(test_jsonl_is_flat),
        cmocka_unit_test(test_unknown_formats_and_full_disks_are_told),
    };
    int failed = cmocka_run_group_tests(tests, make_home, NULL);
    return failed || system("rm -rf build-export");
}
