// SPDX-License-Identifier: MIT
/* The archive of a folder's records: contents are preserved byte for byte, equal records give equal
 * bytes, raw files of a newer run take precedence, and a malformed archive does no harm. */
#include <archive.h>
#include <archive_entry.h>
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "model/record.h"
#include "model/record_archive.h"
#include "synthetic.h"

#include "drive.h"

#define RAW "build-archive/raw"
#define PACKED "build-archive/packed"
#define OFF "softmax/threepass/dtype=f32/isa=avx2/cc=gcc-12/policy=off"
#define FAST "softmax/threepass/dtype=f32/isa=avx2/cc=gcc-12/policy=fast"

static void assert_same_file(const char *a, const char *b)
{
    must_format("cmp '%s' '%s'", a, b);
}

static void fill(const char *folder)
{
    make_folder(folder, (struct run_facts){0});
    for (size_t n = 64; n <= 4096; n *= 8) {
        const struct timing_facts slow = {
            .rows = 64, .n = n, .processes = 7, .ns_per_row = 100, .spread = 0.02};
        struct timing_facts quick = slow;
        quick.ns_per_row = 80;
        add_timing(folder, OFF, slow);
        add_timing(folder, FAST, quick);
    }
    add_accuracy(folder, OFF, (struct accuracy_facts){.max_ulp = 2.5, .mean_ulp = 0.25});
    add_accuracy(folder, FAST, (struct accuracy_facts){.max_ulp = 3.5, .mean_ulp = 0.5});
    add_codegen(folder, OFF, "gcc-12", "-ffp-contract=off", "aa", 0, 0);
    add_codegen(folder, FAST, "gcc-12", "-ffp-contract=fast", "bb", 1, 0);
    append(folder, "cases.jsonl", "{\"record\": \"case\", \"name\": \"one\", \"rows\": []}");
    append(folder, "scan.jsonl", "{\"id\": \"" OFF "\", \"max_ulp\": 1.5}");
}

/* Makes a folder of raw records, and one as git keeps it, with an archive. */
static int make_folders(void **state)
{
    (void)state;
    struct error e = {""};
    fill(RAW);
    fill(PACKED);
    assert_int_equal(record_archive_write(PACKED, NULL, &e), 0);
    must("rm " PACKED "/*.jsonl");
    return 0;
}

static json_t *read_all(const char *folder, const char *name)
{
    json_t *records;
    struct error e = {""};
    if (record_read_from(folder, name, false, &records, &e)) fail_msg("%s", e.text);
    return keep(records);
}

static void assert_fails(const char *folder, const char *name, bool optional, const char *because)
{
    json_t *records;
    struct error e = {""};
    assert_int_equal(record_read_from(folder, name, optional, &records, &e), EXIT_BAD_INPUT);
    assert_null(records);
    if (!strstr(e.text, because) || !strstr(e.text, folder) || !strchr(e.text, ';'))
        fail_msg("'%s' does not say '%s', where, or what to do", e.text, because);
}

/* ---- What goes in comes out ------------------------------------------------------------------ */

TEST(members_are_the_files_byte_for_byte)
{
    static const char *const names[] = {"accuracy.jsonl", "cases.jsonl", "codegen.jsonl",
                                        "scan.jsonl", "timing.jsonl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[200], *text;
        size_t size;
        struct error e = {""};
        snprintf(path, sizeof path, RAW "/%s", names[i]);
        assert_true(record_is_archived(PACKED, names[i]));
        assert_false(record_is_archived(RAW, names[i]));
        assert_int_equal(record_archive_read(PACKED, names[i], &text, &size, &e), 0);
        keep(text);
        assert_int_equal(strlen(text), size);
        assert_string_equal(text, drive_read(path));
        json_t *a = read_all(RAW, names[i]), *b = read_all(PACKED, names[i]);
        assert_true(json_equal(a, b));
    }
}

TEST(the_same_records_give_the_same_bytes)
{
    struct error e = {""};
    must("touch -d 2001-02-03 " RAW "/accuracy.jsonl && chmod 600 " RAW "/timing.jsonl");
    assert_int_equal(record_archive_write(RAW, "build-archive/again", &e), 0);
    assert_same_file("build-archive/again", PACKED "/" RECORD_ARCHIVE);
    /* Packing a packed folder changes nothing. */
    assert_int_equal(record_archive_write(PACKED, "build-archive/again", &e), 0);
    assert_same_file("build-archive/again", PACKED "/" RECORD_ARCHIVE);
}

