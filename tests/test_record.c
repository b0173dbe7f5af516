// SPDX-License-Identifier: MIT
/* Files of records: folded rows are read as the rows that they were, and an untrusted file cannot
 * exhaust memory. */
#include <sys/resource.h>
#include <sys/stat.h>

#include <jansson.h>

#include "base/error.h"
#include "model/record.h"

#include "drive.h"
#include "facts.h"
#include "scratch.h"

static json_t *row(const char *id, const char *family, double error)
{
    return json_pack("{s:s, s:s, s:s, s:f}", "record", "accuracy", "id", id, "family", family,
                     "max_ulp", error);
}

/* Writes the records to a file and reads them back. */
static json_t *round_trip(const json_t *records)
{
    json_t *back;
    struct error e = {""};
    if (record_write_file(scratch_path("rows.jsonl"), records, &e) ||
        record_read(scratch_path("rows.jsonl"), false, &back, &e))
        fail_msg("%s", e.text);
    return keep(back);
}

TEST(folded_rows_are_read_as_they_were)
{
    json_t *rows =
        keep(json_pack("[o, o, o, o, o]", row("a", "normal", 1.5), row("a", "tiny", 0.5),
                       row("b", "normal", 1.5), row("b", "tiny", 0.25), row("c", "normal", 1.5)));
    json_t *folded = keep(records_fold(rows)), *back = round_trip(folded);
    assert_facts(folded, "0.also=#2");
    assert_int_equal(json_array_size(folded), 3); /* in family normal, a, b and c are one */
    assert_int_equal(json_array_size(back), 5);
    assert_true(json_equal(round_trip(rows), rows)); /* rows that were not folded are unchanged */
    for (size_t i = 0; i < 5; i++) {
        const json_t *record = json_array_get(rows, i);
        fact_find(back, "id=%s family=%s max_ulp=%.17g", record_text(record, "id"),
                  record_text(record, "family"), record_number(record, "max_ulp"));
    }
}

TEST(rows_without_a_fellow_are_left_alone)
{
    json_t *rows = keep(json_pack("[o, o]", row("a", "normal", 1), row("b", "normal", 2)));
    assert_true(json_equal(keep(records_fold(rows)), rows));
}

/* ---- Files from strangers -------------------------------------------------------------------- */

static char path[64], machine_path[64];

static int set_up(void **state)
{
    const int code = scratch_open(state);
    snprintf(path, sizeof path, "%s/accuracy.jsonl", scratch);
    snprintf(machine_path, sizeof machine_path, "%s/machine.json", scratch);
    return code;
}

/* Writes a file: `head`, then `piece` `count` times, then `tail`. */
static void put(const char *name, const char *head, const char *piece, size_t count,
                const char *tail)
{
    FILE *out = fopen(name, "wb");
    assert_non_null(out);
    fputs(head, out);
    for (size_t i = 0; i < count; i++) fputs(piece, out);
    fputs(tail, out);
    assert_int_equal(fclose(out), 0);
}

static void assert_refused(const char *needle)
{
    json_t *records;
    struct error e = {""};
    assert_int_equal(record_read(path, false, &records, &e), EXIT_BAD_INPUT);
    if (!strstr(e.text, needle)) fail_msg("want '%s': %s", needle, e.text);
    assert_null(records);
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

TEST(a_record_of_a_gigabyte_is_refused_unread)
{
    long before = peak_kib();
    put(path, "", "", 0, "");
    assert_int_equal(truncate(path, 1 << 30), 0); /* a sparse file without a line break */
    assert_refused(":1: longer than 1 MiB");
    assert_int_equal(truncate(path, ((off_t)1 << 30) + 1), 0);
    assert_refused("1 GiB");
    assert_true(peak_kib() - before < 64 * 1024);
}

TEST(a_line_has_at_most_one_mebibyte)
{
    enum { HEAD = sizeof "{\"id\":\"\"}\n" - 1, MOST = 1 << 20 };
    json_t *records;
    struct error e = {""};
    put(path, "{\"id\":\"b\"}\n{\"id\":\"", "a", MOST - HEAD, "\"}\n{\"id\":\"c\"}\n");
    assert_int_equal(record_read(path, false, &records, &e), 0);
    assert_int_equal(json_array_size(keep(records)), 3);
    assert_int_equal(strlen(record_text(json_array_get(records, 1), "id")), MOST - HEAD);
    put(path, "{\"id\":\"b\"}\n{\"id\":\"", "a", MOST - HEAD + 1, "\"}\n");
    assert_refused(":2: longer than 1 MiB");
}

TEST(a_million_brackets_are_refused)
{
    put(path, "{\"id\":", "[", 1000000, "\n");
    assert_refused("depth");
}

TEST(a_line_does_not_unfold_without_end)
{
    static char line[400000] = "{\"id\":\"a\"";
    char *end = line + strlen(line);
    for (int i = 0; i < 30000; i++) end += sprintf(end, ",\"%d\":0", i);
    strcpy(end, ",\"also\":[0");
    put(path, line, ",0", 300000, "]}\n"); /* 10^10 values in a file of 600 KB */
    assert_refused("unfolds");
}

TEST(control_characters_are_blanks)
{
    json_t *records;
    struct error e = {""};
    put(path, "{\"id\":\"a\\u001b[31m\\n\\u009b\x7f\xc2\x9b\\\\n\\u00e9\\\"\"}\n", "", 0, "");
    assert_int_equal(record_read(path, false, &records, &e), 0);
    assert_string_equal(record_text(json_array_get(keep(records), 0), "id"),
                        "a      [31m           \\n\xc3\xa9\"");
}

static void assert_no_machine(const char *needle)
{
    json_t *machine;
    struct error e = {""};
    assert_int_equal(record_read_machine(scratch, &machine, &e), EXIT_BAD_INPUT);
    if (!strstr(e.text, needle)) fail_msg("want '%s': %s", needle, e.text);
    assert_null(machine);
    unlink(machine_path);
}

TEST(a_machine_has_at_most_one_mebibyte)
{
    assert_no_machine("No such file");
    put(machine_path, "{\"machine\":", "[", 1000000, "\n");
    assert_no_machine("depth");
    put(machine_path, "{\"machine\":{}}", " ", 1 << 20, "\n");
    assert_no_machine("1 MiB");
    assert_int_equal(symlink("/dev/zero", machine_path), 0);
    assert_no_machine("1 MiB");
    assert_int_equal(mkfifo(machine_path, 0600), 0);
    assert_no_machine("1 MiB"); /* a pipe without a writer */
}

TEST_GROUP(set_up, scratch_close)
