/* Files of records: folded rows are read as the rows that they were. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "model/record.h"

#include "drive.h" /* last: cmocka's fail() is a macro */

static json_t *row(const char *id, const char *family, double error)
{
    return json_pack("{s:s, s:s, s:s, s:f}", "record", "accuracy", "id", id, "family", family,
                     "max_ulp", error);
}

/* Written to a file and read back. */
static json_t *round_trip(const json_t *records)
{
    char path[] = "/tmp/ulplab-record-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "wb");
    size_t i;
    const json_t *record;
    json_array_foreach(records, i, record) assert_int_equal(record_write(out, record), 0);
    fclose(out);
    json_t *back;
    struct error e = {""};
    int code = record_read(path, false, &back, &e);
    unlink(path);
    if (code) fail_msg("%s", e.text);
    return back;
}

static bool contains(const json_t *records, const json_t *wanted)
{
    size_t i;
    const json_t *record;
    json_array_foreach(records, i, record) if (json_equal(record, wanted)) return true;
    return false;
}

static void folded_rows_are_read_as_they_were(void **state)
{
    (void)state;
    json_t *rows =
        json_pack("[o, o, o, o, o]", row("a", "normal", 1.5), row("a", "tiny", 0.5),
                  row("b", "normal", 1.5), row("b", "tiny", 0.25), row("c", "normal", 1.5));
    json_t *folded = records_fold(rows), *back = round_trip(folded), *plain = round_trip(rows);
    assert_int_equal(json_array_size(folded), 3); /* normal: a, b and c are one */
    assert_int_equal(json_array_size(json_object_get(json_array_get(folded, 0), "also")), 2);
    assert_int_equal(json_array_size(back), 5);
    assert_true(json_equal(plain, rows)); /* and rows that were not folded stay */
    size_t i;
    const json_t *record;
    json_array_foreach(rows, i, record) assert_true(contains(back, record));
    json_decref(plain);
    json_decref(back);
    json_decref(folded);
    json_decref(rows);
}

static void rows_without_a_fellow_are_left_alone(void **state)
{
    (void)state;
    json_t *rows = json_pack("[o, o]", row("a", "normal", 1), row("b", "normal", 2));
    json_t *folded = records_fold(rows);
    assert_true(json_equal(folded, rows));
    json_decref(folded);
    json_decref(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folded_rows_are_read_as_they_were),
        cmocka_unit_test(rows_without_a_fellow_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