/* Other programs can open the archive: no bytes follow zstd's frame. */
TEST(tar_lists_it_in_order)
{
    if (system("command -v zstd >/dev/null") != 0) skip();
    must("tar --zstd -tf " PACKED "/" RECORD_ARCHIVE " >build-archive/list");
    assert_string_equal(drive_read("build-archive/list"),
                        "accuracy.jsonl\ncases.jsonl\ncodegen.jsonl\nscan.jsonl\ntiming.jsonl\n");
}

/* ---- Raw files beside the archive ------------------------------------------------------------ */

/* A run that has begun owns all of its files: a file that it has not written yet is missing, rather
 * than that of an older run. scan.jsonl belongs to no run. */
TEST(raw_files_of_a_run_win_as_a_set)
{
    append(PACKED, "codegen.jsonl", "{\"record\": \"codegen\", \"id\": \"new\"}");
    json_t *codegen = read_all(PACKED, "codegen.jsonl"), *scan = read_all(PACKED, "scan.jsonl"),
           *timing;
    struct error e = {""};
    assert_int_equal(json_array_size(codegen), 1);
    assert_int_equal(json_array_size(scan), 1);
    assert_int_equal(record_read_from(PACKED, "timing.jsonl", true, &timing, &e), 0);
    assert_int_equal(json_array_size(keep(timing)), 0);
    must("rm " PACKED "/codegen.jsonl");

    append(PACKED, "scan.jsonl", "{\"id\": \"a\"}\n{\"id\": \"b\"}");
    scan = read_all(PACKED, "scan.jsonl");
    timing = read_all(PACKED, "timing.jsonl");
    assert_int_equal(json_array_size(scan), 2);
    assert_int_equal(json_array_size(timing), 6);
    must("rm " PACKED "/scan.jsonl");
}

/* ---- Damage ---------------------------------------------------------------------------------- */

#define BAD "build-archive/bad"

static void make_bad(const char *how)
{
    make_folder(BAD, (struct run_facts){0});
    must_format("%s " BAD "/" RECORD_ARCHIVE, how);
}

TEST(damage_is_told)
{
    make_bad("head -c 200 " PACKED "/" RECORD_ARCHIVE " >");
    assert_fails(BAD, "timing.jsonl", true, "bad archive");
    make_bad("printf 'no archive at all' >");
    assert_fails(BAD, "timing.jsonl", true, "bad archive");
    make_bad("printf '' >");
    assert_fails(BAD, "timing.jsonl", true, "bad archive");
    /* diverge.jsonl is not in the archive: an error for a reader that needs it, no rows for one
     * that does not. */
    assert_fails(PACKED, "diverge.jsonl", false, "not in the archive");
    json_t *none;
    struct error e = {""};
    assert_int_equal(record_read_from(PACKED, "diverge.jsonl", true, &none, &e), 0);
    assert_int_equal(json_array_size(keep(none)), 0);
}

TEST(nothing_to_pack_is_told)
{
    struct error e = {""};
    make_folder(BAD, (struct run_facts){0});
    assert_int_equal(record_archive_write(BAD, NULL, &e), EXIT_BAD_INPUT);
    assert_non_null(strstr(e.text, "no records"));
    assert_int_not_equal(access(BAD "/" RECORD_ARCHIVE, F_OK), 0);
}

struct member {
    const char *name, *link; /* link: the target of a symbolic link, or NULL */
};

static void make_hostile(const struct member *members, size_t count)
{
    static const char text[] = "{\"record\":\"accuracy\",\"id\":\"a/b/dtype=f32/isa=avx2/cc=c/"
                               "policy=off\",\"family\":\"normal\",\"n\":1,\"status\":\"ok\"}\n";
    make_folder(BAD, (struct run_facts){0});
    struct archive *out = archive_write_new();
    archive_write_set_format_pax_restricted(out);
    archive_write_add_filter_zstd(out);
    assert_int_equal(archive_write_open_filename(out, BAD "/" RECORD_ARCHIVE), ARCHIVE_OK);
    for (size_t i = 0; i < count; i++) {
        const struct member *m = &members[i];
        struct archive_entry *entry = archive_entry_new();
        const size_t size = m->link ? 0 : sizeof text - 1;
        archive_entry_set_pathname(entry, m->name);
        archive_entry_set_perm(entry, 0644);
        archive_entry_set_filetype(entry, m->link ? AE_IFLNK : AE_IFREG);
        if (m->link) archive_entry_set_symlink(entry, m->link);
        archive_entry_set_size(entry, (la_int64_t)size);
        archive_write_header(out, entry);
        if (size) archive_write_data(out, text, size);
        archive_entry_free(entry);
    }
    archive_write_free(out);
}

/* Members with names that lead outside of the folder, and links, are ignored: nothing is followed
 * or written. */
TEST(names_and_links_lead_nowhere)
{
    static const struct member members[] = {
        {"../outside.jsonl", NULL},    {"/tmp/ulplab-outside.jsonl", NULL},
        {"./timing.jsonl", NULL},      {"timing.jsonl", "/etc/passwd"},
        {"adversarial/../../x", NULL},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        make_hostile((const struct member[]){members[i], {"accuracy.jsonl", NULL}}, 2);
        struct outcome o = drive_line(drive_program("ulplab"), "export " BAD);
        if (o.code) assert_one_error(&o, EXIT_BAD_INPUT, "bad archive");
        assert_null(strstr(o.out, "root:"));
        must("test $(ls " BAD " | wc -l) = 2 && ! ls build-archive/*outside* build-archive/x "
             "/tmp/ulplab-outside.jsonl 2>/dev/null");
    }
    make_hostile(members, 4);
    assert_fails(BAD, "timing.jsonl", true, "bad archive");
}

/* Sizes in a header are checked before memory is allocated: this header claims 6 GiB, and nothing
 * follows. */
TEST(sizes_are_limited)
{
    if (system("command -v zstd >/dev/null") != 0) skip();
    make_folder(BAD, (struct run_facts){0});
    must("cd " BAD " && truncate -s 6G timing.jsonl && tar -cf - timing.jsonl | head -c 1024 | "
         "zstd -q >" RECORD_ARCHIVE "; rm timing.jsonl");
    assert_fails(BAD, "timing.jsonl", true, "more than 1 GiB");
}

/* ---- Commands -------------------------------------------------------------------------------- */

static void assert_prints_the_same(const char *command, const char *rest)
{
    for (size_t i = 0; i < 2; i++)
        must_format("rm -rf build-archive/in build-archive/%zu.out; cp -r %s build-archive/in; "
                    "'%s' %s build-archive/in %s >build-archive/%zu.out 2>&1; "
                    "[ ! -f build-archive/in/report.md ] || "
                    "cat build-archive/in/report.* >>build-archive/%zu.out",
                    i, i ? PACKED : RAW, drive_program("ulplab"), command, rest, i, i);
    assert_same_file("build-archive/0.out", "build-archive/1.out");
    must("[ $(wc -c <build-archive/0.out) -gt 20 ]");
}

TEST(commands_see_no_difference)
{
    assert_prints_the_same("report", "");
    assert_prints_the_same("report", "--format html");
    assert_prints_the_same("policy", "--json");
    assert_prints_the_same("compare --by policy", "off fast --json");
    assert_prints_the_same("export", "--format csv");
    assert_prints_the_same("export", "--format gbench");
}

TEST(export_packs_in_the_folder)
{
    must("rm -rf build-archive/in; cp -r " RAW " build-archive/in");
    struct outcome o =
        drive_line(drive_program("ulplab"), "export build-archive/in --format archive");
    assert_int_equal(o.code, 0);
    assert_string_equal(o.out,
                        "build-archive/in/" RECORD_ARCHIVE "\nbuild-archive/in/summary.json\n");
    assert_same_file("build-archive/in/" RECORD_ARCHIVE, PACKED "/" RECORD_ARCHIVE);
}

int main(void)
{
    const int failed = test_run();
    return failed || system("rm -rf build-archive");
}

TEST_GROUP(make_folders, NULL)
